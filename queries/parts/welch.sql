-- Welch's interval of the difference of two mean logarithms: adds low and high to each row of compared, which has
-- log_ratio, and of either side the squared error of its mean and the degrees of freedom.
-- include: student_t
, errors AS (
  SELECT
    c.*,
    sqrt(c.squared_error + c.against_squared_error) AS standard_error,
    -- where neither side varies there is no error, and the degrees of freedom do not matter
    coalesce(
      power(c.squared_error + c.against_squared_error, 2E0) / nullif(
        power(c.squared_error, 2E0) / nullif(c.df, 0E0)
        + power(c.against_squared_error, 2E0) / nullif(c.against_df, 0E0), 0E0
      ),
      1E0
    ) AS shared_df
  FROM compared c
), tabled AS (
  -- rounded down to whole degrees of freedom as tabled; what should be whole may lack its last digits
  SELECT
    e.*,
    CASE WHEN e.shared_df >= 100E0 THEN 100 WHEN e.shared_df >= 60E0 THEN 60 WHEN e.shared_df >= 40E0 THEN 40
      WHEN e.shared_df >= 30E0 THEN 30 ELSE CAST(floor(e.shared_df + 1E-9) AS bigint) END AS tabled_df
  FROM errors e
), answered AS (
  SELECT b.*, b.log_ratio - q.t * b.standard_error AS low, b.log_ratio + q.t * b.standard_error AS high
  FROM tabled b
  JOIN student q ON q.df = b.tabled_df
)

-- How far each crossing moves over what is not known: the traffic over which the order of the two is not certain.
--
-- Takes crossings; of them, those of the purposes interval and pairs-interval put the uncertain inputs of their base_id
-- at their ends (the corners). A question and its corners are taken together. Wherever they do not all agree on which
-- of the two is cheaper, the order is not certain. Every crossing of the question lies in such a range, of no width where
-- all change places at the same traffic. Its interval is from the lowest to the highest change to the same side within
-- the range, of the question and of its corners alike.
-- A tie is a side of its own. The interval is of the traffic at which it begins.
-- spanned: crossings with low and high (messages a second; null: no corners), corners, and corners_with: how many of
-- these have a crossing with the same cheaper_above in the same range.
signs AS (
  SELECT
    c.*,
    CASE WHEN purpose IN ('interval', 'pairs-interval') THEN base_id ELSE question_id END AS asked_id,
    CASE WHEN purpose IN ('interval', 'pairs-interval') THEN 1 ELSE 0 END AS is_corner,
    CASE cheaper_below WHEN second_option THEN 1 WHEN first_option THEN -1 ELSE 0 END AS below,
    CASE cheaper_above WHEN second_option THEN 1 WHEN first_option THEN -1 ELSE 0 END AS above
  FROM crossings c
), changes AS (
  -- part 0 is the side with which a pair begins, part 1 a crossing, part 2 the end of a tie
  SELECT
    g.*, s.part,
    CASE s.part WHEN 0 THEN 0E0 WHEN 1 THEN messages ELSE equal_until END
      / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
    CASE s.part WHEN 0 THEN below WHEN 1 THEN CASE WHEN kind = 'tie' THEN 0 ELSE above END - below ELSE above END AS change
  FROM signs g
  CROSS JOIN UNNEST(ARRAY[0, 1, 2]) AS s (part)
  WHERE (s.part = 0 AND coalesce(number, 1) = 1)
    OR (s.part = 1 AND number IS NOT NULL)
    OR (s.part = 2 AND kind = 'tie' AND equal_until IS NOT NULL)
), ordered AS (
  SELECT
    h.*,
    lag(msg_per_s) OVER (PARTITION BY asked_id, first_option, second_option ORDER BY msg_per_s) AS previous
  FROM changes h
), marked AS (
  -- what is less than a part in 10^12 apart is at one mark
  SELECT
    o.*,
    sum(CASE WHEN previous IS NULL OR msg_per_s - previous > 1E-12 * msg_per_s THEN 1 ELSE 0 END) OVER (
      PARTITION BY asked_id, first_option, second_option ORDER BY msg_per_s
    ) AS mark
  FROM ordered o
), counted AS (
  -- sides: for how many the second is cheaper above it, less for how many the first is
  SELECT
    k.*,
    count(CASE WHEN part = 0 AND kind <> 'unpriced' THEN 1 END) OVER (
      PARTITION BY asked_id, first_option, second_option
    ) AS members,
    count(CASE WHEN part = 0 AND is_corner = 1 THEN 1 END) OVER (
      PARTITION BY asked_id, first_option, second_option
    ) AS corners,
    sum(change) OVER (PARTITION BY asked_id, first_option, second_option ORDER BY mark) AS sides,
    sum(change) OVER (PARTITION BY asked_id, first_option, second_option, mark) AS changed
  FROM marked k
), ranged AS (
  -- a range begins where all agreed just below
  SELECT
    n.*,
    sum(CASE WHEN part > 0 AND abs(sides - changed) = members THEN 1 ELSE 0 END) OVER (
      PARTITION BY asked_id, first_option, second_option ORDER BY mark
    ) AS uncertain_range
  FROM counted n
), placed AS (
  SELECT
    r.*,
    row_number() OVER (
      PARTITION BY asked_id, first_option, second_option, uncertain_range, part, cheaper_above, question_id
      ORDER BY msg_per_s
    ) AS nth
  FROM ranged r
), spanned AS (
  SELECT
    p.*,
    CASE WHEN corners > 0 AND part = 1 THEN min(CASE WHEN part = 1 THEN msg_per_s END) OVER (
      PARTITION BY asked_id, first_option, second_option, uncertain_range, cheaper_above
    ) END AS low,
    CASE WHEN corners > 0 AND part = 1 THEN max(CASE WHEN part = 1 THEN msg_per_s END) OVER (
      PARTITION BY asked_id, first_option, second_option, uncertain_range, cheaper_above
    ) END AS high,
    CASE WHEN part = 1 THEN count(CASE WHEN part = 1 AND is_corner = 1 AND nth = 1 THEN 1 END) OVER (
      PARTITION BY asked_id, first_option, second_option, uncertain_range, cheaper_above
    ) ELSE 0 END AS corners_with
  FROM placed p
)

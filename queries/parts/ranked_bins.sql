-- The merged histogram of each case and metric, with the rank that each bin reaches. Of a bin that stands in
-- several rows the last reaches its whole rank, and a percentile is the least value that reaches its own: they need
-- no merging, which of a large run is a third of the work.
bins AS (
  SELECT case_id, metric, value_ns, operations
  FROM latencies
  WHERE run_id = ? AND statistic IS NULL
), ranked AS (
  SELECT
    case_id, metric, value_ns,
    sum(operations) OVER (
      PARTITION BY case_id, metric ORDER BY value_ns ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS up_to,
    CAST(sum(operations) OVER (PARTITION BY case_id, metric) AS double) AS samples
  FROM bins
)

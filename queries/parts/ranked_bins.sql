-- The merged histogram of each case and metric, with the rank that each bin reaches.
bins AS (
  SELECT case_id, metric, value_ns, CAST(sum(operations) AS bigint) AS operations
  FROM latencies
  WHERE run_id = ? AND statistic IS NULL
  GROUP BY case_id, metric, value_ns
), ranked AS (
  SELECT
    case_id, metric, value_ns,
    sum(operations) OVER (
      PARTITION BY case_id, metric ORDER BY value_ns ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS up_to,
    CAST(sum(operations) OVER (PARTITION BY case_id, metric) AS double) AS samples
  FROM bins
)

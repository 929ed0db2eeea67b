-- The bins of each case and metric that can hold a percentile, with the rank that each reaches.
--
-- Only these are put in order, as a window over all bins of a large run is most of its report's time. Bins are first
-- summed by classes of value, some dozens a case and metric, and the classes are ranked; then the bins of those
-- classes in which a wanted rank lies. The result does not depend on where classes begin: four times the fourth
-- root makes them 2% wide at 3 ms and 1% at 100 ms, and is the same on every engine, as square roots are rounded exactly.
-- Of a bin that stands in several rows the last reaches its whole rank, and a percentile is the least value that
-- reaches its own: they need no merging.
binned AS (
  SELECT
    case_id, metric, CAST(floor(sqrt(sqrt(CAST(greatest(value_ns, 0) AS double))) * 4E0) AS bigint) AS class,
    CAST(sum(operations) AS bigint) AS operations
  FROM latencies
  WHERE run_id = ? AND statistic IS NULL
  GROUP BY case_id, metric, CAST(floor(sqrt(sqrt(CAST(greatest(value_ns, 0) AS double))) * 4E0) AS bigint)
), classes AS (
  SELECT
    case_id, metric, class, operations,
    CAST(sum(operations) OVER (
      PARTITION BY case_id, metric ORDER BY class ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS bigint) AS up_to,
    CAST(sum(operations) OVER (PARTITION BY case_id, metric) AS double) AS samples
  FROM binned
), wanted AS (
  -- the ranks that latency_percentiles.sql and repeats.sql read
  SELECT case_id, metric, class, up_to - operations AS below, samples
  FROM classes
  WHERE (up_to >= ceil(samples * 500E0 / 1000E0) AND up_to - operations < ceil(samples * 500E0 / 1000E0))
    OR (up_to >= ceil(samples * 900E0 / 1000E0) AND up_to - operations < ceil(samples * 900E0 / 1000E0))
    OR (up_to >= ceil(samples * 950E0 / 1000E0) AND up_to - operations < ceil(samples * 950E0 / 1000E0))
    OR (up_to >= ceil(samples * 990E0 / 1000E0) AND up_to - operations < ceil(samples * 990E0 / 1000E0))
    OR (up_to >= ceil(samples * 999E0 / 1000E0) AND up_to - operations < ceil(samples * 999E0 / 1000E0))
), bins AS (
  SELECT
    case_id, metric, CAST(floor(sqrt(sqrt(CAST(greatest(value_ns, 0) AS double))) * 4E0) AS bigint) AS class,
    value_ns, operations
  FROM latencies
  WHERE run_id = ? AND statistic IS NULL
), ranked AS (
  SELECT
    b.case_id, b.metric, b.value_ns, w.samples,
    w.below + CAST(sum(b.operations) OVER (
      PARTITION BY b.case_id, b.metric, b.class ORDER BY b.value_ns
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS bigint) AS up_to
  FROM bins b
  JOIN wanted w ON w.case_id = b.case_id AND w.metric = b.metric AND w.class = b.class
)

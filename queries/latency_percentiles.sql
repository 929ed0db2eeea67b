-- How long an operation took.
--
-- A percentile is the nearest rank in the merged bins: the smallest bin that holds the sample of rank
-- ceil(p x n). Its value is the bin's midpoint, held between the exact least and greatest. It is null
-- unless at least 10 samples lie beyond that rank. Mean, least and greatest are exact. Where a source
-- published a mean or a percentile instead, there are no bins, and its figure stands as it is.
--
-- inputs:  latencies, totals, cases
-- columns: case_id, target, provenance, environment, metric
--          operations   samples; null where a source does not say how many
--          mean_ms, min_ms, p50_ms, p90_ms, p95_ms, p99_ms, p999_ms, max_ms   milliseconds
--          skipped      end_to_end: messages whose send time was not known
--          unfinished   of the operations: without an answer at the end, and counted as lasting until then
WITH
-- include: ranked_bins
, percentiles AS (
  -- ceil of a quotient of whole numbers: p x n itself would not be exact
  SELECT
    case_id, metric,
    max(samples) AS samples,
    min(value_ns) FILTER (WHERE up_to >= ceil(samples * 500E0 / 1000E0)) AS p50_ns,
    min(value_ns) FILTER (WHERE up_to >= ceil(samples * 900E0 / 1000E0)) AS p90_ns,
    min(value_ns) FILTER (WHERE up_to >= ceil(samples * 950E0 / 1000E0)) AS p95_ns,
    min(value_ns) FILTER (WHERE up_to >= ceil(samples * 990E0 / 1000E0)) AS p99_ns,
    min(value_ns) FILTER (WHERE up_to >= ceil(samples * 999E0 / 1000E0)) AS p999_ns
  FROM ranked
  GROUP BY case_id, metric
), published AS (
  SELECT
    case_id, metric,
    max(value_ns) FILTER (WHERE statistic = 'mean') AS mean_ns,
    max(value_ns) FILTER (WHERE statistic = 'p50') AS p50_ns,
    max(value_ns) FILTER (WHERE statistic = 'p90') AS p90_ns,
    max(value_ns) FILTER (WHERE statistic = 'p95') AS p95_ns,
    max(value_ns) FILTER (WHERE statistic = 'p99') AS p99_ns,
    max(value_ns) FILTER (WHERE statistic = 'p999') AS p999_ns
  FROM latencies
  WHERE run_id = ? AND statistic IS NOT NULL
  GROUP BY case_id, metric
), exact AS (
  SELECT case_id, metric, operations, sum_ns, min_ns, max_ns, skipped, unfinished
  FROM totals
  WHERE run_id = ?
), run_cases AS (
  SELECT case_id, target, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  e.case_id, c.target, c.provenance, c.environment, e.metric, e.operations,
  coalesce(
    CAST(e.sum_ns AS double) / nullif(CAST(e.operations AS double), 0E0), CAST(s.mean_ns AS double)
  ) / 1E6 AS mean_ms,
  CAST(e.min_ns AS double) / 1E6 AS min_ms,
  CASE WHEN p.samples - ceil(p.samples * 500E0 / 1000E0) >= 10E0
    THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p50_ns)) AS double) / 1E6
    ELSE CAST(s.p50_ns AS double) / 1E6 END AS p50_ms,
  CASE WHEN p.samples - ceil(p.samples * 900E0 / 1000E0) >= 10E0
    THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p90_ns)) AS double) / 1E6
    ELSE CAST(s.p90_ns AS double) / 1E6 END AS p90_ms,
  CASE WHEN p.samples - ceil(p.samples * 950E0 / 1000E0) >= 10E0
    THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p95_ns)) AS double) / 1E6
    ELSE CAST(s.p95_ns AS double) / 1E6 END AS p95_ms,
  CASE WHEN p.samples - ceil(p.samples * 990E0 / 1000E0) >= 10E0
    THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p99_ns)) AS double) / 1E6
    ELSE CAST(s.p99_ns AS double) / 1E6 END AS p99_ms,
  CASE WHEN p.samples - ceil(p.samples * 999E0 / 1000E0) >= 10E0
    THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p999_ns)) AS double) / 1E6
    ELSE CAST(s.p999_ns AS double) / 1E6 END AS p999_ms,
  CAST(e.max_ns AS double) / 1E6 AS max_ms,
  e.skipped, e.unfinished
FROM exact e
LEFT JOIN percentiles p ON p.case_id = e.case_id AND p.metric = e.metric
-- what was counted has samples of its own, and needs no figure that someone printed
LEFT JOIN published s ON s.case_id = e.case_id AND s.metric = e.metric AND e.operations IS NULL
LEFT JOIN run_cases c ON c.case_id = e.case_id
ORDER BY e.case_id, e.metric

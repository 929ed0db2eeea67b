-- How rate and latency went, second by second.
--
-- A second in which no loader completed anything is a row with 0, up to the last second of the stage in
-- which any metric was counted, so that a stall is seen as one. That last second may be a part of one.
--
-- inputs:  windows, cases
-- columns: case_id, target, provenance, environment, metric, stage
--          second       whole seconds since the stage's start
--          msg_per_s    completions in that second, summed over loaders
--          mean_ms, max_ms   how long these took, milliseconds; null where nothing was completed, or of what
--                       has no start of its own
WITH counted AS (
  SELECT
    case_id, metric, stage, second,
    CAST(sum(operations) AS double) AS msg_per_s,
    CAST(sum(sum_ns) AS double) / nullif(CAST(sum(operations) AS double), 0E0) / 1E6 AS mean_ms,
    CAST(max(max_ns) AS double) / 1E6 AS max_ms
  FROM windows
  WHERE run_id = ?
  GROUP BY case_id, metric, stage, second
), lengths AS (
  SELECT case_id, metric, stage, CAST(max(max(second)) OVER (PARTITION BY case_id, stage) AS bigint) AS last_second
  FROM counted
  GROUP BY case_id, metric, stage
), seconds AS (
  -- thousands and units apart: one sequence may hold 10,000 entries at most
  SELECT l.case_id, l.metric, l.stage, 1000 * thousands.k + units.k AS second
  FROM lengths l
  CROSS JOIN UNNEST(sequence(0, CAST(floor(CAST(l.last_second AS double) / 1000E0) AS bigint))) AS thousands (k)
  CROSS JOIN UNNEST(sequence(0, least(999, l.last_second - 1000 * thousands.k))) AS units (k)
), run_cases AS (
  SELECT case_id, target, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  s.case_id, c.target, c.provenance, c.environment, s.metric, s.stage,
  s.second, coalesce(n.msg_per_s, 0E0) AS msg_per_s, n.mean_ms, n.max_ms
FROM seconds s
LEFT JOIN counted n
  ON n.case_id = s.case_id AND n.metric = s.metric AND n.stage = s.stage AND n.second = s.second
LEFT JOIN run_cases c ON c.case_id = s.case_id
ORDER BY s.case_id, s.metric, s.stage, s.second

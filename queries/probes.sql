-- Which rates a capacity search tried, and what came of each.
--
-- The capacity of a case lies between the highest rate that was held and the lowest that was not. Its
-- latencies and rates in the other queries are those of the highest that was held, so that repeats.sql
-- gives its interval over repeats.
--
-- inputs:  probes, cases
-- columns: case_id, scenario, cell, target, number, stage
--          rate            offered, messages a second
--          offered, achieved   messages due within the probe, and handed over within it
--          backlog_per_s, backlog_per_s_high   by how many messages a second the backlog grew, and the upper
--                          95% bound of that
--          end_to_end_p99_ms   milliseconds
--          held, reason    whether the target held the rate, and why not
--          for_s, confirms   how long it was to be held, seconds, and whether that was to confirm what the search
--                          had found; null of earlier versions
--          scouts          whether it was a short one, which only said near which rate to look; null likewise
WITH run_cases AS (
  SELECT case_id, scenario, cell, target
  FROM cases
  WHERE run_id = ?
), run_probes AS (
  SELECT
    case_id, number, stage, rate, offered, achieved, backlog_per_s, backlog_per_s_high, end_to_end_p99_ms,
    held, reason, for_s, confirms, scouts
  FROM probes
  WHERE run_id = ?
)
SELECT
  p.case_id, c.scenario, c.cell, c.target, p.number, p.stage, p.rate, p.offered, p.achieved,
  p.backlog_per_s, p.backlog_per_s_high, p.end_to_end_p99_ms, p.held, p.reason, p.for_s, p.confirms, p.scouts
FROM run_probes p
LEFT JOIN run_cases c ON c.case_id = p.case_id
ORDER BY p.case_id, p.number

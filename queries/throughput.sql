-- How fast each case was.
--
-- inputs:  totals, cases
-- columns: case_id, target, provenance, environment, metric
--          operations   latencies recorded: operations intended within the measured stage; null where a
--                       source does not say how many
--          completed    operations completed within it; of a published rate, with stage_s its quotient
--          msg_per_s    completed / length of the stage, messages a second
--          mb_per_s     the same in 10^6 bytes of message body a second
--          starved      asks that came back empty
--          empty_per_message   of consume: asks that came back empty, for each message received
--          early_msg_per_s   of a load or unload: its rate up to the second in which 99.9% had come
--          paused_s     of consume: slept by all workers together after such asks, seconds
--          core_operations, general_operations   of the completed: which path drove them; null of a
--                       reference client
--          per_call     completed for each call of a service that completed some; null of brokers
WITH run_totals AS (
  SELECT
    case_id, metric, operations, completed, bytes, starved, nullif(stage_s, 0E0) AS stage_s,
    early_completed, nullif(early_s, 0E0) AS early_s, paused_s, core_operations, general_operations, calls
  FROM totals
  WHERE run_id = ?
), run_cases AS (
  SELECT case_id, target, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  t.case_id, c.target, c.provenance, c.environment, t.metric, t.operations, t.completed,
  CAST(t.completed AS double) / t.stage_s AS msg_per_s,
  CAST(t.bytes AS double) / 1E6 / t.stage_s AS mb_per_s,
  t.starved,
  CAST(t.starved AS double) / nullif(CAST(t.completed AS double), 0E0) AS empty_per_message,
  CAST(t.early_completed AS double) / t.early_s AS early_msg_per_s,
  t.paused_s, t.core_operations, t.general_operations,
  CAST(t.completed AS double) / nullif(CAST(t.calls AS double), 0E0) AS per_call
FROM run_totals t
LEFT JOIN run_cases c ON c.case_id = t.case_id
ORDER BY t.case_id, t.metric

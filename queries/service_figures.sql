-- What CloudWatch has of services while a case was watched, a minute each.
--
-- The figures of a broker of Amazon MQ and its nodes are of all that ran in a minute: in the first and the last one
-- of a case that may have been another case, or nothing. So a mean weighs each minute by the seconds of it in which
-- the case was watched. A case's queues on SQS are its own, and are taken together: what is an average, such as messages that
-- wait, only in minutes that have come of all of them.
--
-- inputs:  service_minutes, cases
-- columns: case_id, target, provenance, environment
--          part         broker (all of its nodes together), node, queue (all queues of the case)
--          name         the node's; null: of the broker, or of queues
--          metric, statistic, unit   as CloudWatch has them
--          mean         of a Sum a minute, in which the case was watched; null: no minute has come
--          highest, lowest   of all minutes that have come
--          total        of a Sum: in all of them; null of other statistics
--          minutes      of a broker, of a node, or of each queue, in which the case was watched
--          known_minutes   those of which CloudWatch had the figure when it was asked
--          whole_minutes   those that lie within the case as a whole
WITH run_minutes AS (
  SELECT case_id, target, part, name, metric, statistic, unit, minute_s, seconds, value
  FROM service_minutes
  WHERE run_id = ?
), together AS (
  SELECT
    case_id, target, part, CASE WHEN part <> 'queue' THEN name END AS name, metric, statistic, unit, minute_s,
    max(seconds) AS seconds,
    CASE
      WHEN statistic = 'Maximum' THEN max(value)
      WHEN statistic = 'Sum' OR count(value) = count(1) THEN sum(value)
    END AS value,
    count(1) AS asked, count(value) AS known
  FROM run_minutes
  GROUP BY
    case_id, target, part, CASE WHEN part <> 'queue' THEN name END, metric, statistic, unit, minute_s
), figures AS (
  SELECT
    case_id, target, part, name, metric, statistic, unit,
    sum(CASE WHEN statistic = 'Sum' THEN 60E0 * value ELSE value * seconds END) AS weighed,
    sum(CASE WHEN value IS NOT NULL THEN seconds END) AS seconds,
    max(value) AS highest,
    min(value) AS lowest,
    sum(CASE WHEN statistic = 'Sum' THEN value END) AS total,
    CAST(sum(asked) AS bigint) AS minutes,
    CAST(sum(known) AS bigint) AS known_minutes,
    CAST(sum(CASE WHEN seconds >= 60E0 THEN asked ELSE 0 END) AS bigint) AS whole_minutes
  FROM together
  GROUP BY case_id, target, part, name, metric, statistic, unit
), run_cases AS (
  SELECT case_id, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  f.case_id, f.target, c.provenance, c.environment, f.part, f.name, f.metric, f.statistic, f.unit,
  f.weighed / nullif(f.seconds, 0E0) AS mean, f.highest, f.lowest, f.total,
  f.minutes, f.known_minutes, f.whole_minutes
FROM figures f
LEFT JOIN run_cases c ON c.case_id = f.case_id
ORDER BY f.case_id, f.part, f.name, f.metric

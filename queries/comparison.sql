-- Whether two targets differ in rate by more than their repeats do among themselves.
--
-- Rates are compared as a ratio, so on their logarithms: Welch's interval of the difference of the mean
-- logarithms, which takes the two sides' spreads for different ones, with the degrees of freedom of
-- Welch and Satterthwaite rounded down. Its antilogarithms are the interval of the ratio. A difference is
-- shown where that interval leaves out 1. One row a cell, pair of the run's targets and metric, always. What
-- a source published is left out: it must never enter a comparison of what was measured. So is the instrument.
--
-- inputs:  cases, totals
-- columns: scenario, cell, metric   produce and consume; consume_cycle where both targets have it
--          target, against          the rate of target over that of against
--          environment, provenance, against_provenance   emulated where any repeat was
--          repeats, against_repeats   cases that were measured to the end
--          ratio            of the geometric means of the repeats' rates; null where one is 0 or not known
--          interval_low, interval_high   its 95% interval; null with fewer than 2 repeats of either
--          verdict          higher, lower, no difference shown, not enough repeats, or not comparable: a
--                           repeat's rate is 0 or not known
--          loader_saturated, against_loader_saturated   in any of the repeats: that rate is a lower bound
WITH run_cases AS (
  SELECT
    case_id, scenario, cell, target, provenance, environment, status, producers, consumers,
    coalesce(flags LIKE '%"loader_saturated"%', false) AS loader_saturated
  FROM cases
  WHERE run_id = ? AND provenance <> 'published' AND target <> 'instrument'
), exact AS (
  SELECT case_id, metric, completed, CAST(completed AS double) / nullif(stage_s, 0E0) AS msg_per_s
  FROM totals
  WHERE run_id = ?
), targets AS (
  SELECT target, min(provenance) AS provenance, min(environment) AS environment
  FROM run_cases
  GROUP BY target
), pairs AS (
  SELECT
    a.target, b.target AS against, a.environment, a.provenance, b.provenance AS against_provenance
  FROM targets a
  JOIN targets b ON a.target < b.target
), cycled AS (
  SELECT c.scenario, c.cell, c.target
  FROM run_cases c
  JOIN exact e ON e.case_id = c.case_id
  WHERE c.status = 'ok' AND e.metric = 'consume_cycle' AND e.completed > 0
  GROUP BY c.scenario, c.cell, c.target
), asked AS (
  SELECT DISTINCT c.scenario, c.cell, 'produce' AS metric, p.target, p.against
  FROM run_cases c
  CROSS JOIN pairs p
  WHERE c.producers > 0
  UNION ALL
  SELECT DISTINCT c.scenario, c.cell, 'consume' AS metric, p.target, p.against
  FROM run_cases c
  CROSS JOIN pairs p
  WHERE c.consumers > 0
  UNION ALL
  SELECT a.scenario, a.cell, 'consume_cycle' AS metric, p.target, p.against
  FROM pairs p
  JOIN cycled a ON a.target = p.target
  JOIN cycled b ON b.target = p.against AND b.scenario = a.scenario AND b.cell = a.cell
), metrics AS (
  SELECT metric FROM (VALUES ('produce'), ('consume'), ('consume_cycle')) AS m (metric)
), logs AS (
  SELECT
    c.scenario, c.cell, c.target, m.metric, c.loader_saturated,
    ln(CASE WHEN e.msg_per_s > 0E0 THEN e.msg_per_s END) AS log_rate
  FROM run_cases c
  CROSS JOIN metrics m
  LEFT JOIN exact e ON e.case_id = c.case_id AND e.metric = m.metric
  WHERE c.status = 'ok'
), sides AS (
  SELECT
    scenario, cell, target, metric,
    count(*) AS repeats,
    bool_or(loader_saturated) AS loader_saturated,
    CASE WHEN count(log_rate) = count(*) THEN avg(log_rate) END AS mean,
    CASE WHEN count(log_rate) = count(*)
      THEN var_samp(log_rate) / CAST(count(*) AS double) END AS squared_error,
    CAST(count(*) - 1 AS double) AS df
  FROM logs
  GROUP BY scenario, cell, target, metric
), compared AS (
  SELECT
    q.scenario, q.cell, q.metric, q.target, q.against, p.environment, p.provenance, p.against_provenance,
    coalesce(a.repeats, 0) AS repeats,
    coalesce(b.repeats, 0) AS against_repeats,
    coalesce(a.loader_saturated, false) AS loader_saturated,
    coalesce(b.loader_saturated, false) AS against_loader_saturated,
    a.mean - b.mean AS log_ratio,
    a.squared_error, a.df, b.squared_error AS against_squared_error, b.df AS against_df
  FROM asked q
  JOIN pairs p ON p.target = q.target AND p.against = q.against
  LEFT JOIN sides a
    ON a.scenario = q.scenario AND a.cell = q.cell AND a.metric = q.metric AND a.target = q.target
  LEFT JOIN sides b
    ON b.scenario = q.scenario AND b.cell = q.cell AND b.metric = q.metric AND b.target = q.against
),
-- include: welch
SELECT
  scenario, cell, metric, target, against, environment, provenance, against_provenance,
  repeats, against_repeats,
  exp(log_ratio) AS ratio,
  exp(low) AS interval_low,
  exp(high) AS interval_high,
  -- means of equal rates may differ in their last digits
  CASE
    WHEN repeats < 2 OR against_repeats < 2 THEN 'not enough repeats'
    WHEN low IS NULL THEN 'not comparable'
    WHEN low > 1E-12 THEN 'higher'
    WHEN high < -1E-12 THEN 'lower'
    ELSE 'no difference shown'
  END AS verdict,
  loader_saturated, against_loader_saturated
FROM answered
ORDER BY scenario, cell, metric, target, against

-- What each cell's rate is of the rate of the suite's base, on the same target.
--
-- A suite names one scenario as its base, of one cell: what costs nothing extra, such as one producer and one consumer
-- without guarantees. Rates are compared as a ratio, on their logarithms, as in comparison.sql: 0.6 says that 40% of
-- the base's rate is gone. Received rates where a cell has consumers, and sent rates where it has none. What a
-- source published is left out, and so is the instrument.
--
-- inputs:  cases, totals
-- columns: scenario, cell, target
--          base             the scenario whose rate is 1
--          metric           consume, or produce of a cell without consumers
--          environment, provenance   emulated where any repeat was, of either
--          repeats, base_repeats     cases that were measured to the end
--          msg_per_s, base_msg_per_s   geometric means of the repeats' rates; null where one is 0 or not known
--          ratio            of these
--          interval_low, interval_high   its 95% interval; null with fewer than 2 repeats of either
--          verdict          higher, lower, no difference shown, not enough repeats, or not comparable: a
--                           repeat's rate is 0 or not known
--          loader_saturated, base_loader_saturated   in any of the repeats: that rate is a lower bound
WITH run_cases AS (
  SELECT
    case_id, scenario, cell, target, provenance, environment, status, base,
    CASE WHEN consumers > 0 THEN 'consume' ELSE 'produce' END AS metric,
    coalesce(flags LIKE '%"loader_saturated"%', false) AS loader_saturated
  FROM cases
  WHERE run_id = ? AND provenance <> 'published' AND target <> 'instrument' AND base IS NOT NULL
), exact AS (
  SELECT case_id, metric, CAST(completed AS double) / nullif(stage_s, 0E0) AS msg_per_s
  FROM totals
  WHERE run_id = ?
), cells AS (
  SELECT
    scenario, cell, target, base, metric,
    min(provenance) AS provenance, -- emulated comes first
    min(environment) AS environment
  FROM run_cases
  GROUP BY scenario, cell, target, base, metric
), metrics AS (
  SELECT metric FROM (VALUES ('produce'), ('consume')) AS m (metric)
), logs AS (
  SELECT
    c.scenario, c.cell, c.target, m.metric, c.provenance, c.loader_saturated,
    ln(CASE WHEN e.msg_per_s > 0E0 THEN e.msg_per_s END) AS log_rate
  FROM run_cases c
  CROSS JOIN metrics m
  LEFT JOIN exact e ON e.case_id = c.case_id AND e.metric = m.metric
  WHERE c.status = 'ok'
), sides AS (
  SELECT
    scenario, cell, target, metric,
    min(provenance) AS provenance,
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
    c.scenario, c.cell, c.target, c.base, c.metric, c.environment,
    least(c.provenance, coalesce(b.provenance, c.provenance)) AS provenance,
    coalesce(a.repeats, 0) AS repeats,
    coalesce(b.repeats, 0) AS base_repeats,
    coalesce(a.loader_saturated, false) AS loader_saturated,
    coalesce(b.loader_saturated, false) AS base_loader_saturated,
    a.mean, b.cell AS base_cell, b.mean AS base_mean,
    a.mean - b.mean AS log_ratio,
    a.squared_error, a.df, b.squared_error AS against_squared_error, b.df AS against_df
  FROM cells c
  LEFT JOIN sides a
    ON a.scenario = c.scenario AND a.cell = c.cell AND a.target = c.target AND a.metric = c.metric
  LEFT JOIN sides b
    ON b.scenario = c.base AND b.target = c.target AND b.metric = c.metric
  WHERE c.scenario <> c.base
),
-- include: welch
SELECT
  scenario, cell, target, base, metric, environment, provenance, repeats, base_repeats,
  exp(mean) AS msg_per_s,
  exp(base_mean) AS base_msg_per_s,
  exp(log_ratio) AS ratio,
  exp(low) AS interval_low,
  exp(high) AS interval_high,
  -- means of equal rates may differ in their last digits
  CASE
    WHEN repeats < 2 OR base_repeats < 2 THEN 'not enough repeats'
    WHEN low IS NULL THEN 'not comparable'
    WHEN low > 1E-12 THEN 'higher'
    WHEN high < -1E-12 THEN 'lower'
    ELSE 'no difference shown'
  END AS verdict,
  loader_saturated, base_loader_saturated
FROM answered
ORDER BY scenario, cell, target, metric, base_cell

-- How far the repeats of a cell agree.
--
-- The interval holds the mean with 95% confidence: mean -+ t x s / sqrt(n), s the standard deviation of n
-- repeats, t the 0.975 quantile of Student's distribution with n - 1 degrees of freedom. Its lower end is
-- held at 0. Percentiles are not averaged: of these the least and the greatest stand here alone. How a
-- percentile is read from the bins is told in latency_percentiles.sql, and is the same here. What a source
-- published is left out: it prints one figure a cell, and that is no repeat of anything measured. So is the
-- instrument.
--
-- inputs:  cases, totals, latencies
-- columns: scenario, cell, target
--          provenance      emulated where any repeat was
--          environment
--          metric          produce, consume, settle, consume_cycle, end_to_end
--          figure          msg_per_s, messages a second; mean_ms, p50_ms, p95_ms, milliseconds
--          repeats         cases that were measured to the end; those that failed are left out
--          mean, least, greatest   over the repeats; null where one of them lacks the figure
--          spread          (greatest - least) / mean, a share; null with fewer than 2 repeats
--          interval_low, interval_high   the 95% interval of the mean; null with fewer than 2 repeats
--          spread_over_10_percent
--          loader_saturated        in any of the repeats: a rate is then a lower bound
WITH run_cases AS (
  SELECT
    case_id, scenario, cell, target, provenance, environment, status, mode, producers, consumers,
    coalesce(flags LIKE '%"loader_saturated"%', false) AS loader_saturated
  FROM cases
  WHERE run_id = ? AND provenance <> 'published' AND target <> 'instrument'
), exact AS (
  SELECT case_id, metric, operations, completed, sum_ns, min_ns, max_ns, nullif(stage_s, 0E0) AS stage_s
  FROM totals
  WHERE run_id = ?
),
-- include: ranked_bins
, percentiles AS (
  SELECT
    case_id, metric,
    CASE WHEN max(samples) - ceil(max(samples) * 500E0 / 1000E0) >= 10E0
      THEN min(value_ns) FILTER (WHERE up_to >= ceil(samples * 500E0 / 1000E0)) END AS p50_ns,
    CASE WHEN max(samples) - ceil(max(samples) * 950E0 / 1000E0) >= 10E0
      THEN min(value_ns) FILTER (WHERE up_to >= ceil(samples * 950E0 / 1000E0)) END AS p95_ns
  FROM ranked
  GROUP BY case_id, metric
), measured AS (
  SELECT
    c.scenario, c.cell, c.target, e.metric,
    coalesce(e.operations, 0) + coalesce(e.completed, 0) > 0 AS happened,
    CAST(e.completed AS double) / e.stage_s AS msg_per_s,
    CAST(e.sum_ns AS double) / nullif(CAST(e.operations AS double), 0E0) / 1E6 AS mean_ms,
    CASE WHEN p.p50_ns IS NOT NULL
      THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p50_ns)) AS double) / 1E6 END AS p50_ms,
    CASE WHEN p.p95_ns IS NOT NULL
      THEN CAST(least(e.max_ns, greatest(e.min_ns, p.p95_ns)) AS double) / 1E6 END AS p95_ms
  FROM run_cases c
  JOIN exact e ON e.case_id = c.case_id
  LEFT JOIN percentiles p ON p.case_id = e.case_id AND p.metric = e.metric
  -- the time in the queue of a load-unload case is the test's own doing
  WHERE c.status = 'ok' AND (e.metric <> 'end_to_end' OR c.mode <> 'load-unload')
), cells AS (
  SELECT
    scenario, cell, target,
    min(provenance) AS provenance, -- emulated comes first
    min(environment) AS environment,
    count(*) FILTER (WHERE status = 'ok') AS repeats,
    coalesce(bool_or(loader_saturated) FILTER (WHERE status = 'ok'), false) AS loader_saturated,
    max(producers) AS producers,
    max(consumers) AS consumers
  FROM run_cases
  GROUP BY scenario, cell, target
), metrics AS (
  -- what was tried has a row, whatever came of it; anything else has one where it happened
  SELECT scenario, cell, target, 'produce' AS metric FROM cells WHERE producers > 0
  UNION
  SELECT scenario, cell, target, 'consume' AS metric FROM cells WHERE consumers > 0
  UNION
  SELECT scenario, cell, target, metric FROM measured WHERE happened
), figures AS (
  SELECT figure, averaged
  FROM (
    VALUES ('msg_per_s', true), ('mean_ms', true), ('p50_ms', false), ('p95_ms', false)
  ) AS f (figure, averaged)
), found AS (
  SELECT
    m.scenario, m.cell, m.target, m.metric, f.figure, f.averaged,
    CASE f.figure WHEN 'msg_per_s' THEN v.msg_per_s WHEN 'mean_ms' THEN v.mean_ms
      WHEN 'p50_ms' THEN v.p50_ms ELSE v.p95_ms END AS reading
  FROM metrics m
  CROSS JOIN figures f
  LEFT JOIN measured v
    ON v.scenario = m.scenario AND v.cell = m.cell AND v.target = m.target AND v.metric = m.metric
), summed AS (
  SELECT
    scenario, cell, target, metric, figure, averaged,
    count(reading) AS known, avg(reading) AS mean, stddev_samp(reading) AS s,
    min(reading) AS least, max(reading) AS greatest
  FROM found
  GROUP BY scenario, cell, target, metric, figure, averaged
), judged AS (
  -- a mean of those that have the figure would speak for the faster or slower ones alone
  SELECT
    c.scenario, c.cell, c.target, c.provenance, c.environment, c.repeats, c.loader_saturated,
    s.metric, s.figure,
    CASE WHEN s.known = c.repeats AND s.averaged THEN s.mean END AS mean,
    CASE WHEN s.known = c.repeats AND s.averaged THEN s.s END AS s,
    CASE WHEN s.known = c.repeats THEN s.least END AS least,
    CASE WHEN s.known = c.repeats THEN s.greatest END AS greatest,
    -- degrees of freedom as tabled, rounded down
    CASE WHEN c.repeats > 100 THEN 100 WHEN c.repeats > 60 THEN 60 WHEN c.repeats > 40 THEN 40
      WHEN c.repeats > 30 THEN 30 ELSE c.repeats - 1 END AS df
  FROM summed s
  JOIN cells c ON c.scenario = s.scenario AND c.cell = s.cell AND c.target = s.target
),
-- include: student_t
, answered AS (
  SELECT
    j.scenario, j.cell, j.target, j.provenance, j.environment, j.metric, j.figure, j.repeats,
    j.mean, j.least, j.greatest, j.loader_saturated,
    CASE WHEN j.repeats > 1 THEN (j.greatest - j.least) / nullif(j.mean, 0E0) END AS spread,
    q.t * j.s / sqrt(CAST(j.repeats AS double)) AS half_width
  FROM judged j
  LEFT JOIN student q ON q.df = j.df
)
SELECT
  scenario, cell, target, provenance, environment, metric, figure, repeats, mean, least, greatest, spread,
  CASE WHEN mean < half_width THEN 0E0 ELSE mean - half_width END AS interval_low,
  mean + half_width AS interval_high,
  coalesce(spread > 1E-1, false) AS spread_over_10_percent,
  loader_saturated
FROM answered
ORDER BY scenario, cell, target, metric, figure

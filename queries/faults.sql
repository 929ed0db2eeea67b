-- What each fault of a case's nodes, or of its calls, did: how far the rates fell, how long they took to recover, what piled up.
--
-- Seconds are whole ones of the measured stage, 0 its first; instants are seconds since its start. A fault's
-- span begins with the second in which it was done and ends where the next fault of the case is due, or with
-- the measured stage: from then on that one may show, even if it is recorded as done later, or as not done when
-- it was done in part. Only seconds that lie in it to their end count. Before it are the last 10 whole seconds.
-- After an earlier fault they begin with the first of 3 in a row in which both rates are at 90% of those before
-- the case's first fault or above, since that node was back, or, where it was not yet, that fault was done. Of
-- fewer than 3 no rate is known. Rates are 0 where nothing was completed; a depth is null where nobody sampled it.
--
-- inputs:  faults, windows, nodes, ledgers, cases
-- columns: case_id, target, provenance, environment
--          number       of the fault within its case, from 1
--          kind, aimed_at, node   what was done, to which node it was to be and was; of calls to which, and
--                       what was before the service
--          for_s        how long the node was to stay so, or calls were to meet it, seconds
--          extent       by how much, in words; null: its kind says all
--          in_sync      whether all replicas were when it was due; null: not known
--          error        why it was not done, or not undone, or what else went wrong
--          was_done     whether it was done
--          due_s, done_s, back_s   when it was due, was done, and the node's process ran again, its alarm was
--                       cleared, its network restored, or no more calls met it; null: never, or nothing was recorded of a measured stage
--          span_end_s   where its span ends; null: it has none
--          produced_before_per_s, consumed_before_per_s   messages completed in a second, mean of those before
--          produced_lowest_per_s, consumed_lowest_per_s   of its span's seconds, the lowest
--          produce_recovery_s, consume_recovery_s   from when it was done to the first of 3 seconds in a row at
--                       90% of the rate before or above, 0 where that second is the fault's own; null: see next
--          produce_low_until_s, consume_low_until_s   from when it was done to the end of its span's last second
--                       below 90% of the rate before; null: none was, or no rate before is known
--          produce_unrecovered, consume_unrecovered   why there is no time to recover
--          backlog_before, backlog_peak   messages in the queues: the most before it, the most in its span
--          backlog_drain_s   from the second of the peak to the first with no more than before; null: see next
--          backlog_undrained   why it is not known how long the backlog took to drain
--          errors       calls that failed in its span, or ended otherwise than well; null: it has none
--          injected_sends, injected_receives, injected_deletes   calls that met it, by the count of what caused
--                       it; receives of a duplicate are copies that were handed out; null: of a node, not known
--          calls_seen   calls that could have met it; of a duplicate messages that were handed out; likewise
--          lost, missing, duplicates, unknown   the whole case's ledger
WITH given AS (
  SELECT
    case_id, number, kind, aimed_at, node, due_s, for_s, extent, done_at_s, back_at_s, in_sync, error,
    injected_sends, injected_receives, injected_deletes, calls_seen
  FROM faults
  WHERE run_id = ?
), around AS (
  SELECT
    f.case_id, f.number,
    min(CASE WHEN o.due_s > f.due_s THEN o.due_s END) AS next_due_s,
    max(
      CASE
        WHEN o.due_s >= f.due_s THEN NULL
        WHEN o.back_at_s <= f.done_at_s THEN o.back_at_s
        ELSE o.done_at_s
      END
    ) AS calm_at_s
  FROM given f
  JOIN given o ON o.case_id = f.case_id
  GROUP BY f.case_id, f.number
), per_second AS (
  -- of cases with a fault alone: of a large run these may be few
  SELECT
    case_id, second, min(stage_started_s) AS started_s,
    CAST(sum(CASE WHEN metric = 'produce' THEN operations ELSE 0 END) AS double) AS produced,
    CAST(sum(CASE WHEN metric = 'consume' THEN operations ELSE 0 END) AS double) AS consumed,
    sum(errors) AS errors
  FROM windows
  WHERE run_id = ? AND stage = 'measure' AND stage_started_s IS NOT NULL
    AND case_id IN (SELECT case_id FROM given)
  GROUP BY case_id, second
), stages AS (
  SELECT case_id, min(started_s) AS started_s, CAST(max(second) AS bigint) AS last_second
  FROM per_second
  GROUP BY case_id
), run_cases AS (
  SELECT case_id, target, provenance, environment, coalesce(produce_s, consume_s) AS stage_s
  FROM cases
  WHERE run_id = ?
), placed AS (
  -- a thousandth: when stages begin, and how long they are, are sums of fractions. Where nobody knows how long
  -- the stage was, its last second may be a part of one
  SELECT
    g.case_id, g.number, g.kind, g.aimed_at, g.node, g.for_s, g.extent, g.in_sync, g.error, g.due_s,
    g.injected_sends, g.injected_receives, g.injected_deletes, g.calls_seen,
    g.done_at_s IS NOT NULL AS was_done,
    g.done_at_s - s.started_s AS done_s, g.back_at_s - s.started_s AS back_s,
    CAST(floor(g.done_at_s - s.started_s + 1E-3) AS bigint) AS done_second,
    CAST(ceil(a.calm_at_s - s.started_s - 1E-3) AS bigint) AS calm_second,
    CAST(floor(a.next_due_s + 1E-3) AS bigint) AS next_second,
    coalesce(CAST(floor(c.stage_s + 1E-3) AS bigint), s.last_second) AS stage_seconds,
    c.target, c.provenance, c.environment
  FROM given g
  JOIN around a ON a.case_id = g.case_id AND a.number = g.number
  LEFT JOIN stages s ON s.case_id = g.case_id
  LEFT JOIN run_cases c ON c.case_id = g.case_id
), spans AS (
  SELECT
    case_id, number, done_s, done_second,
    greatest(CASE WHEN next_second < stage_seconds THEN next_second ELSE stage_seconds END, done_second)
      AS end_second,
    CASE
      WHEN calm_second > done_second - 10 AND calm_second > 0 THEN least(calm_second, done_second)
      WHEN done_second > 10 THEN done_second - 10
      ELSE 0
    END AS first_second,
    calm_second IS NOT NULL AS is_later
  FROM placed
  WHERE done_second >= 0 AND done_second < stage_seconds
), seconds AS (
  -- thousands and units apart: one sequence may hold 10,000 entries at most
  SELECT
    p.case_id, p.number, p.done_s, p.done_second, p.end_second, p.is_later,
    p.first_second + 1000 * thousands.k + units.k AS second
  FROM spans p
  CROSS JOIN UNNEST(
    sequence(0, CAST(floor(CAST(p.end_second - p.first_second AS double) / 1000E0) AS bigint))
  ) AS thousands (k)
  CROSS JOIN UNNEST(
    sequence(0, least(999, p.end_second - p.first_second - 1000 * thousands.k))
  ) AS units (k)
), depths AS (
  -- of the second that most of it lies in, as in nodes_over_time.sql; the same in the rows of each node
  SELECT n.case_id, CAST(floor(n.at_s - 5E-1 - s.started_s) AS bigint) AS second, max(n.depth) AS depth
  FROM (
    SELECT case_id, at_s, depth
    FROM nodes
    WHERE run_id = ? AND at_s IS NOT NULL AND depth IS NOT NULL
  ) n
  JOIN stages s ON s.case_id = n.case_id
  GROUP BY n.case_id, CAST(floor(n.at_s - 5E-1 - s.started_s) AS bigint)
), sides AS (
  SELECT
    t.case_id, t.number, t.done_s, t.second, t.is_later,
    t.second < t.done_second AS is_before,
    t.second >= t.done_second AND t.second < t.end_second AS is_within,
    coalesce(r.produced, 0E0) AS produced, coalesce(r.consumed, 0E0) AS consumed,
    coalesce(r.errors, 0) AS errors, d.depth
  FROM seconds t
  LEFT JOIN per_second r ON r.case_id = t.case_id AND r.second = t.second
  LEFT JOIN depths d ON d.case_id = t.case_id AND d.second = t.second
), firsts AS (
  -- what is before a later fault is held against the rates before any
  SELECT
    case_id, number, done_s, second, is_before, is_within, is_later, produced, consumed, errors, depth,
    avg(CASE WHEN is_before AND NOT is_later THEN produced END) OVER (PARTITION BY case_id) AS produced_first,
    avg(CASE WHEN is_before AND NOT is_later THEN consumed END) OVER (PARTITION BY case_id) AS consumed_first,
    max(CASE WHEN is_before AND NOT is_later THEN second END) OVER (PARTITION BY case_id)
      - min(CASE WHEN is_before AND NOT is_later THEN second END) OVER (PARTITION BY case_id) AS first_span
  FROM sides
), again AS (
  SELECT
    case_id, number, done_s, second, is_before, is_within, is_later, produced, consumed, errors, depth,
    is_before AND first_span >= 2
      AND produced >= 9E-1 * (1E0 - 1E-12) * produced_first
      AND consumed >= 9E-1 * (1E0 - 1E-12) * consumed_first AS is_well
  FROM firsts
), in_a_row AS (
  SELECT
    case_id, number, done_s, second, is_before, is_within, is_later, produced, consumed, errors, depth,
    is_well
      AND lead(is_well, 1) OVER (PARTITION BY case_id, number ORDER BY second)
      AND lead(is_well, 2) OVER (PARTITION BY case_id, number ORDER BY second) AS begins_three
  FROM again
), calm AS (
  SELECT
    case_id, number, done_s, second, is_within, produced, consumed, errors, depth,
    is_before AND (
      NOT is_later
      OR coalesce(
        second >= min(CASE WHEN begins_three THEN second END) OVER (PARTITION BY case_id, number), FALSE
      )
    ) AS is_before
  FROM in_a_row
), levels AS (
  SELECT
    case_id, number, done_s, second, is_within, produced, consumed, errors, depth,
    sum(CASE WHEN is_before THEN 1 ELSE 0 END) OVER (PARTITION BY case_id, number) AS seconds_before,
    sum(CASE WHEN is_before THEN produced ELSE 0E0 END) OVER (PARTITION BY case_id, number) AS produced_sum,
    sum(CASE WHEN is_before THEN consumed ELSE 0E0 END) OVER (PARTITION BY case_id, number) AS consumed_sum,
    max(CASE WHEN is_before THEN depth END) OVER (PARTITION BY case_id, number) AS backlog_before,
    max(CASE WHEN is_within THEN depth END) OVER (PARTITION BY case_id, number) AS backlog_peak
  FROM calm
), judged AS (
  -- a part in 10^12: what is 90% to the last digit but one is 90%
  SELECT
    case_id, number, done_s, second, is_within, produced, consumed, errors, depth, seconds_before,
    CASE WHEN seconds_before >= 3 THEN produced_sum / CAST(seconds_before AS double) END AS produced_before,
    CASE WHEN seconds_before >= 3 THEN consumed_sum / CAST(seconds_before AS double) END AS consumed_before,
    backlog_before, backlog_peak,
    is_within AND produced * CAST(seconds_before AS double) >= 9E-1 * (1E0 - 1E-12) * produced_sum AS produces,
    is_within AND consumed * CAST(seconds_before AS double) >= 9E-1 * (1E0 - 1E-12) * consumed_sum AS consumes,
    min(CASE WHEN is_within AND depth = backlog_peak THEN second END) OVER (PARTITION BY case_id, number)
      AS peak_second
  FROM levels
), runs AS (
  SELECT
    case_id, number, done_s, second, is_within, produced, consumed, errors, depth, seconds_before,
    produced_before, consumed_before, backlog_before, backlog_peak, peak_second, produces, consumes,
    lead(produces, 1) OVER (PARTITION BY case_id, number ORDER BY second) AS produces_next,
    lead(produces, 2) OVER (PARTITION BY case_id, number ORDER BY second) AS produces_third,
    lead(consumes, 1) OVER (PARTITION BY case_id, number ORDER BY second) AS consumes_next,
    lead(consumes, 2) OVER (PARTITION BY case_id, number ORDER BY second) AS consumes_third
  FROM judged
), figures AS (
  SELECT
    case_id, number, max(seconds_before) AS seconds_before,
    max(produced_before) AS produced_before, max(consumed_before) AS consumed_before,
    min(CASE WHEN is_within THEN produced END) AS produced_lowest,
    min(CASE WHEN is_within THEN consumed END) AS consumed_lowest,
    min(CASE WHEN produces AND produces_next AND produces_third THEN CAST(second AS double) END) - max(done_s)
      AS produce_recovery_s,
    min(CASE WHEN consumes AND consumes_next AND consumes_third THEN CAST(second AS double) END) - max(done_s)
      AS consume_recovery_s,
    max(CASE WHEN is_within AND NOT produces THEN CAST(second + 1 AS double) END) - max(done_s)
      AS produce_low_until_s,
    max(CASE WHEN is_within AND NOT consumes THEN CAST(second + 1 AS double) END) - max(done_s)
      AS consume_low_until_s,
    max(backlog_before) AS backlog_before, max(backlog_peak) AS backlog_peak,
    CAST(
      min(CASE WHEN is_within AND second >= peak_second AND depth <= backlog_before THEN second END)
      - max(peak_second) AS double
    ) AS backlog_drain_s,
    CAST(sum(CASE WHEN is_within THEN errors ELSE 0 END) AS bigint) AS errors
  FROM runs
  GROUP BY case_id, number
), rows_of_faults AS (
  SELECT
    p.case_id, p.target, p.provenance, p.environment, p.number, p.kind, p.aimed_at, p.node, p.for_s, p.extent, p.in_sync,
    p.error, p.was_done, p.due_s, p.done_s, p.back_s,
    p.injected_sends, p.injected_receives, p.injected_deletes, p.calls_seen,
    CAST(CASE WHEN p.next_second < p.stage_seconds THEN p.next_second ELSE p.stage_seconds END AS double)
      AS span_end_s,
    CASE WHEN f.produced_before > 0E0 AND f.produce_recovery_s < 0E0 THEN 0E0
      WHEN f.produced_before > 0E0 THEN f.produce_recovery_s END AS produce_recovery_s,
    CASE WHEN f.consumed_before > 0E0 AND f.consume_recovery_s < 0E0 THEN 0E0
      WHEN f.consumed_before > 0E0 THEN f.consume_recovery_s END AS consume_recovery_s,
    CASE WHEN f.produced_before > 0E0 THEN f.produce_low_until_s END AS produce_low_until_s,
    CASE WHEN f.consumed_before > 0E0 THEN f.consume_low_until_s END AS consume_low_until_s,
    CASE
      WHEN NOT p.was_done THEN 'it was not done'
      WHEN p.done_s IS NULL THEN 'nothing was recorded of a measured stage'
      WHEN f.case_id IS NULL THEN 'it was done outside the measured stage'
      WHEN f.produced_lowest IS NULL THEN 'the next fault was due by then'
      WHEN f.seconds_before < 3 THEN 'fewer than 3 undisturbed seconds were measured before it'
    END AS nothing_known,
    CASE
      WHEN p.next_second < p.stage_seconds THEN 'not before the next fault was due'
      ELSE 'not before the measured stage ended'
    END AS not_in_time,
    f.produced_before, f.produced_lowest, f.consumed_before, f.consumed_lowest,
    f.backlog_before, f.backlog_peak, f.backlog_drain_s, f.errors
  FROM placed p
  LEFT JOIN figures f ON f.case_id = p.case_id AND f.number = p.number
), run_ledgers AS (
  SELECT case_id, lost, missing, duplicates, unknown
  FROM ledgers
  WHERE run_id = ?
)
SELECT
  t.case_id, t.target, t.provenance, t.environment, t.number, t.kind, t.aimed_at, t.node, t.for_s, t.extent, t.in_sync,
  t.error, t.was_done, t.due_s, t.done_s, t.back_s,
  CASE WHEN t.produced_lowest IS NOT NULL THEN t.span_end_s END AS span_end_s,
  t.produced_before AS produced_before_per_s, t.produced_lowest AS produced_lowest_per_s,
  t.produce_recovery_s, t.produce_low_until_s,
  CASE
    WHEN t.produce_recovery_s IS NOT NULL THEN NULL
    WHEN t.nothing_known IS NOT NULL THEN t.nothing_known
    WHEN t.produced_before = 0E0 THEN 'nothing was produced before it'
    ELSE t.not_in_time
  END AS produce_unrecovered,
  t.consumed_before AS consumed_before_per_s, t.consumed_lowest AS consumed_lowest_per_s,
  t.consume_recovery_s, t.consume_low_until_s,
  CASE
    WHEN t.consume_recovery_s IS NOT NULL THEN NULL
    WHEN t.nothing_known IS NOT NULL THEN t.nothing_known
    WHEN t.consumed_before = 0E0 THEN 'nothing was consumed before it'
    ELSE t.not_in_time
  END AS consume_unrecovered,
  t.backlog_before, t.backlog_peak, t.backlog_drain_s,
  CASE
    WHEN t.backlog_drain_s IS NOT NULL THEN NULL
    WHEN t.produced_lowest IS NULL THEN t.nothing_known
    WHEN t.backlog_peak IS NULL THEN 'nobody counted the messages in the queues'
    WHEN t.backlog_before IS NULL THEN 'nobody counted the messages in the queues before it'
    ELSE t.not_in_time
  END AS backlog_undrained,
  CASE WHEN t.produced_lowest IS NOT NULL THEN t.errors END AS errors,
  t.injected_sends, t.injected_receives, t.injected_deletes, t.calls_seen,
  l.lost, l.missing, l.duplicates, l.unknown
FROM rows_of_faults t
LEFT JOIN run_ledgers l ON l.case_id = t.case_id
ORDER BY t.case_id, t.number

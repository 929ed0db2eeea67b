-- What became of every message.
--
-- inputs:  ledgers, cases
-- columns: case_id, target, provenance, environment
--          sent, confirmed, returned, nacked, unknown   messages, by what their sender was told
--          received, missing, left_in_queue             messages, by what the drain found
--          lost           confirmed and missing; null when it cannot be known
--          duplicates, redelivered, out_of_order, unexpected   copies in hand
--          closed         the drain ended with nothing missing
--          queue_count    what the target said is in the queues; null: not asked, as all was received
--          queue_count_exact, queue_count_steady   whether that is a count, or an estimate; whether it
--                         stayed the same when it was asked for again
--          outcomes_add_up     sent = confirmed + returned + nacked + unknown
--          deliveries_add_up   sent = received + missing + left_in_queue
--          (false too where a term is not known)
WITH run_ledgers AS (
  SELECT
    case_id, sent, confirmed, returned, nacked, unknown, received, missing, left_in_queue, lost,
    duplicates, redelivered, out_of_order, unexpected, closed,
    queue_count, queue_count_exact, queue_count_steady
  FROM ledgers
  WHERE run_id = ?
), run_cases AS (
  SELECT case_id, target, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  l.case_id, c.target, c.provenance, c.environment,
  l.sent, l.confirmed, l.returned, l.nacked, l.unknown, l.received, l.missing, l.left_in_queue, l.lost,
  l.duplicates, l.redelivered, l.out_of_order, l.unexpected, l.closed,
  l.queue_count, l.queue_count_exact, l.queue_count_steady,
  coalesce(l.sent = l.confirmed + l.returned + l.nacked + l.unknown, false) AS outcomes_add_up,
  coalesce(l.sent = l.received + l.missing + l.left_in_queue, false) AS deliveries_add_up
FROM run_ledgers l
LEFT JOIN run_cases c ON c.case_id = l.case_id
ORDER BY l.case_id

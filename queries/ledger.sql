-- What became of every message.
--
-- inputs:  ledgers, cases
-- columns: case_id, target, provenance, environment
--          sent, confirmed, returned, nacked, unknown   messages, by what their sender was told
--          received, missing, left_in_queue             messages, by what the drain found
--          lost           confirmed and missing; null when a loader ended without its ledger
--          duplicates, redelivered, out_of_order, unexpected   copies in hand
--          closed         the drain ended with nothing missing
--          outcomes_add_up     sent = confirmed + returned + nacked + unknown
--          deliveries_add_up   sent = received + missing + left_in_queue
--          (false too where a term is not known)
WITH run_ledgers AS (
  SELECT
    case_id, sent, confirmed, returned, nacked, unknown, received, missing, left_in_queue, lost,
    duplicates, redelivered, out_of_order, unexpected, closed
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
  coalesce(l.sent = l.confirmed + l.returned + l.nacked + l.unknown, false) AS outcomes_add_up,
  coalesce(l.sent = l.received + l.missing + l.left_in_queue, false) AS deliveries_add_up
FROM run_ledgers l
LEFT JOIN run_cases c ON c.case_id = l.case_id
ORDER BY l.case_id

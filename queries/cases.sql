-- Which cases the run had, and what became of each.
--
-- inputs:  cases
-- columns: those of cases: one row a case, settled or failed; message_bytes in bytes, produce_s and
--          consume_s in seconds, mirrors_before, mirrors_after, flags, flag_evidence,
--          call_errors, parameters, printed and instrument as JSON text; base a scenario
SELECT
  case_id, scenario, cell, target, repeat, variant, provenance, environment, status, reason,
  mode, producers, consumers, queues, message_bytes, messages, loaders, started_at, produce_s, consume_s,
  mirrors_before, mirrors_after, flags, flag_evidence, call_errors,
  parameters, printed, instrument, base
FROM cases
WHERE run_id = ?
ORDER BY case_id

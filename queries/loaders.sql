-- What each loader measured of itself: whether it was the limit.
--
-- inputs:  loaders, cases
-- columns: case_id, target, loader, stage
--          cpu_share      cores that its process used, whose threads share one interpreter
--          lag_p99_ms     how late a sleeping thread of it woke, 99th percentile, milliseconds
--          offered, achieved   open loop: messages due within the stage, and handed over within it
--          pacing_p99_ms  how late they were handed over, waiting for room in the window apart
--          blocked_share  of the stage: a message was due and the window was full
--          others_share   of its host's processor time: used by other programs than the run's
--          steal_share, idle_share   of the same: withheld by the hypervisor, and not used
--          work_before_ms, work_after_ms   what a fixed piece of work took on its host before the case and after it
--          saturated, evidence   whether its figures are a lower bound, and why
--          zone, zone_unknown   availability zone, or why it is not known
--          runtime, openssl     releases of Python and OpenSSL
--          fallback       why the general path drove what is the core's; null where it did not
WITH run_cases AS (
  SELECT case_id, target
  FROM cases
  WHERE run_id = ?
), run_loaders AS (
  SELECT
    case_id, loader, stage, cpu_share, lag_p99_ms, offered, achieved, pacing_p99_ms, blocked_share,
    others_share, steal_share, idle_share, work_before_ms, work_after_ms, saturated, evidence, zone,
    zone_unknown, runtime, openssl, fallback
  FROM loaders
  WHERE run_id = ?
)
SELECT
  l.case_id, c.target, l.loader, l.stage, l.cpu_share, l.lag_p99_ms, l.offered, l.achieved,
  l.pacing_p99_ms, l.blocked_share, l.others_share, l.steal_share, l.idle_share,
  l.work_before_ms, l.work_after_ms, l.saturated, l.evidence,
  l.zone, l.zone_unknown, l.runtime, l.openssl, l.fallback
FROM run_loaders l
LEFT JOIN run_cases c ON c.case_id = l.case_id
ORDER BY l.case_id, l.stage, l.loader

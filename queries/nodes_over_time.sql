-- How the nodes fared, second by second, beside the rate of the same case.
--
-- One axis for each case: whole seconds since its first stage began, up to the last one in which a loader
-- counted anything or a node was sampled. A stage that begins within a second counts from that second on; a
-- sample is of the second that most of it lies in. Rates are 0 where nothing was completed, and the same in the
-- rows of each of a case's nodes; figures of a node are null where it was not sampled.
--
-- inputs:  windows, nodes, cases
-- columns: case_id, target, provenance, environment
--          node         null: none was sampled
--          second       on the case's axis
--          produced_per_s, consumed_per_s   messages completed in that second, in all stages and by all loaders
--          taken        of what the node's figures are: process tree (of its processes); null: not known
--          cpu_cores, user_cores, system_cores   cores used: in all, in programs, in the kernel
--          iowait_cores, steal_cores   cores that waited for disks, that the hypervisor withheld
--          host_cores   of the node's host
--          resident_bytes   memory
--          read_bytes_per_s, written_bytes_per_s, disk_operations_per_s, disk_busy_share   disks
--          received_bytes_per_s, sent_bytes_per_s   network
--          peer_received_bytes_per_s, peer_sent_bytes_per_s   of it, between nodes: the broker's figure
--          memory_bytes, memory_limit_bytes, disk_free_bytes, file_descriptors, alarms   the broker's figures
--          ready, unacknowledged, depth   messages in the case's queues, the same in the rows of each node
--          unknown      what is null, and why
WITH counted AS (
  -- one pass over what all loaders wrote; the rest is of a row a second
  SELECT
    case_id, stage_started_s, second,
    CAST(sum(CASE WHEN metric = 'produce' THEN operations ELSE 0 END) AS bigint) AS produced,
    CAST(sum(CASE WHEN metric = 'consume' THEN operations ELSE 0 END) AS bigint) AS consumed
  FROM windows
  WHERE run_id = ? AND stage_started_s IS NOT NULL
  GROUP BY case_id, stage_started_s, second
), origins AS (
  SELECT case_id, min(stage_started_s) AS origin_s
  FROM counted
  GROUP BY case_id
), rates AS (
  -- a thousandth: when stages begin are sums of fractions
  SELECT
    c.case_id, CAST(floor(c.stage_started_s - o.origin_s + 1E-3) AS bigint) + c.second AS second,
    CAST(sum(c.produced) AS double) AS produced_per_s,
    CAST(sum(c.consumed) AS double) AS consumed_per_s
  FROM counted c
  JOIN origins o ON o.case_id = c.case_id
  GROUP BY c.case_id, CAST(floor(c.stage_started_s - o.origin_s + 1E-3) AS bigint) + c.second
), sampled AS (
  SELECT
    case_id, node, at_s, taken, cpu_cores, user_cores, system_cores, iowait_cores, steal_cores, host_cores,
    resident_bytes, read_bytes_per_s, written_bytes_per_s, disk_operations_per_s, disk_busy_share,
    received_bytes_per_s, sent_bytes_per_s, peer_received_bytes_per_s, peer_sent_bytes_per_s, memory_bytes,
    memory_limit_bytes, disk_free_bytes, file_descriptors, alarms, ready, unacknowledged, depth, unknown
  FROM nodes
  WHERE run_id = ? AND at_s IS NOT NULL
), placed AS (
  -- where one call of the watch follows another, two samples may be of the same second: the later one counts
  SELECT
    s.case_id, s.node, CAST(floor(s.at_s - 5E-1 - o.origin_s) AS bigint) AS second, max(s.at_s) AS at_s
  FROM sampled s
  JOIN origins o ON o.case_id = s.case_id
  WHERE s.at_s - 5E-1 >= o.origin_s
  GROUP BY s.case_id, s.node, CAST(floor(s.at_s - 5E-1 - o.origin_s) AS bigint)
), lengths AS (
  SELECT case_id, max(second) AS last_second
  FROM (
    SELECT case_id, second FROM rates
    UNION ALL
    SELECT case_id, second FROM placed
  ) seen
  GROUP BY case_id
), seconds AS (
  -- thousands and units apart: one sequence may hold 10,000 entries at most
  SELECT l.case_id, 1000 * thousands.k + units.k AS second
  FROM lengths l
  CROSS JOIN UNNEST(sequence(0, CAST(floor(CAST(l.last_second AS double) / 1000E0) AS bigint))) AS thousands (k)
  CROSS JOIN UNNEST(sequence(0, least(999, l.last_second - 1000 * thousands.k))) AS units (k)
), case_nodes AS (
  SELECT case_id, node
  FROM placed
  GROUP BY case_id, node
), run_cases AS (
  SELECT case_id, target, provenance, environment
  FROM cases
  WHERE run_id = ?
)
SELECT
  t.case_id, c.target, c.provenance, c.environment, n.node, t.second,
  coalesce(r.produced_per_s, 0E0) AS produced_per_s, coalesce(r.consumed_per_s, 0E0) AS consumed_per_s,
  s.taken, s.cpu_cores, s.user_cores, s.system_cores, s.iowait_cores, s.steal_cores, s.host_cores,
  s.resident_bytes, s.read_bytes_per_s, s.written_bytes_per_s, s.disk_operations_per_s, s.disk_busy_share,
  s.received_bytes_per_s, s.sent_bytes_per_s, s.peer_received_bytes_per_s, s.peer_sent_bytes_per_s,
  s.memory_bytes, s.memory_limit_bytes, s.disk_free_bytes, s.file_descriptors, s.alarms,
  s.ready, s.unacknowledged, s.depth, s.unknown
FROM seconds t
LEFT JOIN case_nodes n ON n.case_id = t.case_id
LEFT JOIN placed p ON p.case_id = t.case_id AND p.node = n.node AND p.second = t.second
LEFT JOIN sampled s ON s.case_id = p.case_id AND s.node = p.node AND s.at_s = p.at_s
LEFT JOIN rates r ON r.case_id = t.case_id AND r.second = t.second
LEFT JOIN run_cases c ON c.case_id = t.case_id
ORDER BY t.case_id, n.node, t.second

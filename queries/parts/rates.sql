-- The rates of charts and maps: 12 a decade from 0.1 to 100,000 messages a second, and the one asked for.
--
-- Takes asked (question_id, option_id, messages_per_cluster, hours_per_month, asked_messages): what is priced at them.
rates AS (
  SELECT power(1E1, CAST(s.k AS double) / 12E0 - 1E0) AS msg_per_s
  FROM UNNEST(sequence(0, 72)) AS s (k)
), wanted AS (
  SELECT
    o.question_id, o.option_id, o.messages_per_cluster,
    r.msg_per_s * 3600E0 * o.hours_per_month AS messages,
    r.msg_per_s * 3600E0 * o.hours_per_month AS to_messages
  FROM asked o
  CROSS JOIN rates r
  UNION
  SELECT question_id, option_id, messages_per_cluster, asked_messages, asked_messages
  FROM asked
  WHERE asked_messages > 0E0
)

-- What each option costs a month, over the traffic.
--
-- Points of both cost curves of each question, 12 a decade from 0.1 to 10,000 messages a second. A point
-- outside the priced range, or of a question with a price that is not known, is left out.
--
-- inputs:  cost_inputs, prices
-- columns: question_id, book
--          msg_per_s            messages a second as a monthly mean
--          messages_per_month
--          sqs_usd              US dollars a month
--          rabbitmq_usd         US dollars a month: the nodes by the hour and their volumes
WITH questions AS (
  SELECT
    question_id, book, sqs_item, calls_per_message, free_requests, instance_type,
    CAST(nodes AS double) AS nodes, volume_item, coalesce(volume_gb, 0E0) AS volume_gb, hours_per_month
  FROM cost_inputs
  WHERE run_id = ?
), book_prices AS (
  SELECT book, service, item, tier_from, tier_to, usd
  FROM prices
  WHERE run_id = ?
), rabbitmq AS (
  SELECT
    q.question_id,
    q.nodes * (i.usd * q.hours_per_month
      + CASE WHEN q.volume_item IS NULL THEN 0E0 ELSE v.usd * q.volume_gb END) AS usd
  FROM questions q
  JOIN book_prices i ON i.book = q.book AND i.service = 'ec2' AND i.item = q.instance_type
  LEFT JOIN book_prices v ON v.book = q.book AND v.service = 'ebs' AND v.item = q.volume_item
), points AS (
  SELECT
    q.question_id, q.book, q.sqs_item, r.msg_per_s,
    r.msg_per_s * 3600E0 * q.hours_per_month AS messages,
    -- the free requests are used up before the first tier
    greatest(0E0, r.msg_per_s * 3600E0 * q.hours_per_month * q.calls_per_message - q.free_requests) AS billed
  FROM questions q
  CROSS JOIN (
    SELECT power(1E1, CAST(k AS double) / 12E0 - 1E0) AS msg_per_s
    FROM UNNEST(sequence(0, 60)) AS steps (k)
  ) r
), sqs AS (
  SELECT
    p.question_id, p.book, p.msg_per_s, p.messages,
    sum(greatest(0E0, least(p.billed, coalesce(t.tier_to, p.billed)) - t.tier_from) * t.usd) AS usd
  FROM points p
  JOIN book_prices t ON t.book = p.book AND t.service = 'sqs' AND t.item = p.sqs_item
  GROUP BY p.question_id, p.book, p.msg_per_s, p.messages, p.billed
  HAVING count(t.usd) = count(*) AND p.billed <= max(coalesce(t.tier_to, p.billed))
)
SELECT s.question_id, s.book, s.msg_per_s, s.messages AS messages_per_month, s.usd AS sqs_usd, r.usd AS rabbitmq_usd
FROM sqs s
JOIN rabbitmq r ON r.question_id = s.question_id
WHERE r.usd IS NOT NULL
ORDER BY s.question_id, s.msg_per_s

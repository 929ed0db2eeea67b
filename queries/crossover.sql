-- At what traffic Amazon SQS and the RabbitMQ cluster cost the same.
--
-- First form: SQS by its tiers, after the free requests, against nodes and volumes by the hour, which cost
-- the same at any traffic. SQS never gets cheaper with more traffic, so the rates at which the two are
-- equal are none, one, or (where a tier is free) all rates of one interval. One row a question, always.
--
-- inputs:  cost_inputs, prices
-- columns: question_id, book
--          kind                   meet: equal at one rate; tie: from msg_per_s to equal_until_msg_per_s;
--                                 never: not in the priced range; unpriced: a price is not known
--          msg_per_s              messages a second as a monthly mean; the lowest at which they are equal
--          equal_until_msg_per_s  the highest at which they are equal; null with a tie: no end
--          messages_per_month, messages_per_hour   of msg_per_s
--          usd_per_month          US dollars a month that both cost there
--          calls_per_message      billed requests a message
--          cheaper_below, cheaper_above   sqs or rabbitmq, on either side of the equal rates; null: no such side
--          capacity               what is known of the cluster's capacity at that rate
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
    q.question_id, q.book, q.sqs_item, q.calls_per_message, q.free_requests, q.hours_per_month,
    q.nodes * (i.usd * q.hours_per_month
      + CASE WHEN q.volume_item IS NULL THEN 0E0 ELSE v.usd * q.volume_gb END) AS usd
  FROM questions q
  LEFT JOIN book_prices i ON i.book = q.book AND i.service = 'ec2' AND i.item = q.instance_type
  LEFT JOIN book_prices v ON v.book = q.book AND v.service = 'ebs' AND v.item = q.volume_item
), tiers AS (
  SELECT
    book, item, tier_from, tier_to, usd,
    coalesce(sum((tier_to - tier_from) * usd) OVER (
      PARTITION BY book, item ORDER BY tier_from ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0E0) AS usd_before
  FROM book_prices
  WHERE service = 'sqs'
), pieces AS (
  -- stretches of requests a month over which the next request costs the same: the free ones, then each tier
  SELECT question_id, 0E0 AS from_requests, free_requests AS to_requests, 0E0 AS usd, 0E0 AS usd_from
  FROM rabbitmq
  UNION ALL
  SELECT r.question_id, r.free_requests + t.tier_from, r.free_requests + t.tier_to, t.usd, t.usd_before
  FROM rabbitmq r
  LEFT JOIN tiers t ON t.book = r.book AND t.item = r.sqs_item
), compared AS (
  -- Sums of doubles that should be equal may differ in their last digits: a part in 10^12 counts as equal.
  -- A piece without an end is told from one at whose end the cost is known.
  SELECT
    p.question_id, p.from_requests, p.to_requests, p.usd, p.usd_from, r.usd AS line_usd,
    p.usd_from <= r.usd * (1E0 + 1E-12) AS starts_at_or_below,
    p.usd_from >= r.usd * (1E0 - 1E-12) AS starts_at_or_above,
    coalesce(p.usd_from + (p.to_requests - p.from_requests) * p.usd >= r.usd * (1E0 - 1E-12), p.usd > 0E0)
      AS ends_at_or_above,
    coalesce(p.usd_from + (p.to_requests - p.from_requests) * p.usd <= r.usd * (1E0 + 1E-12), false)
      AS ends_at_or_below
  FROM pieces p
  JOIN rabbitmq r ON r.question_id = p.question_id
), equal_pieces AS (
  -- where, within its piece, SQS costs what the cluster does: one count of requests, or the whole of a free piece
  SELECT
    question_id,
    CASE
      WHEN starts_at_or_above THEN from_requests
      WHEN ends_at_or_below THEN to_requests
      ELSE from_requests + (line_usd - usd_from) / usd
    END AS first_requests,
    CASE
      WHEN usd = 0E0 THEN to_requests
      WHEN starts_at_or_above THEN from_requests
      WHEN ends_at_or_below THEN to_requests
      ELSE from_requests + (line_usd - usd_from) / usd
    END AS last_requests
  FROM compared
  WHERE starts_at_or_below AND (ends_at_or_above OR starts_at_or_above)
), equal_range AS (
  SELECT
    question_id,
    min(first_requests) AS first_requests,
    CASE WHEN count(last_requests) = count(*) THEN max(last_requests) END AS last_requests
  FROM equal_pieces
  GROUP BY question_id
), priced AS (
  SELECT
    question_id,
    count(*) = count(usd) AND count(line_usd) > 0 AS known,
    CASE WHEN count(to_requests) = count(*) THEN max(to_requests) END AS end_requests
  FROM compared
  GROUP BY question_id
), answers AS (
  SELECT
    r.question_id, r.book, r.usd, r.calls_per_message, r.hours_per_month, e.first_requests, e.last_requests,
    CASE
      WHEN NOT p.known OR coalesce(r.calls_per_message * r.hours_per_month, 0E0) <= 0E0 THEN 'unpriced'
      WHEN e.question_id IS NULL THEN 'never'
      WHEN e.last_requests = e.first_requests THEN 'meet'
      ELSE 'tie'
    END AS kind,
    coalesce(e.last_requests < p.end_requests, e.last_requests IS NOT NULL) AS goes_on
  FROM rabbitmq r
  JOIN priced p ON p.question_id = r.question_id
  LEFT JOIN equal_range e ON e.question_id = r.question_id
), rates AS (
  SELECT
    question_id, book, kind, usd, calls_per_message, hours_per_month, goes_on,
    CASE WHEN kind IN ('meet', 'tie') THEN first_requests / nullif(calls_per_message, 0E0) END AS messages,
    CASE WHEN kind IN ('meet', 'tie') THEN last_requests / nullif(calls_per_message, 0E0) END AS last_messages
  FROM answers
)
SELECT
  question_id, book, kind,
  messages / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
  last_messages / nullif(hours_per_month * 3600E0, 0E0) AS equal_until_msg_per_s,
  messages AS messages_per_month,
  messages / nullif(hours_per_month, 0E0) AS messages_per_hour,
  CASE WHEN kind IN ('meet', 'tie') THEN usd END AS usd_per_month,
  calls_per_message,
  CASE WHEN kind = 'never' OR messages > 0E0 THEN 'sqs' END AS cheaper_below,
  CASE WHEN kind = 'never' THEN 'sqs' WHEN kind IN ('meet', 'tie') AND goes_on THEN 'rabbitmq' END AS cheaper_above,
  'capacity on EC2 not measured' AS capacity
FROM rates
ORDER BY question_id

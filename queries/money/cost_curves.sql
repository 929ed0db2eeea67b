-- What each option costs a month, over the traffic.
--
-- 12 points a decade from 0.1 to 100,000 messages a second, and the rate that was asked for. A point for which a
-- price is not known is left out.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, option_id, book
--          msg_per_s            messages a second as a monthly mean
--          messages_per_month
--          asked                whether this is the rate that was asked for
--          clusters             clusters that carry it; 1 where their capacity is not known
--          usd                  US dollars a month
--          usd_per_1000_msg_per_s   US dollars a month for each 1000 messages a second
WITH
-- include: cost_model
, asked AS (
  SELECT question_id, option_id, messages_per_cluster, hours_per_month, asked_messages
  FROM options
  WHERE purpose IN ('headline', 'history')
),
-- include: rates
,
-- include: costs
SELECT
  c.question_id, c.option_id, o.book,
  c.messages / (o.hours_per_month * 3600E0) AS msg_per_s,
  c.messages AS messages_per_month,
  coalesce(c.messages = o.asked_messages, false) AS asked,
  c.clusters, c.usd,
  c.usd / (c.messages / (o.hours_per_month * 3600E0)) * 1E3 AS usd_per_1000_msg_per_s
FROM costs c
JOIN options o ON o.question_id = c.question_id AND o.option_id = c.option_id
WHERE c.usd IS NOT NULL
ORDER BY c.question_id, c.option_id, c.messages

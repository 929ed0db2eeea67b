-- The cheapest option for each traffic and each amount of people's work.
--
-- At equal service: the self-hosted options of a map share their nodes, copies and zones, and differ in instance
-- type; the cheapest of them at a rate stands for all (their lower envelope). Amazon MQ, where it stands beside, has
-- the hours that its bill has, whatever self-hosting takes. Each of SQS's prices has a map of its own. A tie goes to
-- SQS, and one of the others to self-hosting.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book      the question that the map belongs to
--          sqs_option             the SQS price that the self-hosted options are set against
--          msg_per_s              messages a second as a monthly mean
--          hours                  hours of people's work a month that self-hosting takes
--          cheapest               the option that costs least
--          usd                    US dollars a month that it costs
--          best_other             the self-hosted option that costs least
--          sqs_usd, other_usd     US dollars a month of SQS, and of best_other with those hours
--          clusters               of best_other
WITH
-- include: cost_model
, asked AS (
  SELECT question_id, option_id, messages_per_cluster, hours_per_month, asked_messages
  FROM options
  WHERE purpose = 'map'
),
-- include: rates
,
-- include: costs
, priced AS (
  SELECT
    c.question_id, o.base_id, o.book, c.option_id, o.side, o.hour_rate, o.hours_per_month, c.messages, c.clusters, c.usd
  FROM costs c
  JOIN options o ON o.question_id = c.question_id AND o.option_id = c.option_id
  WHERE c.usd IS NOT NULL
), ranked AS (
  SELECT
    question_id, option_id, hour_rate, messages, clusters, usd,
    row_number() OVER (PARTITION BY question_id, messages ORDER BY usd, option_id) AS place
  FROM priced
  WHERE side = 'self-hosted'
), envelope AS (
  SELECT question_id, option_id, hour_rate, messages, clusters, usd
  FROM ranked
  WHERE place = 1
), managed AS (
  SELECT question_id, option_id, messages, usd
  FROM priced
  WHERE side = 'amazon-mq'
), work AS (
  SELECT CAST(hours AS double) AS hours
  FROM UNNEST(ARRAY[0, 1, 2, 4, 8, 16, 24, 40, 80, 160]) AS w (hours)
), others AS (
  SELECT
    e.question_id, e.option_id, e.messages, e.clusters, w.hours, e.usd + w.hours * e.hour_rate AS usd,
    CASE WHEN m.usd < (e.usd + w.hours * e.hour_rate) * (1E0 - 1E-12) THEN m.option_id ELSE e.option_id END AS best,
    CASE WHEN m.usd < (e.usd + w.hours * e.hour_rate) * (1E0 - 1E-12) THEN m.usd
      ELSE e.usd + w.hours * e.hour_rate END AS best_usd
  FROM envelope e
  LEFT JOIN managed m ON m.question_id = e.question_id AND m.messages = e.messages
  CROSS JOIN work w
  WHERE e.hour_rate IS NOT NULL
)
SELECT
  s.base_id AS question_id, s.book, s.option_id AS sqs_option,
  s.messages / (s.hours_per_month * 3600E0) AS msg_per_s,
  o.hours,
  CASE WHEN s.usd <= o.best_usd * (1E0 + 1E-12) THEN s.option_id ELSE o.best END AS cheapest,
  CASE WHEN s.usd <= o.best_usd * (1E0 + 1E-12) THEN s.usd ELSE o.best_usd END AS usd,
  o.option_id AS best_other, s.usd AS sqs_usd, o.usd AS other_usd, o.clusters
FROM priced s
JOIN others o ON o.question_id = s.question_id AND o.messages = s.messages
WHERE s.side = 'sqs'
ORDER BY s.base_id, s.option_id, o.hours, s.messages

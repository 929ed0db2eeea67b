-- Under how many hours of people's work a month running our own broker, or having Amazon MQ run one, is cheaper.
--
-- What is left of SQS's bill after the broker's own (its line "people" apart), divided by what an hour costs.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book
--          sqs_option, other_option
--          msg_per_s              messages a second as a monthly mean
--          asked                  whether this is the rate that was asked for
--          saved_usd              US dollars a month that the other saves before people's hours; negative: it costs more
--          hour_usd               US dollars an hour of a person's work; null: not given
--          hours                  the other wins while it takes fewer hours a month; 0: it never does; null: no
--                                 price of an hour was given
WITH
-- include: cost_model
, asked AS (
  SELECT question_id, option_id, side, book, messages_per_cluster, hours_per_month, asked_messages, hour_rate
  FROM options
  WHERE purpose IN ('headline', 'history')
),
-- include: rates
,
-- include: costs
, without_people AS (
  SELECT
    l.question_id, l.option_id, l.messages,
    CASE WHEN count(*) = count(CASE WHEN l.line = 'people' THEN 0E0 ELSE l.usd END)
      THEN sum(CASE WHEN l.line = 'people' THEN 0E0 ELSE l.usd END) END AS usd
  FROM line_costs l
  GROUP BY l.question_id, l.option_id, l.messages
)
SELECT
  s.question_id, s.book, s.option_id AS sqs_option, o.option_id AS other_option,
  a.messages / (s.hours_per_month * 3600E0) AS msg_per_s,
  coalesce(a.messages = s.asked_messages, false) AS asked,
  a.usd - b.usd AS saved_usd,
  o.hour_rate AS hour_usd,
  CASE WHEN a.usd > b.usd THEN (a.usd - b.usd) / nullif(o.hour_rate, 0E0)
    WHEN o.hour_rate IS NOT NULL THEN 0E0 END AS hours
FROM asked s
JOIN asked o ON o.question_id = s.question_id
JOIN costs a ON a.question_id = s.question_id AND a.option_id = s.option_id
JOIN without_people b ON b.question_id = o.question_id AND b.option_id = o.option_id AND b.messages = a.messages
WHERE s.side = 'sqs' AND o.side IN ('self-hosted', 'amazon-mq')
  AND a.usd IS NOT NULL AND b.usd IS NOT NULL
ORDER BY s.question_id, s.option_id, o.option_id, a.messages

-- At what traffic each two options of a question cost the same, and which is cheaper on either side.
--
-- Every pair of the options, not of SQS alone: two prices of SQS, a trio and Amazon MQ, two forms of clusters. The first
-- ten crossings of each pair, up to the traffic that was searched: ten million messages a second, the thousandth
-- cluster of either, or the end of the prices. One row a pair where there is none. Both costs may jump where a
-- cluster is added, so that there may be very many: crossings counts them all.
-- The interval of a crossing spans the same crossing (by number and by what is cheaper above it) of the
-- questions that put the uncertain inputs at their ends.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book
--          first_option, second_option   the two that are compared: SQS before clusters, and these before Amazon MQ's
--          number                 of the crossing, from the lowest rate; null where there is none
--          crossings              how many the pair has
--          kind                   meet, step, touch, tie, never or unpriced, as in crossover.sql; at a step either
--                                 cost jumps past the other
--          msg_per_s              messages a second as a monthly mean
--          equal_until_msg_per_s  the highest rate at which they are equal; null with a tie: to the end of the search
--          until_msg_per_s        the next crossing, to which cheaper_above holds; null: to the end of the search
--          searched_msg_per_s     the end of the search
--          low_msg_per_s, high_msg_per_s   interval from the uncertain inputs and the crossing; null: none is uncertain
--          corners                questions that put the uncertain inputs at their ends
--          corners_with           how many of them have this crossing
--          messages_per_month     of msg_per_s
--          usd_per_month          US dollars a month that the first costs there; but for a step, the second too
--          cheaper_below, cheaper_above   the option that is cheaper on either side; null: no such side
WITH
-- include: cost_model
, searched AS (
  SELECT question_id, option_id, messages_per_cluster, hours_per_month
  FROM options
  WHERE purpose IN ('pairs', 'pairs-interval')
), ranked AS (
  SELECT
    question_id, base_id, purpose, varied, factor, book, hours_per_month, option_id,
    CASE side WHEN 'sqs' THEN 1 WHEN 'self-hosted' THEN 2 WHEN 'amazon-mq' THEN 3 ELSE 4 END AS place
  FROM options
  WHERE purpose IN ('pairs', 'pairs-interval')
), pairs AS (
  SELECT
    row_number() OVER (ORDER BY f.question_id, f.place, f.option_id, s.place, s.option_id) AS pair_id,
    f.question_id, f.base_id, f.purpose, f.varied, f.factor, f.book, f.hours_per_month,
    f.option_id AS first_option, s.option_id AS second_option,
    f.question_id || chr(10) || f.option_id AS first_key,
    s.question_id || chr(10) || s.option_id AS second_key
  FROM ranked f
  JOIN ranked s ON s.question_id = f.question_id
  WHERE f.place < s.place OR (f.place = s.place AND f.option_id < s.option_id)
),
-- include: pieces
,
-- include: crossings
, compared AS (
  -- the corners of a question stand beside it: they have its base_id, and the same crossing the same number
  SELECT
    question_id, purpose, book, first_option, second_option, hours_per_month, number, kind, messages, equal_until,
    next_messages, searched_messages, usd, cheaper_below, cheaper_above,
    count(number) OVER (PARTITION BY question_id, first_option, second_option) AS crossings,
    min(CASE WHEN purpose = 'pairs-interval' THEN messages / nullif(hours_per_month * 3600E0, 0E0) END) OVER (
      PARTITION BY base_id, first_option, second_option, number, cheaper_above
    ) AS low,
    max(CASE WHEN purpose = 'pairs-interval' THEN messages / nullif(hours_per_month * 3600E0, 0E0) END) OVER (
      PARTITION BY base_id, first_option, second_option, number, cheaper_above
    ) AS high,
    count(CASE WHEN purpose = 'pairs-interval' THEN messages END) OVER (
      PARTITION BY base_id, first_option, second_option, number, cheaper_above
    ) AS corners_with,
    count(CASE WHEN purpose = 'pairs-interval' AND coalesce(number, 1) = 1 THEN 1 END) OVER (
      PARTITION BY base_id, first_option, second_option
    ) AS corners
  FROM crossings
)
SELECT
  question_id, book, first_option, second_option, number, crossings, kind,
  messages / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
  equal_until / nullif(hours_per_month * 3600E0, 0E0) AS equal_until_msg_per_s,
  next_messages / nullif(hours_per_month * 3600E0, 0E0) AS until_msg_per_s,
  searched_messages / nullif(hours_per_month * 3600E0, 0E0) AS searched_msg_per_s,
  -- of steps the number of crossings may be another at the ends: the interval has its own crossing in any case
  CASE WHEN messages / nullif(hours_per_month * 3600E0, 0E0) < low
    THEN messages / nullif(hours_per_month * 3600E0, 0E0) ELSE low END AS low_msg_per_s,
  CASE WHEN messages / nullif(hours_per_month * 3600E0, 0E0) > high
    THEN messages / nullif(hours_per_month * 3600E0, 0E0) ELSE high END AS high_msg_per_s,
  corners,
  corners_with,
  messages AS messages_per_month,
  usd AS usd_per_month,
  cheaper_below, cheaper_above
FROM compared
WHERE purpose = 'pairs' AND coalesce(number, 1) <= 10
ORDER BY question_id, first_option, second_option, number

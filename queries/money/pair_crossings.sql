-- At what traffic each two options of a question cost the same, and which is cheaper on either side.
--
-- Every pair of the options, not of SQS alone: two prices of SQS, a trio and Amazon MQ, two forms of clusters. The first
-- ten crossings of each pair, up to the traffic that was searched: ten million messages a second, the thousandth
-- cluster of either, or the end of the prices. One row a pair where there is none. Both costs may jump where a
-- cluster is added, so that there may be very many: crossings counts them all.
-- The interval of a crossing is the traffic about it over which it is not certain which of the two is cheaper
-- (parts/intervals.sql).
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
--          low_msg_per_s, high_msg_per_s   its interval; null: nothing is uncertain
--          corners                questions that put the uncertain inputs at their ends
--          corners_with           how many of them change to the same side within the interval
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
,
-- include: intervals
SELECT
  question_id, book, first_option, second_option, number, crossing_count AS crossings, kind,
  messages / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
  equal_until / nullif(hours_per_month * 3600E0, 0E0) AS equal_until_msg_per_s,
  next_messages / nullif(hours_per_month * 3600E0, 0E0) AS until_msg_per_s,
  searched_messages / nullif(hours_per_month * 3600E0, 0E0) AS searched_msg_per_s,
  low AS low_msg_per_s,
  high AS high_msg_per_s,
  corners,
  corners_with,
  messages AS messages_per_month,
  usd AS usd_per_month,
  cheaper_below, cheaper_above
FROM spanned
WHERE purpose = 'pairs' AND coalesce(number, 1) <= 10 AND (part = 1 OR number IS NULL)
ORDER BY question_id, first_option, second_option, number

-- At what traffic Amazon SQS and another option cost the same, and which is cheaper on either side.
--
-- Every crossing of each pair of SQS and another option, up to the traffic that was searched: ten million
-- messages a second, the thousandth cluster, or the end of the prices. One row a pair where there is none.
-- The interval of a crossing is the traffic about it over which it is not certain which of the two is cheaper
-- (parts/intervals.sql).
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book, purpose
--          sqs_option, other_option  the two options that are compared
--          number                 of the crossing, from the lowest rate; null where there is none
--          kind                   meet: both lines pass through one point; step: the other jumps past SQS where a
--                                 cluster is added; touch: equal at one rate, and the same is cheaper on both sides;
--                                 tie: equal from msg_per_s (a step's own rate apart) to equal_until_msg_per_s;
--                                 never: no crossing in the range searched; unpriced: a price is not known
--          msg_per_s              messages a second as a monthly mean
--          equal_until_msg_per_s  the highest rate at which they are equal; null with a tie: to the end of the search
--          until_msg_per_s        the next crossing, to which cheaper_above holds; null: to the end of the search
--          searched_msg_per_s     the end of the search
--          low_msg_per_s, high_msg_per_s   its interval; null: nothing is uncertain
--          corners                questions that put the uncertain inputs at their ends
--          corners_with           how many of them change to the same side within the interval
--          messages_per_month, messages_per_hour   of msg_per_s
--          usd_per_month          US dollars a month that SQS costs there; but for a step, the other too
--          cheaper_below, cheaper_above   the option that is cheaper on either side; null: no such side
WITH
-- include: cost_model
, asked AS (
  SELECT
    question_id, base_id, purpose, varied, factor, option_id, side, book, messages_per_cluster, hours_per_month
  FROM options
  WHERE purpose IN ('interval', 'headline', 'size', 'cheaper', 'history', 'message-size', 'empty-receives', 'bill')
),
-- include: sqs_pairs
,
-- include: pieces
,
-- include: crossings
,
-- include: intervals
SELECT
  question_id, book, purpose, first_option AS sqs_option, second_option AS other_option, number, kind,
  messages / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
  equal_until / nullif(hours_per_month * 3600E0, 0E0) AS equal_until_msg_per_s,
  next_messages / nullif(hours_per_month * 3600E0, 0E0) AS until_msg_per_s,
  searched_messages / nullif(hours_per_month * 3600E0, 0E0) AS searched_msg_per_s,
  low AS low_msg_per_s,
  high AS high_msg_per_s,
  corners,
  corners_with,
  messages AS messages_per_month,
  messages / nullif(hours_per_month, 0E0) AS messages_per_hour,
  usd AS usd_per_month,
  cheaper_below, cheaper_above
FROM spanned
WHERE purpose <> 'interval' AND (part = 1 OR number IS NULL)
ORDER BY question_id, first_option, second_option, number

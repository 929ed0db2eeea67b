-- From which rate on running our own broker is cheaper with a working day of staff time a month.
--
-- The longest range of rates over which it is, up to the end of the charts (100,000 messages a second, or the rate that
-- was asked for where that is higher) or of the search. SQS may be cheaper again above it, as its tiers fall, and between
-- two ranges, as clusters are added. The questions have that work in the brokers' bill, so that these are
-- crossings of theirs. The question itself, with its uncertain inputs at their ends, and at more and more empty receives.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book
--          base_id                the question without that work
--          purpose                staffed, or staffed-receives: with empty receives as factor says
--          factor                 empty receives a message; null: as the question has them
--          sqs_option, other_option
--          msg_per_s              messages a second as a monthly mean; 0: from the first; null: cheaper at none
--          until_msg_per_s        where it ends, or the search does before the charts; null: with the charts
--          low_msg_per_s, high_msg_per_s   of msg_per_s and those at the ends; null: none of them, or nothing is uncertain
--          low_until_msg_per_s    the lowest until_msg_per_s of them; null: none ends before, or nothing is uncertain
--          corners                questions that put the uncertain inputs at their ends
--          corners_with           how many of them have such a rate
WITH
-- include: cost_model
, asked AS (
  SELECT
    question_id, base_id, purpose, varied, factor, option_id, side, book, messages_per_cluster, hours_per_month,
    asked_messages
  FROM options
  WHERE purpose IN ('staffed', 'staffed-interval', 'staffed-receives')
),
-- include: sqs_pairs
,
-- include: pieces
,
-- include: crossings
, charted AS (
  SELECT question_id, max(greatest(hours_per_month * 3.6E8, coalesce(asked_messages, 0E0))) AS end_messages
  FROM asked
  GROUP BY question_id
), sides AS (
  -- from which traffic on which of the two is cheaper: part 0 from nothing, part 1 from a crossing, part 2 from a tie's end
  SELECT
    c.question_id, c.base_id, c.purpose, c.factor, c.book, c.first_option, c.second_option, c.hours_per_month, s.part,
    CASE s.part WHEN 0 THEN 0E0 WHEN 1 THEN c.messages ELSE c.equal_until END AS messages,
    CASE
      WHEN s.part = 0 THEN c.cheaper_below WHEN s.part = 1 AND c.kind = 'tie' THEN NULL ELSE c.cheaper_above
    END AS cheaper,
    e.end_messages AS charted_messages,
    -- where there are more clusters than are searched, nothing is known of what is dearer beyond
    least(e.end_messages, coalesce(c.searched_messages, e.end_messages)) AS end_messages
  FROM crossings c
  JOIN charted e ON e.question_id = c.question_id
  CROSS JOIN UNNEST(ARRAY[0, 1, 2]) AS s (part)
  WHERE c.kind <> 'unpriced'
    AND ((s.part = 0 AND coalesce(c.number, 1) = 1)
      OR (s.part = 1 AND c.number IS NOT NULL)
      OR (s.part = 2 AND c.kind = 'tie' AND c.equal_until IS NOT NULL))
), placed AS (
  SELECT
    d.*,
    row_number() OVER (PARTITION BY question_id, first_option, second_option ORDER BY messages, part) AS place,
    lag(cheaper) OVER (PARTITION BY question_id, first_option, second_option ORDER BY messages, part) AS cheaper_before
  FROM sides d
  WHERE messages < end_messages * (1E0 - 1E-12)
), ranges AS (
  -- a touch parts none
  SELECT
    f.*,
    lead(messages) OVER (PARTITION BY question_id, first_option, second_option ORDER BY messages, part) AS until_messages
  FROM placed f
  WHERE place = 1 OR cheaper IS DISTINCT FROM cheaper_before
), ranked AS (
  -- of those that are equally long the lowest: a part in 10^9 of the charts is no more than the arithmetic's
  SELECT
    r.*,
    row_number() OVER (
      PARTITION BY question_id, first_option, second_option
      ORDER BY
        CASE WHEN cheaper = second_option THEN 0 ELSE 1 END,
        coalesce(until_messages, end_messages) - messages - 1E-9 * end_messages * place DESC,
        messages
    ) AS from_longest
  FROM ranges r
), answered AS (
  SELECT
    question_id, base_id, purpose, factor, book, first_option, second_option,
    CASE WHEN purpose = 'staffed-interval' THEN base_id ELSE question_id END AS asked_id,
    CASE WHEN cheaper = second_option THEN messages / (hours_per_month * 3600E0) END AS msg_per_s,
    CASE WHEN cheaper = second_option THEN coalesce(
      until_messages, CASE WHEN end_messages < charted_messages THEN end_messages END
    ) / (hours_per_month * 3600E0) END AS until_msg_per_s
  FROM ranked
  WHERE from_longest = 1
), spanned AS (
  SELECT
    a.*,
    min(msg_per_s) OVER (PARTITION BY asked_id, first_option, second_option) AS low,
    max(msg_per_s) OVER (PARTITION BY asked_id, first_option, second_option) AS high,
    min(until_msg_per_s) OVER (PARTITION BY asked_id, first_option, second_option) AS low_until,
    count(CASE WHEN purpose = 'staffed-interval' THEN 1 END) OVER (
      PARTITION BY asked_id, first_option, second_option
    ) AS corners,
    count(CASE WHEN purpose = 'staffed-interval' THEN msg_per_s END) OVER (
      PARTITION BY asked_id, first_option, second_option
    ) AS corners_with
  FROM answered a
)
SELECT
  question_id, book, base_id, purpose, factor, first_option AS sqs_option, second_option AS other_option, msg_per_s,
  until_msg_per_s,
  CASE WHEN corners > 0 THEN low END AS low_msg_per_s,
  CASE WHEN corners > 0 THEN high END AS high_msg_per_s,
  CASE WHEN corners > 0 THEN low_until END AS low_until_msg_per_s,
  corners, corners_with
FROM spanned
WHERE purpose <> 'staffed-interval'
ORDER BY question_id, first_option, second_option

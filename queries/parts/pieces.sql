-- The cost of each option as straight pieces, from messages (not included) to to_messages (included).
--
-- Takes searched (question_id, option_id, messages_per_cluster, hours_per_month).
-- A piece begins at zero, at the edge of a tier, and above each full cluster. The search ends at ten million
-- messages a second, at the thousandth cluster, or where the book's prices end: whichever is least.
-- Two edges within a part in 10^12 are one. An option of which nothing can be priced has one piece without cost.
ends AS (
  SELECT
    question_id, option_id, messages_per_cluster,
    coalesce(least(
      hours_per_month * 3.6E10, coalesce(messages_per_cluster * 1E3, hours_per_month * 3.6E10)
    ), 0E0) AS end_messages
  FROM searched
), edges AS (
  SELECT
    e.question_id, e.option_id, e.messages_per_cluster, e.end_messages,
    CAST(s.k AS double) * coalesce(e.messages_per_cluster, 0E0) AS messages
  FROM ends e
  CROSS JOIN UNNEST(sequence(0, CASE WHEN e.messages_per_cluster > 0E0 THEN 999 ELSE 0 END)) AS s (k)
  UNION ALL
  SELECT
    e.question_id, e.option_id, e.messages_per_cluster, e.end_messages,
    (u.units - t.units_fixed - t.units_per_cluster * CAST(s.k AS double)) / t.units_per_message
  FROM ends e
  JOIN item_tiers t
    ON t.question_id = e.question_id AND t.option_id = e.option_id AND t.units_per_message > 0E0
  CROSS JOIN UNNEST(ARRAY[t.from_units, t.to_units]) AS u (units)
  -- where clusters take units of the same line, its tiers have an edge of their own for each number of them
  CROSS JOIN UNNEST(sequence(
    1, CASE WHEN t.units_per_cluster > 0E0 AND e.messages_per_cluster > 0E0 THEN 1000 ELSE 1 END
  )) AS s (k)
), ordered_edges AS (
  SELECT
    question_id, option_id, messages_per_cluster, end_messages, messages,
    lag(messages) OVER (PARTITION BY question_id, option_id ORDER BY messages) AS previous
  FROM edges
  WHERE messages = 0E0 OR (messages > 0E0 AND messages < end_messages)
), wanted AS (
  SELECT
    question_id, option_id, messages_per_cluster, messages,
    coalesce(lead(messages) OVER (PARTITION BY question_id, option_id ORDER BY messages), end_messages) AS to_messages
  FROM ordered_edges
  WHERE previous IS NULL OR messages - previous > 1E-12 * messages
),
-- include: costs
, pieces AS (
  -- option_key: both ids, which have no line break. Were pairs joined by the two columns, an engine would see that
  -- both sides have the same question, and might put all options of a question together before it picks the pairs.
  SELECT
    question_id || chr(10) || option_id AS option_key, messages, to_messages,
    CASE WHEN to_messages > messages THEN usd END AS usd,
    usd_per_message
  FROM costs
  WHERE messages = 0E0 OR NOT ended
)

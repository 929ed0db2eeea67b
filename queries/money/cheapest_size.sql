-- The cheapest size of each target for the rates that are to be held.
--
-- An option of a board is a size whose capacity within the objective was measured; clusters of it are added until they
-- hold the rate. Dollars are what keeps them up: no traffic and no work. Of equal dollars the size with fewer clusters
-- is the cheapest, then the first by name.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book      the board, of one target
--          option_id              the size
--          msg_per_s              messages a second that are held
--          clusters               that hold them
--          usd                    US dollars a month
--          usd_per_1000_msg_per_s   US dollars a month for each 1000 messages a second that are held
--          cheapest               whether no other size of the board costs less
WITH
-- include: cost_model
, held AS (
  SELECT CAST(r.msg_per_s AS double) AS msg_per_s
  FROM UNNEST(ARRAY[100, 1000, 3000, 10000, 30000, 100000]) AS r (msg_per_s)
), wanted AS (
  SELECT
    o.question_id, o.option_id, o.messages_per_cluster,
    h.msg_per_s * 3600E0 * o.hours_per_month AS messages,
    h.msg_per_s * 3600E0 * o.hours_per_month AS to_messages
  FROM options o
  CROSS JOIN held h
  WHERE o.purpose = 'board' AND o.messages_per_cluster > 0E0
),
-- include: costs
, priced AS (
  SELECT
    c.question_id, o.book, c.option_id, c.messages / (o.hours_per_month * 3600E0) AS msg_per_s, c.clusters, c.usd,
    row_number() OVER (PARTITION BY c.question_id, c.messages ORDER BY c.usd, c.clusters, c.option_id) AS place
  FROM costs c
  JOIN options o ON o.question_id = c.question_id AND o.option_id = c.option_id
  WHERE c.usd IS NOT NULL
)
SELECT
  question_id, book, option_id, msg_per_s, clusters, usd, usd / msg_per_s * 1E3 AS usd_per_1000_msg_per_s,
  place = 1 AS cheapest
FROM priced
ORDER BY question_id, msg_per_s, option_id

-- Each option's bill at the traffic that was asked for, line by line.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, option_id, book
--          line                   what is billed
--          formula                how its units come about, in words and figures
--          service, item, unit    the price in the book
--          units                  a month at that traffic; the free ones are among them
--          clusters               clusters that carry that traffic
--          usd                    US dollars a month; null: a price is not known
--          usd_per_million_messages   what a million messages add at the price of the last one, clusters apart
--          msg_per_s              the traffic that was asked for, as a monthly mean
WITH
-- include: cost_model
, wanted AS (
  SELECT question_id, option_id, messages_per_cluster, asked_messages AS messages, asked_messages AS to_messages
  FROM options
  WHERE asked_messages IS NOT NULL AND purpose IN ('headline', 'rate', 'volume', 'cheaper', 'history', 'pairs')
),
-- include: costs
, units AS (
  SELECT book, service, item, max(unit) AS unit
  FROM book_prices
  GROUP BY book, service, item
)
SELECT
  l.question_id, l.option_id, i.book, l.line, i.formula, i.service, i.item, u.unit, l.units, l.clusters, l.usd,
  l.usd_per_message * 1E6 AS usd_per_million_messages,
  l.messages / nullif(o.hours_per_month * 3600E0, 0E0) AS msg_per_s
FROM line_costs l
JOIN options o ON o.question_id = l.question_id AND o.option_id = l.option_id
JOIN items i ON i.question_id = l.question_id AND i.option_id = l.option_id AND i.line = l.line
LEFT JOIN units u ON u.book = i.book AND u.service = i.service AND u.item = i.item
ORDER BY l.question_id, l.option_id, l.line

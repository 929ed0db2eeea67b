-- What is priced: the options of each question, the lines of their bills, and the tiers of each line.
--
-- A line's units a month are units_fixed + units_per_cluster x clusters + units_per_message x messages.
-- Its tiers are its own: the book's, moved up by the free units (which have no tier: they cost nothing) and down
-- by what the account uses elsewhere. One row a tier; one without price and end where the book has none at all.
options AS (
  SELECT
    question_id, base_id, purpose, varied, factor, option_id, side, book, label,
    messages_per_cluster, hours_per_month, asked_messages, hour_rate
  FROM cost_options
  WHERE run_id = ?
), items AS (
  SELECT
    question_id, option_id, line, formula, book, service, item, price_factor,
    units_fixed, units_per_message, units_per_cluster, units_free, units_used
  FROM cost_items
  WHERE run_id = ?
), book_prices AS (
  SELECT book, service, item, unit, tier_from, tier_to, usd
  FROM prices
  WHERE run_id = ?
), own_tiers AS (
  SELECT
    i.question_id, i.option_id, i.line, i.units_fixed, i.units_per_message, i.units_per_cluster,
    greatest(0E0, i.units_free + coalesce(t.tier_from, 0E0) - i.units_used) AS from_units,
    CASE WHEN t.tier_to IS NOT NULL THEN greatest(0E0, i.units_free + t.tier_to - i.units_used) END AS to_units,
    t.usd * i.price_factor AS usd
  FROM items i
  LEFT JOIN book_prices t ON t.book = i.book AND t.service = i.service AND t.item = i.item
), item_tiers AS (
  -- priced: whether each tier that can still be used has a price; end_units: where the last ends, null: nowhere
  SELECT
    question_id, option_id, line, units_fixed, units_per_message, units_per_cluster, from_units, to_units, usd,
    count(CASE WHEN usd IS NULL AND coalesce(to_units, 1E0) > 0E0 THEN 1 END) OVER (
      PARTITION BY question_id, option_id, line
    ) = 0 AS priced,
    CASE WHEN count(to_units) OVER (PARTITION BY question_id, option_id, line)
      = count(*) OVER (PARTITION BY question_id, option_id, line)
      THEN max(to_units) OVER (PARTITION BY question_id, option_id, line) END AS end_units
  FROM own_tiers
)

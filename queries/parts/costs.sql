-- What the options cost at the traffic that is wanted: by line, then in all.
--
-- Takes wanted (question_id, option_id, messages_per_cluster, messages, to_messages): messages a month, and
-- the end of the straight piece that begins there; the same again where one point is meant. The middle of the
-- piece says how many clusters there are and which tier is the last that is used.
-- A cluster carries messages_per_cluster a month; one is always there. A part in 10^12 above a full cluster, or
-- above the edge of a tier, is the arithmetic's and not traffic.
-- A line has no price where any tier that can still be used has none, and above the end of the last (ended).
wanted_clusters AS (
  SELECT
    question_id, option_id, messages, to_messages, (messages + to_messages) / 2E0 AS inside,
    coalesce(greatest(
      1E0, ceil((messages + to_messages) / 2E0 / nullif(coalesce(messages_per_cluster, 0E0), 0E0) * (1E0 - 1E-12))
    ), 1E0) AS clusters
  FROM wanted
), reached_tiers AS (
  SELECT
    w.question_id, w.option_id, w.messages, w.to_messages, w.clusters,
    t.line, t.units_per_message, t.from_units, t.to_units, t.end_units, t.priced, t.usd,
    t.units_fixed + t.units_per_cluster * w.clusters + t.units_per_message * w.messages AS units,
    t.units_fixed + t.units_per_cluster * w.clusters + t.units_per_message * w.inside AS inside_units
  FROM wanted_clusters w
  LEFT JOIN item_tiers t ON t.question_id = w.question_id AND t.option_id = w.option_id
), tier_costs AS (
  SELECT
    question_id, option_id, messages, to_messages, clusters, line, units,
    coalesce(inside_units * (1E0 - 1E-12) > end_units, false) AS ended,
    CASE
      WHEN NOT coalesce(priced, false) OR inside_units * (1E0 - 1E-12) > end_units THEN NULL
      WHEN units - from_units <= 1E-12 * from_units THEN 0E0
      ELSE (CASE WHEN to_units < units THEN to_units ELSE units END - from_units) * coalesce(usd, 0E0)
    END AS usd,
    CASE
      WHEN NOT coalesce(priced, false) OR inside_units * (1E0 - 1E-12) > end_units THEN NULL
      WHEN inside_units > from_units AND (to_units IS NULL OR inside_units <= to_units)
        THEN units_per_message * coalesce(usd, 0E0)
      ELSE 0E0
    END AS usd_per_message
  FROM reached_tiers
), line_costs AS (
  SELECT
    question_id, option_id, messages, line, max(clusters) AS clusters, max(units) AS units,
    CASE WHEN count(*) = count(usd) THEN sum(usd) END AS usd,
    CASE WHEN count(*) = count(usd) THEN sum(usd_per_message) END AS usd_per_message
  FROM tier_costs
  GROUP BY question_id, option_id, messages, line
), costs AS (
  SELECT
    question_id, option_id, messages, max(to_messages) AS to_messages, max(clusters) AS clusters,
    bool_or(ended) AS ended,
    CASE WHEN count(*) = count(usd) THEN sum(usd) END AS usd,
    CASE WHEN count(*) = count(usd) THEN sum(usd_per_message) END AS usd_per_message
  FROM tier_costs
  GROUP BY question_id, option_id, messages
)

-- Where the two options of each pair change places, or cost the same: all of it, in the range that was searched.
--
-- Takes pairs (pair_id, question_id, base_id, purpose, varied, factor, book, hours_per_month, first_option,
-- second_option, first_key, second_key; a key is that of pieces). Between pairs and crossings there is the number of a
-- pair alone, as rows are many and are sorted by it.
-- Costs may jump above a full cluster. Between the edges of both, the difference is a straight line: its sign at
-- either end says whether it passes through zero. Sums of doubles that should be equal may differ in their last
-- digits: a part in 10^12 counts as equal.
-- sign: 1 where the second is cheaper, -1 where the first is, 0 where they cost the same.
-- usd: of the first at that rate, its full clusters at an edge; but of a tie just above the rate at which it begins.
-- One chain in which each step is read once: engines run a step again for each place that reads it.
-- Two pieces that overlap are found by the band in which their overlap begins, a quarter of a doubling: engines join by
-- equality, and compare what is equal piece by piece, which without bands is each piece of one with all of the other.
-- Option and band are one key: were they two, an engine might put all pieces of a band together before it picks the pairs.
banded AS (
  SELECT
    b.option_key, b.messages, b.to_messages, b.usd, b.usd_per_message, b.from_band, s.band,
    b.option_key || chr(10) || CAST(s.band AS varchar) AS band_key
  FROM (
    SELECT
      option_key, messages, to_messages, usd, usd_per_message,
      CAST(floor(4E0 * log2(greatest(messages, 1E0))) AS bigint) AS from_band,
      CAST(floor(4E0 * log2(greatest(to_messages, 1E0))) AS bigint) AS to_band
    FROM pieces
  ) b
  CROSS JOIN UNNEST(sequence(b.from_band, b.to_band)) AS s (band)
), joint AS (
  SELECT
    p.pair_id,
    greatest(s.messages, o.messages) AS messages,
    least(s.to_messages, o.to_messages) AS to_messages,
    s.usd + s.usd_per_message * (greatest(s.messages, o.messages) - s.messages) AS first_usd,
    s.usd + s.usd_per_message * (least(s.to_messages, o.to_messages) - s.messages) AS first_to_usd,
    o.usd + o.usd_per_message * (greatest(s.messages, o.messages) - o.messages) AS second_usd,
    o.usd + o.usd_per_message * (least(s.to_messages, o.to_messages) - o.messages) AS second_to_usd
  FROM pairs p
  JOIN banded s ON s.option_key = p.first_key
  JOIN banded o
    ON o.band_key = p.second_key || chr(10) || CAST(s.band AS varchar)
    AND greatest(s.from_band, o.from_band) = s.band
    AND ((o.messages < s.to_messages AND s.messages < o.to_messages) OR (o.messages = 0E0 AND s.messages = 0E0))
), signed AS (
  SELECT
    pair_id, messages, to_messages, first_usd, first_to_usd,
    lag(first_to_usd) OVER (PARTITION BY pair_id ORDER BY messages) AS usd_before,
    CASE
      WHEN first_usd IS NULL OR second_usd IS NULL THEN NULL
      WHEN abs(first_usd - second_usd) <= 1E-12 * greatest(first_usd, second_usd) THEN 0
      WHEN first_usd > second_usd THEN 1
      ELSE -1
    END AS from_sign,
    CASE
      WHEN first_to_usd IS NULL OR second_to_usd IS NULL THEN NULL
      WHEN abs(first_to_usd - second_to_usd) <= 1E-12 * greatest(first_to_usd, second_to_usd) THEN 0
      WHEN first_to_usd > second_to_usd THEN 1
      ELSE -1
    END AS to_sign,
    (first_usd - second_usd) / nullif((first_usd - second_usd) - (first_to_usd - second_to_usd), 0E0) AS share,
    max(to_messages) OVER (PARTITION BY pair_id) AS searched_messages
  FROM joint
  WHERE messages = 0E0 OR to_messages - messages > 1E-12 * to_messages
), stretches AS (
  -- Of one sign inside each. Part 0 is a piece, or what comes before it passes through zero, and part 1 what comes
  -- after. Part 2 is the end of the search, where they meet there.
  SELECT
    g.pair_id, g.searched_messages, g.messages AS piece_messages, s.part,
    CASE s.part
      WHEN 0 THEN g.messages WHEN 1 THEN g.messages + g.share * (g.to_messages - g.messages) ELSE g.to_messages
    END AS messages,
    CASE WHEN s.part = 0 THEN g.usd_before END AS usd_before,
    CASE s.part
      WHEN 0 THEN g.first_usd WHEN 1 THEN g.first_usd + g.share * (g.first_to_usd - g.first_usd) ELSE g.first_to_usd
    END AS usd,
    CASE WHEN s.part = 0 THEN g.from_sign ELSE 0 END AS from_sign,
    CASE WHEN s.part = 0 AND g.from_sign * g.to_sign = -1 THEN 0 ELSE g.to_sign END AS to_sign,
    CASE WHEN s.part = 0 AND g.from_sign <> 0 THEN g.from_sign ELSE g.to_sign END AS sign
  FROM signed g
  CROSS JOIN UNNEST(ARRAY[0, 1, 2]) AS s (part)
  WHERE s.part = 0
    OR (s.part = 1 AND g.from_sign * g.to_sign = -1)
    OR (s.part = 2 AND g.from_sign <> 0 AND g.to_sign = 0 AND g.to_messages = g.searched_messages)
), followed AS (
  SELECT
    pair_id, searched_messages, piece_messages, part, messages, usd, usd_before, from_sign, sign,
    lag(sign) OVER (
      PARTITION BY pair_id ORDER BY piece_messages, part
    ) AS sign_before,
    lag(to_sign) OVER (
      PARTITION BY pair_id ORDER BY piece_messages, part
    ) AS to_sign_before
  FROM stretches
), spans AS (
  -- stretches of one sign that follow one another are one; a touch parts them
  SELECT
    pair_id, searched_messages, piece_messages, part, messages, usd, usd_before, from_sign, sign, sign_before, to_sign_before,
    lead(messages) OVER (
      PARTITION BY pair_id ORDER BY piece_messages, part
    ) AS next_messages,
    lead(sign) OVER (
      PARTITION BY pair_id ORDER BY piece_messages, part
    ) AS sign_after,
    count(CASE WHEN sign = 0 OR sign_before <> 0 THEN 1 END) OVER (
      PARTITION BY pair_id
    ) AS crossing_count
  FROM followed
  WHERE (piece_messages = 0E0 AND part = 0) OR sign <> sign_before OR (sign <> 0 AND to_sign_before = 0)
), crossings AS (
  SELECT
    p.question_id, p.base_id, p.purpose, p.varied, p.factor, p.book, p.hours_per_month, p.first_option,
    p.second_option,
    CASE WHEN sign IS NOT NULL THEN searched_messages END AS searched_messages,
    crossing_count,
    CASE
      WHEN sign IS NULL THEN 'unpriced'
      WHEN crossing_count = 0 THEN 'never'
      WHEN part = 2 THEN 'meet'
      WHEN sign = 0 THEN 'tie'
      WHEN sign = sign_before THEN 'touch'
      WHEN to_sign_before = 0 AND from_sign = 0 THEN 'meet'
      ELSE 'step'
    END AS kind,
    CASE WHEN crossing_count > 0 THEN row_number() OVER (
      PARTITION BY p.pair_id ORDER BY piece_messages, part
    ) END AS number,
    CASE WHEN crossing_count > 0 THEN messages END AS messages,
    CASE
      WHEN crossing_count = 0 THEN NULL WHEN sign = 0 AND part <> 2 THEN next_messages ELSE messages
    END AS equal_until,
    lead(messages) OVER (
      PARTITION BY p.pair_id ORDER BY piece_messages, part
    ) AS next_messages,
    CASE WHEN crossing_count = 0 THEN NULL WHEN sign <> 0 THEN coalesce(usd_before, usd) ELSE usd END AS usd,
    CASE CASE WHEN crossing_count > 0 THEN sign_before ELSE sign END
      WHEN 1 THEN p.second_option WHEN -1 THEN p.first_option
    END AS cheaper_below,
    CASE CASE WHEN sign = 0 THEN sign_after ELSE sign END
      WHEN 1 THEN p.second_option WHEN -1 THEN p.first_option
    END AS cheaper_above
  FROM spans
  JOIN pairs p ON p.pair_id = spans.pair_id
  WHERE crossing_count = 0 OR sign = 0 OR sign_before <> 0
)

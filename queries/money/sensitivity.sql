-- How far the first crossing moves when one input is a quarter lower or higher.
--
-- inputs:  cost_options, cost_items, prices
-- columns: question_id, book       the question that is varied
--          sqs_option, other_option
--          varied                  the input
--          factor                  by which it is multiplied: 0.75 or 1.25
--          kind                    of the first crossing then; never: there is none, which cheaper_above explains
--          msg_per_s               of the first crossing then, messages a second as a monthly mean
--          base_msg_per_s          of the first crossing as asked
--          cheaper_above           the option that is cheaper above it, or everywhere
WITH
-- include: cost_model
, marked AS (
  SELECT
    question_id, base_id, purpose, varied, factor, option_id, side, book, messages_per_cluster, hours_per_month,
    count(CASE WHEN purpose = 'sensitivity' THEN 1 END) OVER (PARTITION BY base_id) > 0 AS is_varied
  FROM options
), asked AS (
  -- the variations, and the questions that they vary
  SELECT
    question_id, base_id, purpose, varied, factor, option_id, side, book, messages_per_cluster, hours_per_month
  FROM marked
  WHERE purpose = 'sensitivity' OR (question_id = base_id AND is_varied)
),
-- include: sqs_pairs
,
-- include: pieces
,
-- include: crossings
, first_crossings AS (
  SELECT
    base_id, purpose, varied, factor, book, first_option AS sqs_option, second_option AS other_option, kind,
    cheaper_above,
    messages / nullif(hours_per_month * 3600E0, 0E0) AS msg_per_s,
    max(CASE WHEN question_id = base_id THEN messages / nullif(hours_per_month * 3600E0, 0E0) END) OVER (
      PARTITION BY base_id, first_option, second_option
    ) AS base_msg_per_s
  FROM crossings
  WHERE coalesce(number, 1) = 1
)
SELECT
  base_id AS question_id, book, sqs_option, other_option, varied, factor, kind,
  msg_per_s, base_msg_per_s, cheaper_above
FROM first_crossings
WHERE purpose = 'sensitivity'
ORDER BY base_id, sqs_option, other_option, varied, factor

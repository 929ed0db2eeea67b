-- SQS beside each other option, in every question but maps and those of all pairs.
searched AS (
  SELECT question_id, option_id, messages_per_cluster, hours_per_month
  FROM options
  WHERE purpose NOT IN ('map', 'pairs', 'pairs-interval')
), pairs AS (
  SELECT
    s.question_id, s.base_id, s.purpose, s.varied, s.factor, s.book, s.hours_per_month,
    s.option_id AS first_option, o.option_id AS second_option,
    s.question_id || chr(10) || s.option_id AS first_key,
    o.question_id || chr(10) || o.option_id AS second_key
  FROM options s
  JOIN options o ON o.question_id = s.question_id
  WHERE s.side = 'sqs' AND o.side <> 'sqs' AND s.purpose NOT IN ('map', 'pairs', 'pairs-interval')
)

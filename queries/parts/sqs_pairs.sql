-- SQS beside each other option of a question.
--
-- Takes asked, the options of the questions that are wanted, as in cost_model's options.
searched AS (
  SELECT question_id, option_id, messages_per_cluster, hours_per_month
  FROM asked
), pairs AS (
  SELECT
    row_number() OVER (ORDER BY s.question_id, s.option_id, o.option_id) AS pair_id,
    s.question_id, s.base_id, s.purpose, s.varied, s.factor, s.book, s.hours_per_month,
    s.option_id AS first_option, o.option_id AS second_option,
    s.question_id || chr(10) || s.option_id AS first_key,
    o.question_id || chr(10) || o.option_id AS second_key
  FROM asked s
  JOIN asked o ON o.question_id = s.question_id
  WHERE s.side = 'sqs' AND o.side <> 'sqs'
)

-- Quantiles by degrees of freedom, for two-sided intervals of 95%.
student AS (
  -- 0.975 quantiles of Student's t: NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2
  SELECT df, t
  FROM (
    VALUES
      (1, 12.706E0), (2, 4.303E0), (3, 3.182E0), (4, 2.776E0), (5, 2.571E0), (6, 2.447E0), (7, 2.365E0),
      (8, 2.306E0), (9, 2.262E0), (10, 2.228E0), (11, 2.201E0), (12, 2.179E0), (13, 2.160E0), (14, 2.145E0),
      (15, 2.131E0), (16, 2.120E0), (17, 2.110E0), (18, 2.101E0), (19, 2.093E0), (20, 2.086E0), (21, 2.080E0),
      (22, 2.074E0), (23, 2.069E0), (24, 2.064E0), (25, 2.060E0), (26, 2.056E0), (27, 2.052E0), (28, 2.048E0),
      (29, 2.045E0), (30, 2.042E0), (40, 2.021E0), (60, 2.000E0), (100, 1.984E0)
  ) AS quantiles (df, t)
)

"""Figures of the overview of ARQMath-3 (Mansouri et al., CLEF 2022)."""

TASK_3 = """\
run	AR	P@1	LO	CS	MG	UI
GPT-3	1.346	0.500	0.317	0.851	0.288	0.466
approach0-run1	1.282	0.436	0.509	0.886	0.110	0.562
approach0-run4	1.231	0.397	0.515	0.886	0.123	0.616
approach0-run3	1.179	0.372	0.467	0.879	0.247	0.658
approach0-run2	1.115	0.321	0.427	0.868	0.164	0.616
approach0-run5	0.949	0.282	0.444	0.873	0.151	0.671
SBERT-SVMRank	0.462	0.154	0.330	0.846	0.205	0.767
BERT-SVMRank	0.449	0.154	0.329	0.846	0.178	0.808
SBERT-QQ-AMR	0.423	0.128	0.325	0.852	0.342	0.877
BERT-QQ-AMR	0.385	0.103	0.323	0.851	0.260	0.863
amps3_se1_hints	0.325	0.078	0.263	0.835	0.833	0.931
se3_len_pen_10	0.244	0.064	0.248	0.806	0.877	0.890
amps3_se1_len_pen_20_sample_hint	0.231	0.051	0.254	0.813	0.959	0.932
shortest	0.205	0.026	0.239	0.820	0.849	0.918
"""
"""Table 5: the systems of Task 3."""

PAIRS = [("AR", "P@1"), ("AR", "LO"), ("AR", "CS"), ("P@1", "LO"), ("P@1", "CS"), ("LO", "CS")]
PEARSON = dict(zip(PAIRS, (0.989, 0.837, 0.839, 0.787, 0.802, 0.952), strict=True))
TAU = dict(zip(PAIRS, (0.994, 0.736, 0.670, 0.729, 0.674, 0.805), strict=True))
"""Table 6: correlations between measures over the systems of Table 5."""
UI_AND_AR = (-0.967, -0.884)
"""Pearson's r and tau; the text rounds them to -0.97 and -0.88."""

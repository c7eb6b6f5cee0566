"""The measures: what each is, what it needs, and where it comes from. Names are those of the labs' papers. The prime
(') says that unjudged units are removed from the ranking first; without it they stay and count as not relevant, as at
NTCIR."""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from assess.ir.campaign.kinds import Average as Average
from assess.ir.common.rows import Task

Input = Literal["judged", "whole", "first", "elsewhere"]
"""What a measure is computed from: the ranking without unjudged units; the whole ranking, at most 1,000 documents of
each topic; its first document; or something else than rankings and qrels."""
Gain = Literal["linear", "exponential"]
"""What nDCG adds for grade g: g, as trec_eval and the labs do (Järvelin and Kekäläinen 2002), or 2^g - 1 (Burges et al.
2005)."""


class Measure(NamedTuple):
    """A measure: its ``name`` in files, ``key`` in addresses, ``definition`` in a sentence or two; ``cutoff``: how many
    documents count. The mean of one that is ``of_means`` follows from those two; it has no values of topics."""

    name: str
    key: str
    input: Input
    source: str
    definition: str
    cutoff: int | None = None
    of_means: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """Measures of one family differ only in the cut-off."""
        return self.name.partition("@")[0] if self.cutoff else self.name


NDCG, MAP, P10, BPREF = "nDCG'", "MAP'", "P'@10", "bpref"
AR, P1 = "AR", "P@1"
LO, CS, MG, UI = "LO", "CS", "MG", "UI"
BPREF_FULL, BPREF_PARTIAL, BPREF_HM = "bpref full", "bpref partial", "bpref hm"
OF_NTCIR = (BPREF_FULL, BPREF_PARTIAL, BPREF_HM)
JUDGED = "judged@10"
LEAST_JUDGED = 0.8
"""Below this share of judged units among the first ten, other values of a run say little."""
FULL, PARTIAL = 3, 1
"""NTCIR-12: from this grade on, a formula is fully or partially relevant. Its grades, 0 to 4, add up two assessors'."""

TREC_EVAL, ARQMATH_1, ARQMATH_3 = "trec_eval", "Zanibbi et al., CLEF 2020", "Mansouri et al., CLEF 2022"
NTCIR_10, NTCIR_12 = "Aizawa et al., NTCIR-10 (2013)", "Zanibbi et al., NTCIR-12 (2016)"
PRIME = "Sakai and Kando 2008"
RATE = "ir-measures Judged"

DEFINITIONS = {
    NDCG: "Discounted cumulative gain of the judged units in the run, by that of the best order of all judged units; "
    "the gain at rank i is divided by log2(i + 1).",
    MAP: "Precision at each relevant unit of the run, added up and divided by the number of relevant units; over "
    "judged units.",
    BPREF: "The mean over all R relevant units of 1 - n/min(R, N), if n of the N units judged not relevant are above "
    "it, at most min(R, N); 0 for one that the run misses.",
    BPREF_FULL: f"bpref where grades from {FULL} up are relevant, whatever the level.",
    BPREF_PARTIAL: f"bpref where grades from {PARTIAL} up are relevant, whatever the level.",
    BPREF_HM: "The harmonic mean of the means of bpref full and bpref partial.",
    "nDCG": "As nDCG', but unjudged units stay in the run and add nothing.",
    "MAP": "As MAP', but unjudged units stay in the run and count as not relevant.",
    "P@hit": "Hit precision: the share of relevant ones among all units of the run, unjudged ones included.",
    "MRR": "1 divided by the rank of the first relevant unit; 0 without one.",
    "RBP": "Rank-biased precision: what a reader gains for each unit read who goes on to the next one with probability "
    "0.8; unjudged units count as not relevant.",
    "judged": "The share of judged ones among all units of the run.",
    AR: "Average relevance: the grade of the first answer, over the topics whose first answer is judged. An outcome of "
    "a written answer counts 0.",
    P1: "Whether the first answer is relevant, over the topics whose first answer is judged.",
    LO: "Lexical overlap: token F1 of the answer and a relevant answer, the highest of the topic.",
    CS: "Contextual similarity: BERTScore of the answer and a relevant one, the highest of the topic. Only imported.",
    MG: "The share of answers that their assessor took for machine-generated.",
    UI: "The share of answers in which their assessor saw information unrelated to the question.",
}


def without_cutoff(name: str, key: str, scope: Input, source: str, of_means: tuple[str, ...] = ()) -> Measure:
    return Measure(name, key, scope, source, DEFINITIONS[name], of_means=of_means)


WITHOUT_CUTOFF = (
    without_cutoff(NDCG, "ndcg", "judged", f"{PRIME}; {ARQMATH_1}; {TREC_EVAL} ndcg"),
    without_cutoff(MAP, "map", "judged", f"{PRIME}; {ARQMATH_1}; {TREC_EVAL} map"),
    without_cutoff(BPREF, "bpref", "judged", f"Buckley and Voorhees 2004; {TREC_EVAL} bpref"),
    without_cutoff(BPREF_FULL, "bpref_full", "judged", NTCIR_12),
    without_cutoff(BPREF_PARTIAL, "bpref_partial", "judged", NTCIR_12),
    without_cutoff(BPREF_HM, "bpref_hm", "judged", NTCIR_12, of_means=(BPREF_FULL, BPREF_PARTIAL)),
    without_cutoff("nDCG", "plain_ndcg", "whole", f"Järvelin and Kekäläinen 2002; {TREC_EVAL} ndcg"),
    without_cutoff("MAP", "plain_map", "whole", f"{NTCIR_10}; {TREC_EVAL} map"),
    without_cutoff("P@hit", "plain_phit", "whole", f"{NTCIR_10}; {TREC_EVAL} set_P"),
    without_cutoff("MRR", "mrr", "whole", f"NTCIR-11, known items; {TREC_EVAL} recip_rank"),
    without_cutoff("RBP", "rbp", "whole", "Moffat and Zobel 2008; as ir-measures RBP(p=0.8)"),
    without_cutoff("judged", "judged", "whole", RATE),
    without_cutoff(AR, "ar", "first", ARQMATH_3),
    without_cutoff(P1, "p1", "first", ARQMATH_3),
    *(without_cutoff(name, name.lower(), "elsewhere", ARQMATH_3) for name in (LO, CS, MG, UI)),
)

NDCG_CUT = "nDCG of the first {0} units, unjudged ones %s; the best order counts as far, too."
P_CUT = "The number of relevant ones among the first {0} units, unjudged ones %s, divided by {0}."
R_CUT = "Recall: the share of all relevant units that are among the first {0}."
ERR_CUT = (
    "1/rank of the unit that satisfies a reader of the first {0}, as expected if grade g, at most 4, does so with "
    "probability (2^g - 1)/16."
)
JUDGED_CUT = "The share of judged ones among the first {0} units, or among all of a shorter ranking."
FAMILIES: dict[str, tuple[str, Input, str, str, tuple[int, ...]]] = {
    "nDCG'": ("ndcg", "judged", f"{TREC_EVAL} ndcg_cut", NDCG_CUT % "removed", (5, 10, 1000)),
    "P'": ("p", "judged", f"{ARQMATH_1}; {TREC_EVAL} P", P_CUT % "removed", (5, 10)),
    "nDCG": ("plain_ndcg", "whole", f"{TREC_EVAL} ndcg_cut", NDCG_CUT % "included", (10,)),
    "P": ("plain_p", "whole", f"{NTCIR_12}; {TREC_EVAL} P", P_CUT % "included", (5, 10, 15, 20)),
    "R": ("r", "whole", f"{TREC_EVAL} recall", R_CUT, (100,)),
    "ERR": ("err", "whole", "Chapelle et al. 2009; gdeval err", ERR_CUT, (10, 20)),
    "judged": ("judged", "whole", RATE, JUDGED_CUT, (5, 10, 20, 100)),
}
"""The families with a cut-off: key, input, source, definition, and the cut-offs that are offered."""
MOST_CUTOFF = 1000
CUT = re.compile(rf"({'|'.join(FAMILIES)})@([1-9]\d{{0,3}})")


def with_cutoff(family: str, cutoff: int) -> Measure:
    """A measure of the first ``cutoff`` units, such as P'@10."""
    key, scope, source, definition, _offered = FAMILIES[family]
    return Measure(f"{family}@{cutoff}", f"{key}{cutoff}", scope, source, definition.format(cutoff), cutoff)


OFFERED = (*WITHOUT_CUTOFF, *(with_cutoff(name, cutoff) for name, kind in FAMILIES.items() for cutoff in kind[-1]))
"""The measures that pages and help texts name; others with a cut-off can be asked for by name."""
BY_NAME = {measure.name: measure for measure in OFFERED}
ALIASES = {"ap": "map", "ap'": "map'", "rr": "mrr"}
"""Other names, in small letters, of the values of single topics, which ir-measures names."""
OF_WRITTEN = (AR, P1, LO, CS, MG, UI)
"""What a single written answer to each topic can be measured by."""


def find_measure(name: str) -> Measure:
    """The measure of this name, also with a typographic prime or in small letters, AP and RR. Raises ``ValueError``."""
    name = name.strip().replace("\N{PRIME}", "'").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    alike = {known.lower(): measure for known, measure in BY_NAME.items()}
    if found := alike.get(ALIASES.get(name.lower(), name.lower())):
        return found
    cut = CUT.fullmatch(name)
    if cut and int(cut[2]) <= MOST_CUTOFF:
        return with_cutoff(cut[1], int(cut[2]))
    raise ValueError(f"no measure {name!r}: choose from {', '.join(BY_NAME)}, or another cut-off up to {MOST_CUTOFF}")


def offered_measures(task: Task) -> list[Measure]:
    """What runs of a task can be measured by. AR and P@1 of a ranking are those of its first document. Those of
    NTCIR-12, which name its grades, are offered to labs of mathematics only."""
    left_out = (*unfit_measures(OFFERED, task), *(OF_NTCIR if task == "documents" else ()))
    return [measure for measure in OFFERED if measure.name not in left_out]


def unfit_measures(measures: Iterable[Measure], task: Task) -> list[str]:
    if task == "written":
        return [measure.name for measure in measures if measure.name not in OF_WRITTEN]
    return [measure.name for measure in measures if measure.input == "elsewhere"]

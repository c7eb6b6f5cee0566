"""Sources of judgments as second opinions: how far assessors, and the official judgments, agree with each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from assess.ir.agreement.agreement import Comparisons
from assess.ir.common.rows import JudgmentRow, Scale, SourceRow
from assess.ir.releases.aggregation import judgments_of_units
from assess.models import JudgmentSource, Pool
from assess.services.agreement.agreement import as_json, judgment_rows, official_judgments
from assess.services.pool import judgment_sources

ASSESSOR, SOURCE = "assessor", "source"
OFFICIAL = ""
"""Stands for the official judgments among the names of assessors; no user has this name."""
OF_PAIR = ("n", "agreement", "kappa", "kappa_hm", "prevalence", "confusion", "note")


def compare_sources(pool: Pool, sources: Iterable[JudgmentSource]) -> dict[int, dict[str, Any]]:
    """For each source, by key: ``judges``, a row for the official judgments and for each assessor with items that the
    source has judged, too; ``topics``, a row for each topic over the official judgments. Formulas are compared by what
    the source judged, instances or visual ids. In ``confusion`` rows are the assessor's grades, columns the source's.
    """
    if not (chosen := list(sources)):
        return {}
    compared, scale = {}, pool.rules.scale
    every = judgment_rows(pool), official_judgments(pool, on_scale=True)
    for source in chosen:
        is_of_units = source.items == JudgmentSource.Items.UNIT
        rows, official = map(judgments_of_units, every) if is_of_units else every
        others = {(row.topic_id, row.item_id): row for row in judgment_sources.combined_rows(source)}
        groups: defaultdict[str, list[JudgmentRow]] = defaultdict(list, {OFFICIAL: list(official)})
        for row in rows:
            groups[row.assessor].append(row)
        judges = compare_groups("who", groups, others, scale, "round")
        topics = compare_groups("topic", {OFFICIAL: groups[OFFICIAL]}, others, scale, "topic_id")
        compared[source.pk] = {"judges": judges, "topics": topics}
    return compared


def compare_groups(
    name: str,
    groups: Mapping[str, Iterable[JudgmentRow]],
    others: Mapping[tuple[str, str], SourceRow],
    scale: Scale,
    by: str,
) -> list[dict[str, Any]]:
    """The judgments of each group against the source: by group (``round``) or by topic, if both graded anything."""
    pairs: list[JudgmentRow] = []
    for group, rows in groups.items():
        for row in rows:
            if other := others.get((row.topic_id, row.doc_id)):
                pairs.append(row._replace(assessor=ASSESSOR, round=group))
                pairs.append(row._replace(assessor=SOURCE, round=group, grade=other.grade, outcome=other.outcome))
    compared = Comparisons(pairs, scale).by(by) if pairs else {}
    return [{name: key} | {part: as_json(getattr(pair, part)) for part in OF_PAIR} for key, (pair,) in compared.items()]

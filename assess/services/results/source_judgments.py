"""Sources of judgments in releases, where an organizer says so."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from assess.ir.common.rows import JudgmentRow, Qrel
from assess.ir.results.release_options import ReleaseOptions
from assess.ir.results.releasing import NOBODY, OtherJudgments
from assess.models import Assignment, Instance, JudgmentSource, Pool
from assess.services.common.errors import Refused
from assess.services.judging.progress import MainRound
from assess.services.pool import judgment_sources

Items = JudgmentSource.Items


def sources_of(pool: Pool, options: ReleaseOptions) -> list[JudgmentSource]:
    """Those that the options name, in their order. Raises Refused for a name that there is not."""
    sources = {source.name: source for source in pool.campaign.judgment_sources.filter(name__in=options.sources)}
    if missing := [name for name in options.sources if name not in sources]:
        raise Refused(f"This campaign has no judgments of {', '.join(missing)}.")
    return [sources[name] for name in options.sources]


def others_of(pool: Pool, options: ReleaseOptions) -> OtherJudgments:
    """What the sources say of the campaign's topics; of several, the first that has a grade counts. The unit of a
    document is that of the pool; beyond the pool it is the document itself or, for formulas, unknown (empty)."""
    sources = sources_of(pool, options)
    if not sources:
        return NOBODY
    topics = set(pool.campaign.topics.values_list("topic_id", flat=True))
    in_pool = dict(Instance.objects.filter(entry__pool=pool).values_list("doc_id", "entry__unit_id"))
    documents: dict[tuple[str, str], JudgmentRow] = {}
    units: dict[tuple[str, str], tuple[Qrel, str]] = {}
    for source in sources:
        for topic, item, grade, outcome, *_ in judgment_sources.rows_of(source):
            if topic not in topics:
                continue
            if source.items == Items.UNIT:
                if grade is not None:
                    units.setdefault((topic, item), (Qrel(topic, item, grade), source.name))
            elif (topic, item) not in documents or documents[topic, item].grade is None:
                unit = in_pool.get(item, "" if pool.rules.has_visual_ids else item)
                documents[topic, item] = JudgmentRow(source.name, topic, unit, item, grade, outcome)
    return OtherJudgments(list(documents.values()), list(units.values()))


def published(pool: Pool, options: ReleaseOptions) -> list[dict[str, Any]]:
    """What a manifest has of each source: its name, who judged, and the hashes of its file and of its judgments."""
    return [
        {
            "name": source.name,
            "judged_by": source.judge,
            "file": source.file_name,
            "file_sha256": source.sha256,
            "sha256": hash_of(source),
        }
        for source in sources_of(pool, options)
    ]


def hash_of(source: JudgmentSource) -> str:
    """Of its judgments in the order of the file: topic, item, labeller, and grade or outcome, with tabs."""
    whole = sha256()
    rows = source.lines.values_list("topic_id", "item_id", "labeller", "grade", "outcome")
    for topic, item, labeller, grade, outcome in rows.iterator():
        whole.update(f"{topic}\t{item}\t{labeller}\t{outcome or grade}\n".encode())
    return whole.hexdigest()


def needs_nobody(pool: Pool) -> bool:
    """Whether a pool was made from a source and has no official assessor: the judgments of the source are all."""
    if pool.judgment_source_id is None:
        return False
    return not Assignment.objects.filter(round__pool=pool, official=True).exists()


def main_round(pool: Pool, others: OtherJudgments) -> MainRound:
    """How much of a pool that needs nobody is judged elsewhere."""
    judged = {(row.topic_id, row.doc_id) for row in others.documents}
    units = {(line.topic_id, line.unit_id) for line, _ in others.units}
    rows: Sequence[tuple[str, str, str]] = list(
        Instance.objects.filter(entry__pool=pool).values_list("entry__topic__topic_id", "entry__unit_id", "doc_id")
    )
    done = [topic for topic, unit, document in rows if (topic, document) in judged or (topic, unit) in units]
    topics = {topic for topic, *_ in rows}
    return MainRound(len(done), len(rows), len(topics), len(topics - set(done)))

"""Whether a ranking and qrels overlap."""

from collections.abc import Collection

import polars as pl

from assess.ir.common.ids import abbreviated, natural
from assess.ir.common.rows import Qrel
from assess.ir.runs.ranking import judged_only


def nothing_in_common(ranking: pl.DataFrame, qrels: Collection[Qrel]) -> str:
    """Why a ranking (`ranking.order`, resolved to units) cannot be scored with these qrels, with ids of both side by
    side; empty if one retrieved unit is judged for its topic."""
    if not judged_only(ranking, qrels).is_empty():
        return ""
    judged = {(qrel.topic_id, qrel.unit_id) for qrel in qrels}
    retrieved = ranking.filter(pl.col("unit_id") != "").select("topic_id", "unit_id")
    topics = {topic for topic, _ in judged}
    retrieved_topics = retrieved["topic_id"].unique(maintain_order=True).to_list()
    common = [topic for topic in retrieved_topics if topic in topics]
    if not common:
        judged_topics = abbreviated(sorted(topics, key=natural))
        return f"no topic in common: {abbreviated(retrieved_topics) or 'none'} in the run, {judged_topics} in the qrels"
    topic = common[0]
    ids = retrieved.filter(topic_id=topic)["unit_id"].to_list()
    others = sorted(unit for key, unit in judged if key == topic)
    return f"no document in common, for {topic}: {abbreviated(ids)} in the run, {abbreviated(others)} in the qrels"

"""The names of columns: those of tables that people and other tools write, and what each means here."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from assess.ir.common.problems import BadInput, refuse

SYNONYMS: dict[str, tuple[str, ...]] = {
    "topic": (
        "topic_id topicid qid query_id queryid question_id questionid topic_number topic_no topicno",
        "topic query question",
    ),
    "document": (
        "docno",  # PyTerrier has an internal number beside it, the docid
        "doc_id docid document_id documentid corpus_id corpusid",
        "formula_id formulaid",  # beside which the id of its post may stand
        *("answer_id answerid", "post_id postid", "item_id itemid", "unit_id unitid", "visual_id"),
        *("document doc", "item", "unit", "formula", "post", "answer"),
    ),
    "formula": ("formula_id formulaid", "formula"),
    "post": ("post_id postid", "post"),
    "rank": ("rank", "position"),
    "score": ("score", "similarity sim rsv"),
    "run": ("run run_id runid run_name run_number tag", "system"),
    "iteration": ("q0 iter iteration 0",),
    "sources": ("sources source",),
    "answer": ("answer text",),
    "grade": (
        "grade relevance rel judgment judgement relevance_grade relevance_score relevance_label",
        "label rating",
        "score",
        "result",
    ),
    "labeller": (
        "assessor labeller labeler annotator rater judge worker user username turkle_username completed_by",
        "worker_id workerid user_id",
        "_annotator_id annotator_id _worker_id reviewer expert coder judged_by rated_by",
        *("_session_id created_by", "model"),
    ),
    "comment": ("comment comments annotator_comment reason reasoning explanation rationale",),
    "outcome": ("outcome",),
}
"""By what a column holds: the names that it may have. The first group that occurs wins: so an id wins over a text,
whose column may have the shorter name."""


def normal(name: str) -> str:
    """A name as `SYNONYMS` has it."""
    return re.sub("[ .-]", "_", name.strip().strip('"').lower())


@cache
def groups_of(column: str) -> list[list[str]]:
    """The names of a column, also as Turk has them: ``Input.…`` for what was shown, ``Answer.…`` for what was said."""
    prefix = "input_" if column in ("topic", "document") else "answer_"
    return [[*group.split(), *(prefix + name for name in group.split())] for group in SYNONYMS[column]]


def names_of(*columns: str) -> list[str]:
    """The names that these columns may have, the best first."""
    return [name for column in columns for group in SYNONYMS[column] for name in group.split()]


def place_of(column: str, header: Sequence[str], name: str, line: int) -> int | None:
    """Where a column stands below a header of normal names; None if it has none. Raises BadInput if two could be it."""
    for group in groups_of(column):
        found = [place for place, head in enumerate(header) if head in group]
        if len(found) > 1:
            both = " and ".join(header[place] for place in found)
            raise refuse(name, f"the columns {both} could both be the {column}: remove or rename one", line)
        if found:
            return found[0]
    return None


def places_of(
    needed: Iterable[str], optional: Iterable[str], header: Sequence[str], name: str, line: int
) -> dict[str, int]:
    """Where these columns stand. Raises BadInput if a needed one is missing, or two could be the same."""
    found = {column: place_of(column, header, name, line) for column in (*needed, *optional)}
    if missing := [column for column in needed if found[column] is None]:
        raise no_column(missing, header, name, line, "rename the right one in the file")
    return {column: place for column, place in found.items() if place is not None}


def no_column(missing: Sequence[str], header: Sequence[str], name: str, line: int, remedy: str) -> BadInput:
    wanted = " and ".join(f"the {column} (such as {' or '.join(names_of(column)[:2])})" for column in missing)
    return refuse(name, f"has no column for {wanted}; its columns are {', '.join(header)[:300]}: {remedy}", line)


def is_header(row: Sequence[str], known: Collection[str]) -> bool:
    """Whether a row names columns: it holds two known names, and no field is a number other than TREC's 0."""
    names = list(map(normal, row))
    return len(set(names) & set(known)) >= 2 and not any(is_number(field) for field in row if field.strip() != "0")


def is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True

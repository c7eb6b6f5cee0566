"""Lexical overlap from the texts in run files."""

from collections import defaultdict
from collections.abc import Iterable

from assess.ir.collection.html import canonical, plain_text
from assess.ir.collection.written import written_html
from assess.ir.common.rows import Qrel
from assess.ir.formats.runs import read_run, written_id
from assess.ir.scores.lexical_overlap import Overlaps, Reference
from assess.management.files import read_file


def of_files(paths: Iterable[str], qrels: Iterable[Qrel], level: int) -> Overlaps:
    """The overlap with the relevant answers of these run files. Every run is a team by itself."""
    texts: dict[tuple[str, str], str] = {}
    owners: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        file = read_file(path, lambda source, name: read_run(source, name, "task3"))
        for topic, text in file.lines.select("topic_id", "text").iter_rows():
            key = topic, written_id(topic, text)
            texts[key] = text
            owners[key].add(file.tag)
    documents = (qrel[:2] for qrel in qrels if qrel.grade >= level)
    return Overlaps(
        Reference(key[0], as_plain(texts[key]), frozenset(owners[key])) for key in documents if key in texts
    )


def as_plain(text: str) -> str:
    """A written answer in the form of a post's text: its words, and its TeX without dollars, on one line."""
    return plain_text(canonical(written_html(text)))

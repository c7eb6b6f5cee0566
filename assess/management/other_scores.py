"""Values that rankings and qrels don't give: lexical overlap of written answers, and those that are imported."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel, ScoreRow
from assess.ir.formats.runs import read_run, written_id
from assess.ir.formats.scores import read_scores
from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores import definitions
from assess.ir.scores.lexical_overlap import Answer, Overlaps
from assess.management.files import read_file

IMPORTED = tuple(name for name, measure in definitions.BY_NAME.items() if measure.input == "elsewhere")


class OtherScores:
    """What the options give besides runs and qrels."""

    def __init__(self, options: dict[str, Any], qrels: JudgedUnits) -> None:
        self.options, self.qrels = options, qrels
        self.imported: defaultdict[str, list[ScoreRow]] = defaultdict(list)
        for row in read_file(options["scores"], read_scores) if options["scores"] else ():
            self.imported[row.run].append(row)
        self.imported_measures = list(dict.fromkeys(row.measure for rows in self.imported.values() for row in rows))
        if wrong := [name for name in self.imported_measures if name not in IMPORTED]:
            raise refuse(options["scores"], f"{', '.join(wrong)} cannot be imported, only {', '.join(IMPORTED)}")
        self.used: set[str] = set()
        self.overlaps: Overlaps | None = None

    def require(self, names: Sequence[str]) -> None:
        """Raises BadInput for a measure that needs a file which is not given."""
        needed = [name for name in names if name in IMPORTED and name not in self.imported_measures]
        if definitions.LO in needed and not self.options["answers"]:
            needed.remove(definitions.LO)
        if needed:
            hint = "; LO also follows from the texts in --run files" if definitions.LO in needed else ""
            raise refuse("--measure", f"import the values of {', '.join(needed)} with --scores{hint}")

    def scores(self, name: str, stem: str, answers: Sequence[Answer], names: Sequence[str]) -> list[ScoreRow]:
        """The values of a run for these measures."""
        key = name if name in self.imported else stem
        self.used.add(key)
        rows = [row._replace(run=name) for row in self.imported.get(key, ()) if row.measure in names]
        if definitions.LO in names and definitions.LO not in self.imported_measures:
            self.overlaps = self.overlaps or overlaps_of_files(self.options["run"], self.qrels, self.options["level"])
            plain = [answer._replace(text=as_plain(answer.text)) for answer in answers]
            rows += self.overlaps.score(name, plain, name)
        return rows

    def check(self) -> None:
        """Raises BadInput for imported values of a run that is not there."""
        if unknown := sorted(self.imported.keys() - self.used):
            raise refuse(self.options["scores"], f"no run {', '.join(unknown)}: use the names that score prints")


def overlaps_of_files(paths: Iterable[str], qrels: Iterable[Qrel], level: int) -> Overlaps:
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
    return Overlaps(Answer(key[0], as_plain(texts[key]), frozenset(owners[key])) for key in documents if key in texts)


def as_plain(text: str) -> str:
    """A written answer in the form of a post's text: its words, and its TeX without dollars, on one line."""
    from assess.ir.collection.html import canonical, plain_text  # takes time and memory
    from assess.ir.collection.written import written_html

    return plain_text(canonical(written_html(text)))

"""``manage.py qrels``: verify a release; make a key that signs releases; compare two qrels files and what they say of
runs. Only ``verify`` needs the database."""

import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from assess.ir.common.problems import refuse
from assess.ir.common.rows import MeanScore, Qrel
from assess.ir.releases.differences import Move, changed_lines, count_changes, moves
from assess.ir.runs import ranking
from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores import measures
from assess.management.campaigns import CAMPAIGN, CampaignCommand, release_of
from assess.management.files import NamedRun, retrieved, visual_ids
from assess.management.options import OPTIONS
from assess.management.output import Cell
from assess.management.scoring import TASKS
from assess.services.releases import signing, verification


class Command(CampaignCommand):
    help = "Verify a release, or compare qrels."
    verbs = {
        "verify": [
            *CAMPAIGN,
            ("release", {"type": int, "help": "the number of the release"}),
            ("--sha256", {"default": "", "help": "the SHA-256 with which its manifest was published"}),
        ],
        "key": [("file", {"help": "where to write it; nobody else should be able to read it"})],
        "diff": [
            ("qrels", {"nargs": 2, "metavar": "QRELS", "help": "the earlier and the later qrels"}),
            ("--run", {"nargs": "+", "action": "extend", "default": [], "metavar": "FILE"}),
            *((f"--{name}", OPTIONS[name]) for name in ("format", "order", "average", "level", "formula-index")),
        ],
    }
    is_intact = True

    def handle(self, *args: str, **options: Any) -> str:
        """Ends with exit code 1 if something is not as it must be."""
        text = super().handle(*args, **options)
        if not self.is_intact:
            self.stdout.write(text, ending="")
            sys.exit(1)
        return text

    def verify(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Make a release again from the history of its judgments, and say what differs, and the decisions since."""
        self.header = ("what", "file", "topic", "id", "before", "after", "about")
        done = verification.verify(release_of(options["campaign"], options["release"]), options["sha256"])
        self.is_intact = done.is_intact
        for problem in done.problems:
            yield "problem", "", "", "", None, None, problem
        for change in done.lines:
            yield "line", *change, "in the database, and made again"
        for event in done.later:
            about = f"{event['by']}, {event['at']}"
            yield "later", "", event["topic_id"], event["doc_id"], event["before"] or None, event["after"], about
        self.stderr.write(
            f"{'verified' if done.is_intact else 'NOT verified'}: {len(done.files)} files; "
            f"{len(done.later)} later decisions"
        )
        signed = f"signed by {done.signed_by}" if done.signed_by else "not signed"
        self.stderr.write("\n".join([f"manifest: SHA-256 {done.sha256 or 'unknown'}, {signed}", *done.notes]))

    def key(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """Make a key that signs releases, for SIGNING_KEY_FILE."""
        self.header = ("file", "SHA-256 of its public key")
        yield options["file"], sha256(signing.make_key(Path(options["file"])).encode()).hexdigest()

    def diff(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List judgments that were changed, added or removed; with --run what this does to runs."""
        task3 = options["format"] == "task3"
        first, second = (self.read_qrels(path, "task3" if task3 else "trec") for path in options["qrels"])
        changed = changed_lines(first, second)
        self.stderr.write(", ".join(f"{count} {kind}" for kind, count in count_changes(changed).items()))
        if not options["run"]:
            self.header = ("change", "topic", "unit", "before", "after")
            yield from ((line.kind, line.topic_id, line.unit_id, line.before, line.after) for line in changed)
            return
        self.header = ("measure", "place before", "place after", "run", "before", "after", "change")
        for move in self.moves(first, second, options):
            yield move.measure, move.place_before, move.place_after, move.run, move.before, move.after, move.change

    def moves(self, first: list[Qrel], second: list[Qrel], options: dict[str, Any]) -> list[Move]:
        runs = self.read_runs(options)
        if len({TASKS[run.file.format] == "written" for run in runs}) > 1:
            raise refuse("--run", "runs of Task 3 have their own measures: compare them separately")
        units = visual_ids(options["formula_index"], retrieved(runs)) if options["formula_index"] else None
        both = (JudgedUnits(first), JudgedUnits(second))
        before, after = ([mean for run in runs for mean in scored(run, judged, units, options)] for judged in both)
        return moves(before, after)


def scored(
    run: NamedRun, judged: JudgedUnits, units: dict[str, str] | None, options: dict[str, Any]
) -> list[MeanScore]:
    """The means of a run by the measures of the labs."""
    task, by = TASKS[run.file.format], options["order"]
    names, average = measures.measures_of(task), options["average"] or measures.default_average(task)
    rows = ranking.resolve(run.file.ranking(by, run.path), units)
    values = measures.score(run.name, rows, judged, task, by=by, level=options["level"])
    return measures.means(measures.complete_scores(run.name, values, judged, names, average), names)

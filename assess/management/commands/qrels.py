"""``manage.py qrels``: verify a release; compare two qrels files. Only ``verify`` needs the database."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from assess.ir.formats.run_columns import RunFormat
from assess.ir.releases.differences import changed_lines, count_changes
from assess.management.campaigns import CAMPAIGN, CampaignCommand, release_of
from assess.management.output import OPTIONS, Cell
from assess.services.releases import verification


class Command(CampaignCommand):
    help = "Verify a release, or compare qrels."
    verbs = {
        "verify": [
            *CAMPAIGN,
            ("release", {"type": int, "help": "the number of the release"}),
            ("--sha256", {"default": "", "help": "the SHA-256 with which its manifest was published"}),
        ],
        "diff": [
            ("qrels", {"nargs": 2, "metavar": "QRELS", "help": "the earlier and the later qrels"}),
            ("--format", {**OPTIONS["format"], "help": "task3: with outcomes (default: any grades)"}),
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

    def diff(self, options: dict[str, Any]) -> Iterator[Sequence[Cell]]:
        """List judgments that were changed, added or removed."""
        read_as: RunFormat = "task3" if options["format"] == "task3" else "trec"
        first, second = (self.read_qrels(path, read_as) for path in options["qrels"])
        changed = changed_lines(first, second)
        self.stderr.write(", ".join(f"{count} {kind}" for kind, count in count_changes(changed).items()))
        self.header = ("change", "topic", "unit", "before", "after")
        yield from ((line.kind, line.topic_id, line.unit_id, line.before, line.after) for line in changed)

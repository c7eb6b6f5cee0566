"""Sources of judgments made elsewhere, for tests."""

from pathlib import Path

from assess.models import Campaign, JudgmentSource
from assess.services.pool import judgment_sources
from assess.services.pool.judgment_sources import SourceMeta
from tests.cast import on_progress


def make_source(
    campaign: Campaign, folder: Path, text: str, name: str = "other", kind: str = "machine", **meta: str
) -> JudgmentSource:
    """Import a file as olga: qrels, unless its first line shows something else."""
    path = folder / f"{name}.file"
    path.write_text(text)
    olga = campaign.members.get(role="organizer").user
    about = SourceMeta(file=path.name, name=name, kind=kind, **meta)
    return judgment_sources.import_source(campaign, path, about, olga, on_progress)


def qrels_of(grades: dict[str, int], topic: str = "A.1") -> str:
    return "".join(f"{topic}\t0\t{document}\t{grade}\n" for document, grade in grades.items())

"""A training round over a small collection, with gold grades from qrels."""

from html import escape
from pathlib import Path
from typing import NamedTuple

from assess.ir.rounds.allocation import Template
from assess.models import Campaign, Round
from assess.services.collection.preparing import CollectionFile
from assess.services.rounds import rounds
from tests.cast import Cast, import_files, make_campaign, make_cast, on_progress
from tests.kept import kept

GRADES = {"11": 3, "12": 2, "21": 1, "22": 0, "31": 0, "32": 3}
QRELS = "".join(f"A.101\t0\t{answer}\t{grade}\n" for answer, grade in GRADES.items()) + "A.102\t0\t11\t1\n"


def row(post_id: int, kind: int, **values: str) -> str:
    parts = "".join(f' {name}="{escape(value)}"' for name, value in values.items())
    return f'<row Id="{post_id}" PostTypeId="{kind}" Body="Post {post_id} says $x$."{parts} />'


def posts() -> str:
    """Threads 10, 20 and 30 with two answers each."""
    rows = [row(thread, 1, Title=f"Title {thread}") for thread in (10, 20, 30)]
    rows += [row(thread + n, 2, ParentId=str(thread)) for thread in (10, 20, 30) for n in (1, 2)]
    return "<posts>" + "".join(rows) + "</posts>"


def topics(*names: str) -> str:
    parts = [
        f'<Topic number="{name}"><Title>How large is it?</Title><Question>Question {name}.</Question></Topic>'
        for name in names
    ]
    return f"<Topics>{''.join(parts)}</Topics>"


def write(folder: Path, name: str, text: str) -> rounds.StoredFile:
    (folder / name).write_text(text)
    return rounds.StoredFile(folder / name, name)


@kept
def training_campaign(folder: Path) -> tuple[Campaign, Cast]:
    """A campaign with the small collection, and its people."""
    campaign = make_campaign()
    assert campaign.collection
    campaign.collection.posts.all().delete()
    file = write(folder, "Posts.xml", posts())
    import_files(campaign.collection, [CollectionFile("posts", file.name, file.path)])
    campaign.collection.refresh_from_db()
    return campaign, make_cast(campaign)


def plan(folder: Path, cast: Cast, **changes: object) -> rounds.RoundPlan:
    """Four documents of one topic for ada and emmy, one of each grade."""
    standard = rounds.RoundPlan(
        kind=Round.Kind.TRAINING,
        name="",
        topics=write(folder, "topics.xml", topics("A.101", "A.102")),
        qrels=write(folder, "qrels.tsv", QRELS),
        template=Template(1, 4),
        chosen=(),
        members=(cast.ada.pk, cast.emmy.pk),
    )
    return standard._replace(**changes)  # type: ignore[arg-type]


def make_round(campaign: Campaign, cast: Cast, folder: Path, **changes: object) -> Round:
    return rounds.prepare_round(campaign, plan(folder, cast, **changes), cast.olga, on_progress)


class TrainingLab(NamedTuple):
    """A campaign to train for, and a folder for the files of its rounds."""

    campaign: Campaign
    cast: Cast
    folder: Path

    def make_round(self, **changes: object) -> Round:
        return make_round(self.campaign, self.cast, self.folder, **changes)

    def write(self, name: str, text: str) -> rounds.StoredFile:
        return write(self.folder, name, text)

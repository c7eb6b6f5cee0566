"""A campaign with written answers, for tests of the two questions about them."""

from pathlib import Path
from typing import NamedTuple

from assess.models import Assignment, Campaign
from assess.services.pool import freezing, pools
from assess.services.runs import runs
from tests.cast import Cast, make_assignment, make_campaign, make_cast, on_progress
from tests.kept import kept
from tests.lab import add_run, judge


class WrittenLab(NamedTuple):
    """ada has A.1, with answers 11 and 12 of the collection and one each written by gpt and ext; emmy has A.2."""

    campaign: Campaign
    cast: Cast
    assignment: Assignment
    documents: dict[str, str]  # run: document, for A.1

    def judge_all(self, gpt: str = "0", ext: str = "2", assignment: Assignment | None = None) -> None:
        words = {"11": "3", "12": "0", self.documents["gpt"]: gpt, self.documents["ext"]: ext}
        judge(assignment or self.assignment, words)


@kept
def make_written(folder: Path) -> WrittenLab:
    campaign = make_campaign()
    cast = make_cast(campaign)
    add_run(campaign, folder, "A.1\t11\t1\t9\tposts\nA.1\t12\t2\t8\tposts\nA.2\t11\t1\t9\tposts\n")
    for run, words in {"gpt": "Surely it is 7.", "ext": "By Euler it is 8."}.items():
        path = folder / f"{run}.tsv"
        path.write_text(f"A.1\t1\t1.0\t{run}\t\t{words}\n")
        runs.import_runs(
            campaign, [runs.RunUpload(path, runs.RunMeta(path.name, run.upper(), format="task3"))], on_progress
        )
    pool = freezing.freeze(pools.build(campaign, on_progress), on_progress)
    assignment = make_assignment(pool, cast.ada)
    make_assignment(pool, cast.emmy, topic="A.2")
    written = campaign.topics.get(topic_id="A.1").written_answers
    documents = {run: written.get(body__contains=word).doc_id for run, word in (("gpt", "Surely"), ("ext", "Euler"))}
    return WrittenLab(campaign, cast, assignment, documents)

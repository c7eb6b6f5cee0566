"""The official qrels judged again: ``python -m benchmarks.rejudged`` (some minutes; ``--quick`` under 50 seconds).

The documents of the published qrels of ARQMath-2 (Task 1, 31,788 judgments) are imported as the pool of a campaign of
their topics, and are judged again by an assessor through the API, topic by topic. What is then released, from the
history of these judgments, must be the official file byte for byte, sorted by topic and document, and must verify.
``--year 2020`` takes ARQMath-1 (39,124), ``--quick`` every twelfth topic. The exit code is 0 only if both hold.
"""

import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.measuring import options_of, prepare_django, silent

if TYPE_CHECKING:
    from django.test import Client

    from assess.models import Assignment, Campaign, Pool

QUICK = 12
SENT_AT_ONCE = 200
"""Judgments in a request."""


class Year(NamedTuple):
    """The preset and the files of a year."""

    preset: str
    topics: str
    qrels: str


YEARS = {
    "2020": Year("arqmath1-task1", "topics.arqmath-2020-task1-origin.xml", "qrels.arqmath-2020-task1.txt"),
    "2021": Year("arqmath2-task1", "topics.arqmath-2021-task1-origin.xml", "qrels.arqmath-2021-task1-official.txt"),
}


def official(year: Year, every: int) -> list[str]:
    """The lines of the official file, without line ends, of every so many-th topic, sorted by topic and document."""
    from tests.real import DATA

    lines = [line.split("\t") for line in (DATA / "qrels" / year.qrels).read_text().splitlines()]
    topics = sorted({line[0] for line in lines})[::every]
    return ["\t".join(line) for line in sorted(line for line in lines if line[0] in topics)]


def make(year: Year, lines: list[str]) -> "Pool":
    """The campaign with its topics, and the pool of what was judged."""
    from django.contrib.auth.models import User

    from assess.services.campaign import campaigns
    from assess.services.pool import freezing, pools
    from tests.real import DATA

    olga = User.objects.create_user("olga")
    campaign = campaigns.create_campaign(name="Published", preset=year.preset, by=olga, seed=1)
    with (DATA / "topics" / year.topics).open("rb") as file:
        campaigns.import_topics(campaign, file, year.topics, olga)
    rows = [f"{topic}\t{document}\t{document}\t1\t1" for topic, _, document, _ in (line.split("\t") for line in lines)]
    text = "\n".join(["topic\tunit\tdoc\tvotes\truns", *rows, ""])
    return freezing.freeze(pools.import_pool(campaign, BytesIO(text.encode()), "pool.tsv"), silent, olga)


def judge_all(pool: "Pool", lines: list[str]) -> int:
    """Has an assessor judge every document as the lines say, through the API; returns how many were kept."""
    from django.contrib.auth.models import User
    from django.test import Client

    from assess.models import Member
    from assess.services.rounds import assignments

    ada = User.objects.create_user("ada")
    Member.objects.create(campaign=pool.campaign, user=ada, role=Member.Role.ASSESSOR)
    client = Client(SERVER_NAME="localhost")
    client.force_login(ada)
    grades = {(topic, document): grade for topic, _, document, grade in (line.split("\t") for line in lines)}
    topics = pool.campaign.topics.filter(entries__pool=pool).distinct()
    return sum(judge(client, assignments.assign_topic(pool, topic, ada, "main"), grades) for topic in topics)


def judge(client: "Client", assignment: "Assignment", grades: dict[tuple[str, str], str]) -> int:
    from django.urls import reverse

    from assess.models import Instance

    documents = Instance.objects.filter(entry__in=assignment.order)
    topic = assignment.topic.topic_id
    decisions = [
        {"instance": each.pk, "content_hash": each.content_hash, "word": grades[topic, each.doc_id]}
        for each in documents
    ]
    address = reverse("api-judgments", args=[assignment.pk])
    for start in range(0, len(decisions), SENT_AT_ONCE):
        part = decisions[start : start + SENT_AT_ONCE]
        answer = client.post(address, part, content_type="application/json")
        if answer.status_code != 200:
            raise SystemExit(f"{topic}: {answer.status_code} {answer.content.decode()}")
    return len(decisions)


def released(campaign: "Campaign") -> str:
    """The graded file of a new release."""
    from assess.services.releases import qrels

    pool = campaign.frozen_pool()
    assert pool
    by = campaign.members.get(role="organizer").user
    return qrels.as_file(qrels.release(pool, by, silent), "post")


def run(year: Year, every: int, work: Path) -> bool:
    """Prints a line for each step; whether the file is equal to the official one and the release verifies."""
    prepare_django(work)
    from assess.models import Qrels
    from assess.services.releases import verification

    lines = official(year, every)
    expected = "".join(f"{line}\n" for line in lines)
    start = time.process_time()

    def took(step: str) -> None:
        nonlocal start
        print(f"{step}: {time.process_time() - start:.1f} s")
        start = time.process_time()

    pool = make(year, lines)
    took(f"imported a pool of {len(lines):,} documents, and froze it")
    took(f"judged {judge_all(pool, lines):,} again through the API")
    judged = released(pool.campaign) == expected
    took(f"released as judged: {'the official file' if judged else 'ANOTHER FILE'}")
    verified = verification.verify(Qrels.objects.get()).is_intact
    took("verified" if verified else "NOT VERIFIED")
    return judged and verified


def main(arguments: list[str] | None = None) -> int:
    parser = options_of("rejudged", __doc__, f"every {QUICK}th topic")
    parser.add_argument("--year", choices=YEARS, default="2021")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return 0 if run(YEARS[asked.year], QUICK if asked.quick else 1, Path(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())

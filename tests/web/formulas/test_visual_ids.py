"""The pages of visual ids, from the search for mixed ids to an applied repair."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils.html import escape

from assess.models import Campaign, Instance, Job
from assess.services import job_kinds
from assess.services.formulas import repairs
from assess.services.formulas import visual_ids as service
from assess.services.releases import qrels
from benchmarks.parts import address_of
from tests.cast import Cast, import_index, make_assignment, make_campaign, make_cast, make_pool, make_posts, on_progress
from tests.lab import client_of, judge
from tests.services.formulas.test_visual_ids import MIXED
from tests.web.organizer import make_run
from tests.web.reports import squeeze
from tests.web.site import ROUTES

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("arqmath2-task2")


@pytest.fixture
def indexed(campaign: Campaign, cast: Cast, tmp_path: Path) -> Campaign:
    import_index(campaign, tmp_path, *MIXED)
    return campaign


def url(name: str, campaign: Campaign, *args: object) -> str:
    return address_of(name, **dict(zip(ROUTES[name], (campaign.slug, *args), strict=True)))


def page(person: User, address: str) -> str:
    response = client_of(person).get(address)
    assert response.status_code == 200
    return squeeze(response.content.decode())


def test_a_campaign_of_answers_has_no_page_of_formulas(tmp_path: Path) -> None:
    answers = make_campaign()
    import_index(answers, tmp_path, *MIXED)  # for another campaign on its collection
    olga = make_cast(answers).olga
    for address in (url("formulas", answers), url("formula_cluster", answers, "v1")):
        assert client_of(olga).get(address).status_code == 404
    assert url("formulas", answers) not in page(olga, url("campaign", answers))


def test_visual_ids_can_be_computed_for_formulas_without_one(campaign: Campaign, cast: Cast, tmp_path: Path) -> None:
    import_index(campaign, tmp_path, ("110", "", "x"))
    assert url("formulas_compute", campaign) in page(cast.olga, url("formulas", campaign))
    client_of(cast.olga).post(url("formulas_compute", campaign), {"scope": "submitted"})
    job = Job.objects.get()
    assert job.kind == "visual_ids"
    assert job.params == {"collection": campaign.collection_id, "scope": "submitted"}
    assert client_of(cast.olga).get(url("formulas", campaign)).context["running"] == job


def test_visual_ids_are_counted_and_found_with_their_writings(indexed: Campaign, cast: Cast) -> None:
    make_posts(indexed.collection)
    olga, formulas = client_of(cast.olga), url("formulas", indexed)
    text = page(cast.olga, formulas)
    assert '<strong class="num">5</strong> <span class="quiet">formulas with a visual id</span>' in text
    assert '<strong class="num">3</strong> <span class="quiet">visual ids</span>' in text
    assert url("formulas_compute", indexed) not in text  # no formula lacks an id
    for entered in ("v1", "120"):
        assert olga.get(f"{formulas}&find={entered}")["Location"] == url("formula_cluster", indexed, "v1")
    assert "404" in olga.get(f"{formulas}&find=404").context["find_form"].errors["find"][0]
    assert olga.get(url("formula_cluster", indexed, "404")).status_code == 404
    text = page(cast.olga, url("formula_cluster", indexed, "v1"))
    assert "<code>{x}+1</code>" in text
    assert f'<a href="{url("thread", indexed, "10")}?formula=110#formula">answer 11</a>' in text
    assert "<math" in text


def test_mixed_ids_are_found_reviewed_and_repaired_once(indexed: Campaign, cast: Cast) -> None:
    olga = client_of(cast.olga)
    olga.post(url("job_start", indexed, "mixed"))
    assert Job.objects.get().kind == "mixed"
    job_kinds.look_for_mixed.step(Job.objects.get(), on_progress)
    Job.objects.all().delete()
    draft = repairs.draft_repair(indexed.collection)
    assert f'href="?repair={draft.number}"' in page(cast.olga, url("formulas", indexed))
    repair, apply = (url(name, indexed, draft.number) for name in ("formula_repair", "formula_repair_apply"))
    text = page(cast.olga, repair)
    assert "keeps the id" in text
    assert "joins an id that looks the same" in text
    assert apply in text
    moved = olga.get(url("formula_repair_moved", indexed, draft.number)).content.decode()
    assert moved.splitlines()[1] == "210\tv1\t7\tjoins an id that looks the same"
    olga.post(apply)
    job = Job.objects.get()
    assert (job.kind, job.params) == ("repair", {"version": draft.pk})
    job_kinds.repair_visual_ids.step(job, on_progress)
    Job.objects.all().delete()
    assert olga.post(apply).status_code == 404
    assert apply not in page(cast.olga, repair)
    assert '<a href="?repair=2">Repaired</a>' in page(cast.olga, url("formulas", indexed))


def test_formulas_marked_as_not_matching_are_listed(indexed: Campaign, cast: Cast) -> None:
    pool = make_pool(indexed)
    judge(make_assignment(pool, cast.ada), {"110": "2", "210": "not_matching"})
    text = page(cast.olga, url("formulas", indexed))
    assert "<td>v1</td><td>210</td>" in text
    assert '<td class="long">why</td><td>ada</td>' in text
    assert repairs.not_matching(make_campaign("arqmath3-task2", "Other")) == []


@pytest.fixture
def released(indexed: Campaign, cast: Cast) -> Campaign:
    """Release 1 uses the visual ids of the index, release 2 those after the repair: 210 moved from v1 to 7."""
    pool = make_pool(indexed)
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "3"})
    qrels.release(pool, cast.olga, on_progress)
    service.apply_version(repairs.propose_repair(indexed.collection, cast.olga, on_progress))
    qrels.release(pool, cast.olga, on_progress)
    return indexed


def test_after_a_repair_the_next_step_is_another_release(indexed: Campaign, cast: Cast) -> None:
    make_run(indexed)
    pool = make_pool(indexed)
    indexed.topics.filter(topic_id="B.2").update(kind="removed")
    judge(make_assignment(pool, cast.ada), {"110": "1", "120": "0", "210": "3", "220": "0"})
    qrels.release(pool, cast.olga, on_progress)
    client = client_of(cast.olga)
    assert client.get(indexed.get_absolute_url()).context["next"].name == "Scores"
    service.apply_version(repairs.propose_repair(indexed.collection, cast.olga, on_progress))
    assert client.get(indexed.get_absolute_url()).context["next"].name == "Releases"


def test_two_releases_are_compared_and_a_visual_id_leads_to_its_judgments(released: Campaign, cast: Cast) -> None:
    compared = url("releases_compare", released)
    text = page(cast.kurt, compared)
    assert '<th scope="row">B.1</th><td>7</td><td class="num">—</td><td class="num">3</td>' in text
    assert '<th scope="row">B.1</th><td>v1</td><td class="num">3</td><td class="num">1</td>' in text
    assert "The files are identical." in page(cast.kurt, f"{compared}&unit=instance")
    assert "document=v1" not in text
    address = f"{url('pool_topic', released, 'B.1')}&document=v1"
    assert f'href="{escape(address)}">v1</a>' in page(cast.olga, compared)
    judgments = page(cast.olga, address)
    pooled = Instance.objects.filter(entry__topic__topic_id="B.1", entry__unit_id="v1").values_list("doc_id", flat=True)
    shown = [document for document in ("110", "120", "210", "220") if f"History of {document}" in judgments]
    assert shown == sorted(pooled)
    assert "History of 220" in page(cast.olga, address.replace("v1", "7"))  # not of the pool: all of the topic


def test_a_release_can_use_an_earlier_version_of_the_visual_ids(released: Campaign, cast: Cast) -> None:
    assert "Visual ids 2 (repaired)" in page(cast.olga, url("releases", released))
    client_of(cast.olga).post(url("releases", released), {"min_relevant": 0, "topics": "test", "visual_ids": 1})
    assert Job.objects.get().params["options"]["visual_ids"] == 1
    assert "version 2 (repaired)" in page(cast.olga, url("release", released, 2))
    protocol = client_of(cast.olga).get(url("release_manifest", released, 2)).json()
    assert (protocol["visual_ids"]["version"], protocol["visual_ids"]["kind"]) == (2, "repair")

"""The page of the pool: access, contents and buttons; the pool of a topic, and its documents without a text."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from pytest_django import Settings

from assess.models import Assignment, Campaign, Job, PoolEntry, Post
from assess.services.common.workspace import path_of
from assess.services.pool import freezing, pools
from tests.cast import (
    Cast,
    import_index,
    import_texts,
    make_assignment,
    make_campaign,
    make_cast,
    make_pool,
    on_progress,
)
from tests.lab import add_run, client_of, import_runs, judge
from tests.web.organizer import fields_refused, file, messages_of, started, text_of, url_of

pytestmark = pytest.mark.django_db


def has_button(page: str, name: str, campaign: Campaign, **arguments: object) -> bool:
    """Whether the page has an enabled button for the view."""
    form = re.search(rf'action="{url_of(name, campaign, **arguments)}">(.*?)</form>', page)
    return form is not None and " disabled" not in form[1]


def test_building_is_a_job(campaign: Campaign, cast: Cast, tmp_path: Path) -> None:
    client = client_of(cast.olga)
    page = text_of(client, "pool", campaign)
    assert "2 topics" in page
    assert f'href="{url_of("runs", campaign)}">Import runs' in page
    assert not has_button(page, "job_start", campaign, kind="pool")
    import_runs(campaign, tmp_path)
    assert "3 pooled runs" in text_of(client, "pool", campaign)
    response = client.post(url_of("job_start", campaign, kind="pool"))
    job = Job.objects.get()
    assert (job.kind, job.created_by, response["Location"]) == ("pool", cast.olga, started(job))
    page = text_of(client, "pool", campaign)
    assert job.get_absolute_url() in page
    assert not has_button(page, "job_start", campaign, kind="pool")  # one at a time
    watched = f"{reverse('job_progress', args=[job.pk])}?watched"
    assert f'hx-get="{watched}"' in page
    assert "HX-Refresh" not in client.get(watched).headers
    Job.objects.update(state=Job.State.FAILED)
    assert client.get(watched).headers["HX-Refresh"] == "true"


def test_importing_a_pool_is_a_job_with_its_file(campaign: Campaign, cast: Cast) -> None:
    client, address = client_of(cast.olga), url_of("pool", campaign)
    refused = client.post(address, {"file": ""})
    assert (refused.status_code, fields_refused(refused)) == (422, {"file"})
    client.post(address, {"file": file("ready.tsv", "topic\tunit\tdoc\tvotes\truns\nA.1\t11\t11\t1\t1\n")})
    job = Job.objects.get()
    assert (job.kind, job.params["name"]) == ("pool_file", "ready.tsv")
    assert path_of(job.params["path"]).read_text().startswith("topic\tunit")


def test_an_open_pool_shows_its_size_by_topic(cast: Cast) -> None:
    formulas = make_campaign("arqmath3-task2", "Formulas")
    make_pool(formulas, frozen=False)
    response = client_of(cast.olga).get(url_of("pool", formulas))
    sizes = [(row.topic.topic_id, row.entries, row.documents) for row in response.context["topics"]]
    assert sizes == [("B.1", 2, 4), ("B.2", 2, 4)]  # v1 with three instances, v2 with one
    page = " ".join(response.content.decode().split())
    assert "4 visually distinct formulas with 8 instances for 2 topics" in page
    assert has_button(page, "pool_freeze", formulas)
    assert not has_button(page, "pool_unfreeze", formulas)
    asked = client_of(cast.olga).post(url_of("pool_leave_out", formulas)).context
    assert "Nothing would be left to judge in 2 topics: B.1, B.2." in asked["text"]


def test_freezing_is_a_job(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign, frozen=False)
    olga = client_of(cast.olga)
    page = text_of(olga, "pool", campaign)
    assert "4 of 4 different documents (100.0 %) without a text" in page  # the collection has no files
    refused = olga.post(url_of("pool_freeze", campaign), follow=True)
    assert messages_of(refused) == ["Not frozen: read the warning, then tick “Freeze anyway”."]
    assert not Job.objects.exists()
    olga.post(url_of("pool_freeze", campaign), {"anyway": "on"})
    assert Job.objects.get().params == {"pool": pool.pk}


def test_documents_without_text_are_left_out_before_the_freeze(campaign: Campaign, cast: Cast, tmp_path: Path) -> None:
    rows = '<row Id="10" PostTypeId="1" Title="T" Body="Q"/><row Id="11" PostTypeId="2" ParentId="10" Body="A"/>'
    import_texts(campaign.collection, tmp_path, posts=f"<posts>{rows}</posts>")  # of 11, 12, 21 and 99 only 11
    pool = make_pool(campaign, frozen=False)
    olga = client_of(cast.olga)
    asked = olga.post(url_of("pool_leave_out", campaign)).context
    assert asked["title"] == "Leave 3 of 4 different documents (75.0 %) out?"
    assert asked["text"].endswith("back. Documents left: A.1 (1 of 4) and A.2 (1 of 4).")
    assert PoolEntry.objects.filter(pool=pool).count() == 8, "nothing is done yet"
    assert messages_of(olga.post(url_of("pool_leave_out", campaign), {"sure": "yes"}, follow=True)) == [
        "Left 6 documents out of the pool. Rebuilding it brings them back."
    ]
    assert list(PoolEntry.objects.filter(pool=pool).values_list("unit_id", flat=True)) == ["11", "11"]
    page = text_of(olga, "pool", campaign)
    assert "6 documents without a text left out." in page
    assert "without a text:" not in page
    pool.refresh_from_db()
    assert (pool.left_out[0], len(pool.left_out)) == (["A.1", "12", "12"], 6)
    assert "Nothing is left" not in page + text_of(olga, "campaign", campaign)
    PoolEntry.objects.filter(topic__topic_id="A.2").delete()
    for name in ("pool", "campaign"):
        assert re.search(r"Nothing is left to judge in 1 topic\W.*A\.2", text_of(olga, name, campaign), re.DOTALL), name
    freezing.freeze(pool, on_progress, cast.olga)
    assert "frozen" in messages_of(olga.post(url_of("pool_leave_out", campaign), follow=True))[0]


def test_a_frozen_pool_counts_missing_texts_and_can_be_unfrozen_then_discarded(campaign: Campaign, cast: Cast) -> None:
    make_assignment(make_pool(campaign), cast.ada)
    client, discard = client_of(cast.olga), url_of("pool_discard", campaign)
    page = text_of(client, "pool", campaign)
    assert "1 of 4 different documents (25.0 %)" in page  # 99, in both topics
    assert url_of("pool_missing_file", campaign, version=1) in page
    assert "1 assignment will be" in page
    client.post(discard)
    assert campaign.frozen_pool()
    client.post(url_of("pool_unfreeze", campaign))
    assert campaign.frozen_pool() is None
    assert not Assignment.objects.exists()
    for said in ("Pool discarded.", "This pool no longer exists. Reload the page."):
        assert messages_of(client.post(discard, follow=True))[-1] == said
        assert campaign.current_pool() is None


def test_an_outdated_pool_can_be_built_again_but_not_frozen(campaign: Campaign, cast: Cast, tmp_path: Path) -> None:
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    import_runs(campaign, tmp_path)
    pool, client = pools.build(campaign, on_progress), client_of(cast.olga)
    job = Job.objects.create(campaign=campaign, kind="runs", state="done", created_by=cast.olga)
    assert "Freeze the pool" in client.get(job.get_absolute_url()).content.decode()
    add_run(campaign, tmp_path, "A.1\t22\t1\t9\tlate\n")
    for address in (job.get_absolute_url(), campaign.get_absolute_url(), url_of("pool", campaign)):
        page = client.get(address).content.decode()
        assert "Freeze the pool" not in page
        assert "Rebuild" in page
    page = text_of(client, "pool", campaign)
    assert re.search('id="outdated">[^<]*runs have changed', page)
    assert has_button(page, "job_start", campaign, kind="pool")
    assert not has_button(page, "pool_freeze", campaign)
    assert f"<dt>Version</dt><dd>{pool.version}</dd>" in page
    pools.build(campaign, on_progress)
    assert has_button(text_of(client, "pool", campaign), "pool_freeze", campaign)


def test_an_imported_pool_is_outdated_by_new_rules(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign, frozen=False)
    rules = campaign.protocol | {"primary_depth": 3}
    for change, reason in (({"seed": 8}, "the seed has"), ({"seed": campaign.seed, "protocol": rules}, "rules have")):
        Campaign.objects.filter(pk=campaign.pk).update(**change)
        page = text_of(client_of(cast.olga), "pool", campaign)
        assert re.search(f'id="outdated">Discard[^<]*: {reason} changed', page)
        assert not has_button(page, "pool_freeze", campaign)


@pytest.fixture
def formulas() -> Campaign:
    campaign = make_campaign("arqmath3-task2", "Formulas")
    make_cast(campaign)
    return campaign


def page_of(campaign: Campaign, topic: str) -> str:
    return text_of(client_of(make_cast().olga), "pool_topic", campaign, topic_id=topic)


def test_a_formula_is_shown_with_a_link_to_the_thread_of_each_instance(formulas: Campaign) -> None:
    make_pool(formulas)
    page = page_of(formulas, "B.1")
    assert page.count('data-tex="x+1"') == 5  # the query, v1 for each of its instances, v2
    thread = reverse("thread", args=[formulas.slug, "10"])
    assert f'<a href="{thread}?formula=110#post-11">11</a>' in page


def test_before_the_freeze_formulas_come_from_the_index(formulas: Campaign, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    Post.objects.all().delete()
    import_index(formulas, tmp_path, ("110", "v1", "x^3"))
    make_pool(formulas, frozen=False)
    page = page_of(formulas, "B.1")
    assert 'data-tex="x^3"' in page
    assert "<div>—</div></th> <td>v2</td>" in page  # not in the index


def test_documents_stand_by_votes_with_the_judgments_of_each_assignment(campaign: Campaign, cast: Cast) -> None:
    pool = make_pool(campaign)
    first, second = make_assignment(pool, cast.ada), make_assignment(pool, cast.emmy, kind="dual")
    judge(first, {"11": "3", "12": "do_not_know"})
    judge(second, {"11": "0"})
    olga, address = client_of(cast.olga), url_of("pool_topic", campaign, topic_id="A.1")
    assert address in olga.get(url_of("progress", campaign)).content.decode()
    rows = olga.get(address).context["rows"]
    shown = [
        (row.card.instance.doc_id, [each and (each.decision, each.comment) for each in row.judgments]) for row in rows
    ]
    assert shown == [
        ("11", [("3", "why"), ("0", "why")]),
        ("12", [("do_not_know", "why"), None]),
        ("21", [None, None]),
        ("99", [None, None]),
    ]
    place = first.order.index(rows[0].card.instance.entry_id) + 1
    assert rows[0].preview == reverse("preview", args=[campaign.slug, first.pk, place])
    page = page_of(campaign, "A.1")
    for said in ("(dual)", '<td class="num">1.5000</td> <td class="num">2</td>', '#post-11" aria-label="Thread of 11"'):
        assert said in page
    assert '<span class="excerpt">Answer 11 says <span class="closed"><span' in page
    assert (page.count(">missing<"), page.count('<span class="excerpt">')) == (1, 3)  # 99 has no text
    assert olga.get(url_of("pool_topic", campaign, topic_id="A.9")).status_code == 404


def test_documents_without_a_text_are_listed_by_topic_with_runs_and_votes(campaign: Campaign, cast: Cast) -> None:
    make_pool(campaign)  # 99 has no text
    assert client_of(cast.olga).get(url_of("pool_missing_file", campaign, version=1)).content.decode() == (
        "topic\tdocument\tpost\truns\tvotes\nA.1\t99\t99\t1\t0.2500\nA.2\t99\t99\t1\t0.2500\n"
    )

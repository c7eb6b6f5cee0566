"""The page of the pool: who gets in, what it says, what it refuses."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.defaultfilters import date
from django.urls import reverse
from django.utils.timezone import localtime

from assess.models import Assignment, Instance, Job
from assess.services.collection.preparing import SourceFile
from assess.services.pool import extension, pools
from tests.cast import import_files, make_assignment, make_campaign, make_cast, make_pool, on_progress
from tests.lab import add_run, client_of, import_runs, judge, make_siblings
from tests.web.organizer import others, queries_with, text_of, told, url_of

pytestmark = pytest.mark.django_db

GET = ["pool", "pool_extend", "pool_file", "pool_missing", "pool_missing_file", "pool_topic"]
POST = ["pool_build", "pool_import", "pool_freeze", "pool_discard", "pool_unfreeze"]


@pytest.mark.parametrize("name", GET + POST)
@others
def test_the_pool_is_the_organizers(name, person, status, campaign, cast):
    make_assignment(make_pool(campaign), cast.emmy)
    of_version = {"version": 1}
    arguments = {
        "pool_file": of_version,
        "pool_missing": of_version,
        "pool_missing_file": of_version,
        "pool_topic": {"topic_id": "A.1"},
    }
    client = client_of(person and getattr(cast, person))
    response = getattr(client, "get" if name in GET else "post")(url_of(name, campaign, **arguments.get(name, {})))
    assert response.status_code == status
    assert person or response.url.startswith(reverse("login"))
    assert Assignment.objects.count() == 1
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", POST)
def test_a_look_at_a_button_changes_nothing(name, campaign, cast):
    assert client_of(cast.olga).get(url_of(name, campaign)).status_code == 405


def test_without_runs_the_page_says_what_is_missing(campaign, cast):
    page = text_of(client_of(cast.olga), "pool", campaign)
    assert "2 topics" in page
    assert "No run with a pool role yet." in page
    assert '<button class="button" disabled>Build pool</button>' in page


def test_building_is_a_job(campaign, cast, tmp_path):
    import_runs(campaign, tmp_path)
    client = client_of(cast.olga)
    assert "3 pooled runs" in text_of(client, "pool", campaign)
    response = client.post(url_of("pool_build", campaign))
    job = Job.objects.get()
    assert (job.kind, job.created_by, response.url) == ("pool", cast.olga, job.get_absolute_url())
    page = text_of(client, "pool", campaign)
    assert "A job is at work" in page
    assert "Build pool</button>" not in page  # one at a time


def test_an_imported_pool_goes_to_a_job_with_its_file(campaign, cast):
    file = SimpleUploadedFile("ready.tsv", b"topic\tunit\tdoc\tvotes\truns\nA.1\t11\t11\t1\t1\n")
    client_of(cast.olga).post(url_of("pool_import", campaign), {"file": file})
    job = Job.objects.get()
    assert (job.kind, job.params["name"]) == ("pool_file", "ready.tsv")
    with open(job.params["path"], "rb") as stored:
        assert stored.read().startswith(b"topic\tunit")


def test_an_import_without_a_file_is_refused_at_the_field(campaign, cast):
    response = client_of(cast.olga).post(url_of("pool_import", campaign))
    assert response.status_code == 400
    assert response.context["form"].errors == {"file": ["This field is required."]}


def test_an_open_pool_shows_its_size_by_topic(cast):
    formulas = make_campaign("arqmath3-task2", "Formulas")
    make_pool(formulas, frozen=False)
    response = client_of(cast.olga).get(url_of("pool", formulas))
    sizes = [(one.topic.topic_id, one.entries, one.documents) for one in response.context["topics"]]
    assert sizes == [("B.1", 2, 4), ("B.2", 2, 4)]  # v1 with three instances, v2 with one
    page = " ".join(response.content.decode().split())
    assert "4 visually distinct formulas with 8 instances for 2 topics" in page
    assert "Freeze</button>" in page
    assert "Unfreeze" not in page


@pytest.mark.parametrize(("task", "missing"), [("task1", 3), ("task2", 2)])
def test_an_open_pool_tells_how_many_texts_are_missing(task, missing, cast, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    campaign = make_campaign(f"arqmath3-{task}", "Half")
    rows = '<row Id="10" PostTypeId="1" Title="T" Body="Q"/><row Id="11" PostTypeId="2" ParentId="10" Body="A"/>'
    path = tmp_path / "Posts.xml"
    path.write_text(f"<posts>{rows}</posts>")  # of 11, 12, 21 and 99, in which 110, 120, 210 and 220 would stand
    import_files(campaign.collection, [SourceFile("posts", path.name, path)], on_progress)
    pool = make_pool(campaign, frozen=False)
    Instance.objects.filter(entry__pool=pool, doc_id="120").update(post_id="11")
    client = client_of(cast.olga)
    page = text_of(client, "pool", campaign)
    assert f"{missing} of 4 different documents ({100 * missing / 4:.1f} %) have no text" in page
    lines = client.get(url_of("pool_missing_file", campaign, version=1)).content.decode().splitlines()
    assert len(lines) == 1 + 2 * missing


def test_freezing_is_a_job_for_this_pool(campaign, cast):
    pool = make_pool(campaign, frozen=False)
    client_of(cast.olga).post(url_of("pool_freeze", campaign))
    assert Job.objects.get().params == {"pool": pool.pk}


def test_a_frozen_pool_names_missing_texts_and_can_be_unfrozen(campaign, cast):
    make_assignment(make_pool(campaign), cast.ada)
    client = client_of(cast.olga)
    page = text_of(client, "pool", campaign)
    assert "1 of 4 different documents (25.0 %) has no text" in page  # 99, in both topics
    assert "<li>99</li>" not in page
    assert reverse("pool_missing", args=[campaign.slug, 1]) in page
    assert "1 assignment will be taken back" in page
    response = client.post(url_of("pool_unfreeze", campaign), follow=True)
    assert told(response) == ["The pool is open again. All assignments are taken back."]
    assert campaign.frozen_pool() is None
    assert not Assignment.objects.exists()


def test_after_the_first_judgment_a_pool_stays_frozen(campaign, cast):
    judge(make_assignment(make_pool(campaign), cast.ada), {"11": "3"})
    client = client_of(cast.olga)
    assert "The pool has been judged, so it stays as it is" in text_of(client, "pool", campaign)
    assert "stays as it is" in told(client.post(url_of("pool_unfreeze", campaign), follow=True))[0]
    assert campaign.frozen_pool()


def test_an_open_pool_is_discarded_a_frozen_one_is_not(campaign, cast):
    client = client_of(cast.olga)
    make_pool(campaign, frozen=False)
    assert told(client.post(url_of("pool_discard", campaign), follow=True)) == ["The pool is discarded."]
    assert campaign.current_pool() is None
    assert "no such pool" in told(client.post(url_of("pool_discard", campaign), follow=True))[0]
    make_pool(campaign)
    assert "Unfreeze it" in told(client.post(url_of("pool_discard", campaign), follow=True))[0]
    assert campaign.frozen_pool()


def test_the_pool_is_downloaded_as_the_command_prints_it(campaign, cast):
    pool = make_pool(campaign)
    response = client_of(cast.olga).get(url_of("pool_file", campaign, version=1))
    assert response["Content-Disposition"] == f'attachment; filename="{campaign.slug}.pool-1.tsv"'
    lines = response.content.decode().splitlines()
    assert lines[:3] == ["topic\tunit\tdoc\tvotes\truns", "A.1\t11\t11\t1.5\t2", "A.1\t12\t12\t1\t1"]
    assert response.content.decode() == pools.as_file(pool)


def test_a_topic_shows_entries_by_votes(campaign, cast):
    make_pool(campaign)
    client = client_of(cast.olga)
    response = client.get(url_of("pool_topic", campaign, topic_id="A.1"))
    assert [row.entry.unit_id for row in response.context["rows"]] == ["11", "12", "21", "99"]
    page = " ".join(response.content.decode().split())
    assert '<td class="num">1.5000</td><td class="num">2</td>' in page
    assert page.count(">missing<") == 1  # 99
    assert client.get(url_of("pool_topic", campaign, topic_id="A.9")).status_code == 404


def test_more_topics_ask_no_more_queries():
    assert queries_with(12, "pool") == queries_with(2, "pool")


def test_a_build_asked_for_twice_is_told_and_done_once(campaign, cast):
    client = client_of(cast.olga)
    client.post(url_of("pool_build", campaign))
    assert "has not finished" in told(client.post(url_of("pool_build", campaign), follow=True))[0]
    assert campaign.jobs.count() == 1


def test_a_seeded_pool_names_the_pool_of_answers(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    answers, formulas = make_siblings(tmp_path)
    client = client_of(make_cast(formulas).olga)
    assert "come in from any rank (our rule: ARQMath-1" in text_of(client, "pool", formulas)
    pools.build(formulas, on_progress)
    assert f"; by pool {answers.frozen_pool().version} of Answers</dd>" in text_of(client, "pool", formulas)
    overview = text_of(client, "campaign", formulas)
    assert "Pooled to depth 1, and formulas of pooled answers (our rule)." in overview
    assert "from any rank" not in text_of(client, "pool", answers)


def test_a_pool_that_runs_have_made_outdated_is_to_be_built_again_not_frozen(campaign, cast, tmp_path):
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
        assert ("Make the pool again" in page) == (address != url_of("pool", campaign))
    assert "Make it again: runs have changed since" in client.get(campaign.get_absolute_url()).content.decode()
    page = text_of(client, "pool", campaign)
    assert "Make it again: runs have changed since." in page
    assert '<button class="button">Build again</button>' in page
    assert "Freeze</button>" not in page
    assert f"<dt>Version</dt><dd>{pool.version}</dd>" in page
    pools.build(campaign, on_progress)
    assert "Freeze</button>" in text_of(client, "pool", campaign)


@pytest.mark.parametrize(("field", "said"), [("seed", "the seed has changed"), ("protocol", "rules have changed")])
def test_a_pool_of_a_file_is_outdated_by_other_rules(field, said, campaign, cast):
    make_pool(campaign, frozen=False)
    now = {"seed": 8, "protocol": campaign.protocol | {"primary_depth": 3}}
    type(campaign).objects.filter(pk=campaign.pk).update(**{field: now[field]})
    page = text_of(client_of(cast.olga), "pool", campaign)
    assert f"Make it again: {said} since. Discard it, then import it anew." in page
    assert "Freeze</button>" not in page


def test_before_a_seeded_pool_is_built_the_page_says_what_it_lacks(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    answers, campaign = make_siblings(tmp_path)
    client = client_of(campaign.members.get().user)
    assert "The protocol seeds the pool from Task 1, but" not in text_of(client, "pool", campaign)
    pools.unfreeze(answers.frozen_pool())
    page = text_of(client, "pool", campaign)
    assert "The protocol seeds the pool from Task 1, but no campaign of answers" in page
    assert '<button class="button" disabled>Build pool</button>' in page


def test_an_open_pool_that_can_no_longer_be_seeded_says_what_is_lacking_and_is_not_built_again(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    answers, campaign = make_siblings(tmp_path)
    pools.build(campaign, on_progress)
    pools.unfreeze(answers.frozen_pool())
    page = text_of(client_of(campaign.members.get().user), "pool", campaign)
    assert "Make it again: it is seeded from Task 1, where there is no longer just one frozen pool of answers." in page
    assert page.count("Freeze that pool first") == 1
    assert '<button class="button" disabled>Build again</button>' in page
    assert "Freeze</button>" not in page


def test_formulas_that_stand_for_themselves_are_not_called_visually_distinct():
    campaign = make_campaign("ntcir12-formula")
    cast, pool = make_cast(campaign), make_pool(campaign)
    client = client_of(cast.olga)
    job = Job.objects.create(campaign=campaign, kind="freeze", state="done", created_by=cast.olga, result={"pool": 1})
    whole = [campaign.get_absolute_url(), url_of("pool", campaign), job.get_absolute_url()]
    of_topic = [url_of("pool_topic", campaign, topic_id="B.1"), campaign.topics.first().get_absolute_url()]
    assert pool.entries.count() == 4
    for addresses, said in ((whole, "4 formulas for 2 topics"), (of_topic, "2 formulas")):
        for address in addresses:
            page = client.get(address).content.decode()
            assert said in page
            assert "visually distinct" not in page


def test_an_extended_pool_tells_when_and_by_whom(cast, campaign, tmp_path):
    pool = make_pool(campaign)
    late = add_run(campaign, tmp_path, "A.1\t22\t1\t9\tlate\n", pool_role="none")
    extension.extend(pool, extension.Change({late.pk: "primary"}, {}), cast.olga, on_progress)
    page = text_of(client_of(cast.olga), "pool", campaign)
    assert "<dt>Version</dt><dd>2</dd>" in page
    assert f"<dt>Extended</dt><dd>{date(localtime(pool.extended), 'j F Y, H:i')} by olga</dd>" in page


def test_formulas_of_topics_are_set_with_their_source_beside_them():
    campaign = make_campaign("arqmath3-task2", "Formulas")
    campaign.topics.update(latex=r"\frac{a}{b}")
    client = client_of(make_cast(campaign).olga)
    make_pool(campaign)
    page = text_of(client, "pool", campaign)
    assert page.count(r'data-tex="\frac{a}{b}"') == page.count("<mfrac>") == 2


def test_what_a_pool_offers_first_fits_its_state(campaign, cast):
    def offered():
        return re.findall(
            "<(?:a|button)[^>]*>([^<]+)</", text_of(client_of(cast.olga), "pool", campaign).split("<h1>")[1]
        )

    assert offered()[0] == "Plan"
    pool = make_pool(campaign, frozen=False)
    assert offered()[:3] == ["Plan", "Report", "Download (TSV)"]
    pools.freeze(pool, on_progress, cast.olga)
    assert offered()[:3] == ["Report", "Download (TSV)", "Assign topics"]
    page = text_of(client_of(cast.olga), "pool", campaign)
    assert f"<dt>Frozen</dt><dd>{date(localtime(pool.frozen), 'j F Y, H:i')} by olga</dd>" in page

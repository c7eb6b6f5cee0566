"""Pool and assignments: who gets in, what the pages say, what they refuse."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.defaultfilters import date
from django.urls import reverse
from django.utils.timezone import localtime

from assess.models import Assignment, Instance, Job
from assess.services import collections, extension, pools
from tests.cast import import_files, make_assignment, make_campaign, make_cast, make_pool, tell
from tests.lab import add_run, client_of, import_runs, judge, make_siblings, queries

pytestmark = pytest.mark.django_db

GET = ["pool", "pool_extend", "pool_file", "pool_missing", "pool_missing_file", "pool_topic", "assignments"]
POST = ["pool_build", "pool_import", "pool_freeze", "pool_discard", "pool_unfreeze", "assign", "spread", "take_back"]


def url_of(name, campaign, **arguments):
    return reverse(name, kwargs={"slug": campaign.slug, **arguments})


def text_of(client, name, campaign, **arguments):
    response = client.get(url_of(name, campaign, **arguments))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def told(response):
    """What the next page says."""
    return [str(message) for message in response.context["messages"]]


@pytest.mark.parametrize("name", GET + POST)
@pytest.mark.parametrize(("person", "status"), [("mallory", 404), ("ada", 403), ("kurt", 403), (None, 302)])
def test_pool_and_assignments_are_the_organizers(name, person, status, campaign, cast):
    assignment = make_assignment(make_pool(campaign), cast.emmy)
    arguments = {
        "pool_file": {"version": 1},
        "pool_missing": {"version": 1},
        "pool_missing_file": {"version": 1},
        "pool_topic": {"topic_id": "A.1"},
        "take_back": {"pk": assignment.pk},
    }
    client = client_of(person and getattr(cast, person))
    response = getattr(client, "get" if name in GET else "post")(url_of(name, campaign, **arguments.get(name, {})))
    assert response.status_code == status
    assert person or response.url.startswith(reverse("login"))
    assert Assignment.objects.count() == 1
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", POST)
def test_a_look_at_a_button_changes_nothing(name, campaign, cast):
    arguments = {"pk": 1} if name == "take_back" else {}
    assert client_of(cast.olga).get(url_of(name, campaign, **arguments)).status_code == 405


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
    import_files(campaign.collection, [collections.Upload("posts", path.name, path)], tell)
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


def test_topics_are_assigned_together_or_not_at_all(campaign, cast):
    pool = make_pool(campaign)
    one, two = campaign.topics.all()
    client = client_of(cast.olga)
    chosen = {"topics": [one.pk, two.pk], "assessor": cast.ada.pk, "round": "main"}
    assert told(client.post(url_of("assign", campaign), chosen, follow=True)) == ["ada has 2 more topics."]
    taken = {"topics": [one.pk], "assessor": cast.emmy.pk, "round": "main"}
    assert "ada's already" in told(client.post(url_of("assign", campaign), taken, follow=True))[0]
    assert told(client.post(url_of("assign", campaign), taken | {"round": "dual"}, follow=True)) == [
        "emmy has 1 more topic."
    ]
    both = {"topics": [one.pk, two.pk], "assessor": cast.emmy.pk, "round": "dual"}  # emmy has the first already
    assert "emmy has topic A.1 already" in told(client.post(url_of("assign", campaign), both, follow=True))[0]
    assert Assignment.objects.filter(round__pool=pool, assessor=cast.emmy).count() == 1


def test_all_open_topics_are_assigned_with_one_tick(cast):
    campaign = make_campaign(name="Large", topics=4)
    make_cast(campaign)
    make_assignment(make_pool(campaign), cast.ada, topic="A.1")
    client = client_of(cast.olga)

    def assign(person, kind):
        given = {"all_open": "on", "assessor": person.pk, "round": kind}
        return told(client.post(url_of("assign", campaign), given, follow=True))

    assert assign(cast.emmy, "main") == ["emmy has 3 more topics."]
    assert assign(cast.ada, "dual") == ["ada has 3 more topics."]  # A.1 is ada's in the main round
    assert assign(cast.emmy, "dual") == ["emmy has 1 more topic."]
    response = client.post(url_of("assign", campaign), {"all_open": "on", "assessor": cast.kurt.pk, "round": "dual"})
    assert response.context["form"].errors == {"all_open": ["No such topic is left."]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"topics": []}, "topics"),
        ({"all_open": "on", "assessor": ""}, "assessor"),
        ({"assessor": ""}, "assessor"),
        ({"assessor": "olga"}, "assessor"),
        ({"round": "x"}, "round"),
    ],
)
def test_a_wrong_assignment_is_refused_at_the_field(change, field, campaign, cast):
    make_pool(campaign)
    topic = campaign.topics.first()
    if change.get("assessor") == "olga":  # an organizer does not judge
        change = {"assessor": cast.olga.pk}
    given = {"topics": [topic.pk], "assessor": cast.ada.pk, "round": "main"} | change
    response = client_of(cast.olga).post(url_of("assign", campaign), given)
    assert response.status_code == 400
    assert list(response.context["form"].errors) == [field]
    ticked = f'value="{topic.pk}" id="t{topic.pk}" checked' in response.content.decode()
    assert ticked == (field != "topics")
    assert not Assignment.objects.exists()


def test_open_topics_are_spread_evenly(cast):
    campaign = make_campaign(name="Large", topics=5)
    make_cast(campaign)
    pool = make_pool(campaign)
    make_assignment(pool, cast.ada, topic="A.3")
    chosen = {"assessors": [cast.ada.pk, cast.emmy.pk]}
    response = client_of(cast.olga).post(url_of("spread", campaign), chosen, follow=True)
    assert told(response) == ["4 topics assigned."]
    found = Assignment.objects.filter(round__pool=pool).values_list("topic__topic_id", "assessor__username")
    # ada had one, so emmy begins
    assert sorted(found) == [("A.1", "emmy"), ("A.2", "ada"), ("A.3", "ada"), ("A.4", "emmy"), ("A.5", "ada")]


def test_spreading_over_nobody_is_refused(campaign, cast):
    make_pool(campaign)
    response = client_of(cast.olga).post(url_of("spread", campaign))
    assert response.status_code == 400
    assert response.context["spread"].errors == {"assessors": ["Tick at least one assessor."]}


def test_only_untouched_topics_are_taken_back(campaign, cast):
    pool = make_pool(campaign)
    judged, fresh = make_assignment(pool, cast.ada), make_assignment(pool, cast.ada, topic="A.2")
    judge(judged, {"11": "3"})
    client = client_of(cast.olga)
    page = text_of(client, "assignments", campaign)
    assert url_of("take_back", campaign, pk=fresh.pk) in page
    assert url_of("take_back", campaign, pk=judged.pk) not in page
    assert "1 of 4" in page
    assert "that work stays" in told(client.post(url_of("take_back", campaign, pk=judged.pk), follow=True))[0]
    client.post(url_of("take_back", campaign, pk=fresh.pk))
    assert list(Assignment.objects.all()) == [judged]


def test_what_arrives_after_a_topic_was_taken_back_is_told(campaign, cast):
    pool = make_pool(campaign)
    mine = make_assignment(pool, cast.ada)
    olga = client_of(cast.olga)
    olga.post(url_of("take_back", campaign, pk=mine.pk))
    assert "arrived after" not in text_of(olga, "assignments", campaign)
    judge(mine, {"11": "3", "12": "0"})
    make_assignment(pool, cast.emmy)
    page = text_of(olga, "assignments", campaign)
    assert "ada: 2 judgments arrived after it was taken back" in page
    assert "0 of 4" in page  # emmy's
    make_assignment(pool, cast.ada, kind="dual")
    assert "ada: 2 judgments arrived" in text_of(olga, "assignments", campaign)


def test_a_topic_given_again_comes_with_what_arrived_meanwhile(campaign, cast):
    mine = make_assignment(make_pool(campaign), cast.ada)
    olga = client_of(cast.olga)
    olga.post(url_of("take_back", campaign, pk=mine.pk))
    judge(mine, {"11": "3"})
    assert "ada: 1 judgment arrived after" in text_of(olga, "assignments", campaign)
    form = {"topics": [mine.topic.pk], "assessor": cast.ada.pk, "round": "main"}
    olga.post(url_of("assign", campaign), form)
    page = text_of(olga, "assignments", campaign)
    assert "arrived after" not in page
    assert "1 of 4" in page


def test_assignments_of_another_campaign_cannot_be_taken_back_here(campaign, cast):
    other = make_campaign(name="Other")
    foreign = make_assignment(make_pool(other), cast.ada)
    assert client_of(cast.olga).post(url_of("take_back", campaign, pk=foreign.pk)).status_code == 404


def test_assignments_wait_for_a_frozen_pool(campaign, cast):
    make_pool(campaign, frozen=False)
    client = client_of(cast.olga)
    assert "once the pool is frozen" in text_of(client, "assignments", campaign)
    assert client.post(url_of("assign", campaign), {}).status_code == 404


@pytest.mark.parametrize("name", ["pool", "assignments"])
def test_more_topics_ask_no_more_queries(name, cast):
    small, large = make_campaign(name="Few"), make_campaign(name="Many", topics=12)
    for campaign in (small, large):
        pool = make_pool(campaign)
        for topic in campaign.topics.all():
            make_assignment(pool, cast.ada, topic=topic.topic_id)
    client = client_of(cast.olga)
    assert queries(client, url_of(name, large)) == queries(client, url_of(name, small))


def test_a_build_asked_for_twice_is_told_and_done_once(campaign, cast):
    client = client_of(cast.olga)
    client.post(url_of("pool_build", campaign))
    assert "has not ended" in told(client.post(url_of("pool_build", campaign), follow=True))[0]
    assert campaign.jobs.count() == 1


def test_a_seeded_pool_names_the_pool_of_answers(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path
    answers, formulas = make_siblings(tmp_path)
    client = client_of(make_cast(formulas).olga)
    assert "come in from any rank (our rule: ARQMath-1" in text_of(client, "pool", formulas)
    pools.build(formulas, tell)
    assert f"; by pool {answers.frozen_pool().version} of Answers</dd>" in text_of(client, "pool", formulas)
    overview = text_of(client, "campaign", formulas)
    assert "Pooled to depth 1, and formulas of pooled answers (our rule)." in overview
    assert "from any rank" not in text_of(client, "pool", answers)


def test_a_pool_that_runs_have_made_outdated_is_to_be_built_again_not_frozen(campaign, cast, tmp_path):
    campaign.collection.counts = {"answers": 6}
    campaign.collection.save()
    import_runs(campaign, tmp_path)
    pool, client = pools.build(campaign, tell), client_of(cast.olga)
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
    pools.build(campaign, tell)
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
    pools.build(campaign, tell)
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
    extension.extend(pool, extension.Change({late.pk: "primary"}, {}), cast.olga, tell)
    page = text_of(client_of(cast.olga), "pool", campaign)
    assert "<dt>Version</dt><dd>2</dd>" in page
    assert f"<dt>Extended</dt><dd>{date(localtime(pool.extended), 'j F Y, H:i')} by olga</dd>" in page

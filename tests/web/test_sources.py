"""Topics, collection and runs through the browser's forms."""

import io
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from assess.models import Campaign, Collection, Job, Run, Topic
from assess.services import campaigns
from assess.tasks import run_job
from tests.cast import make_campaign, make_cast, make_pool, math
from tests.real import DATA, data_file
from tests.web.test_campaigns import client_of, make_run

pytestmark = pytest.mark.django_db

TOPICS = """<Topics>
<Topic number="A.5"><Title>First</Title><Question>&lt;p&gt;Q&lt;/p&gt;</Question><Tags>limits,series</Tags></Topic>
</Topics>"""
POSTS = """<posts>
<row Id="1" PostTypeId="1" Title="T" Body="&lt;p&gt;Q&lt;/p&gt;" Tags="&lt;sets&gt;" OwnerUserId="7" />
<row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;A&lt;/p&gt;" />
</posts>"""
RUN = "A.1\t11\t1\t9.5\tgauss\nA.1\t12\t2\t9\tgauss\nA.2\t21\t1\t3\tgauss\n"
PNG = b"\x89PNG\r\n\x1a\n...."


@pytest.fixture
def campaign(settings, tmp_path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_campaign()


@pytest.fixture
def olga(campaign):
    return client_of(make_cast(campaign).olga)


def file(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def errors_of(response) -> str:
    return response.context["form"].errors.as_text()


def bare_campaign(preset: str) -> Campaign:
    """Another campaign of olga's, without topics and collection."""
    return campaigns.create(name=preset, preset=preset, by=User.objects.get(username="olga"))


# Topics


def test_topics_are_imported_and_again_change_nothing(campaign, olga):
    url = reverse("topics", args=[campaign.slug])
    page = olga.post(url, {"file": file("topics.xml", TOPICS)}, follow=True).content.decode()
    assert "1 topic imported, 0 were here already." in page
    assert "limits" in page
    page = olga.post(url, {"file": file("topics.xml", TOPICS)}, follow=True).content.decode()
    assert "0 topics imported, 1 were here already." in page
    assert campaign.topics.count() == 3


def test_every_problem_of_a_topics_file_is_told_with_its_line(campaign, olga):
    bad = TOPICS.replace("<Title>First</Title>", "").replace('number="A.5"', "")
    response = olga.post(reverse("topics", args=[campaign.slug]), {"file": file("bad.xml", bad)})
    assert response.context["form"].errors["file"] == [
        'bad.xml:2: topic ? has no number="…"; add it',
        "bad.xml:2: topic ? has no <Title>; add it",
    ]


def test_a_frozen_pool_refuses_topics(campaign, olga):
    make_pool(campaign)
    response = olga.post(reverse("topics", args=[campaign.slug]), {"file": file("topics.xml", TOPICS)})
    assert "The pool is frozen" in errors_of(response)


@pytest.mark.parametrize(
    ("preset", "path", "count"),
    [
        ("arqmath1-task1", "topics/topics.arqmath-2020-task1-origin.xml", 98),
        ("arqmath2-task1", "topics/topics.arqmath-2021-task1-origin.xml", 100),
        ("arqmath2-task1", "topics/2021_topics_task1.xml", 100),
        ("arqmath1-task2", "topics/topics.arqmath-2020-task2-origin.xml", 85),
        ("arqmath2-task2", "topics/topics.arqmath-2021-task2-origin.xml", 100),
    ],
)
def test_the_labs_topics_come_in_and_are_listed_and_shown(preset, path, count, campaign, olga):
    real = bare_campaign(preset)
    with data_file(path).open("rb") as source:
        page = olga.post(reverse("topics", args=[real.slug]), {"file": source}, follow=True).content.decode()
    assert f"{count} topics imported" in page
    assert page.count('class="post-title"') == count
    for topic in real.topics.all()[:5]:
        assert olga.get(topic.get_absolute_url()).status_code == 200


def test_malformed_files_are_refused_as_topics_and_as_runs(campaign, olga):
    if not data_file("malformed").is_dir():
        pytest.skip(f"no malformed/ in {DATA}")
    for path in sorted((DATA / "malformed").iterdir()):
        with path.open("rb") as source:
            response = olga.post(reverse("topics", args=[campaign.slug]), {"file": source})
        assert f"{path.name}:1: not well-formed XML" in errors_of(response)
        with path.open("rb") as source:
            about = {"team": "T", "kind": "primary", "method": "automatic", "data": "both"}
            about |= {"pool_role": "primary", "order": "score", "format": "task1"}
            olga.post(reverse("runs", args=[campaign.slug]), {"run_files": source, **about})
        job = Job.objects.first()
        run_job(job.pk)
        job.refresh_from_db()
        assert (job.state, Run.objects.count()) == ("failed", 0)
        assert f"{path.name}:1: " in job.error


def test_a_and_b_of_one_edition_link_to_each_other(campaign, olga):
    twin = make_campaign("arqmath3-task2", name="Formulas")
    page = olga.get(reverse("topics", args=[campaign.slug])).content.decode()
    assert f'href="{twin.topics.first().get_absolute_url()}">B.1<' in page
    page = olga.get(twin.topics.first().get_absolute_url()).content.decode()
    assert f'href="{campaign.topics.first().get_absolute_url()}">A.1<' in page


def test_links_lead_only_to_campaigns_one_may_see(campaign, olga):
    make_campaign("arqmath3-task2", name="Formulas")
    ada = client_of(make_cast(campaign).ada)
    assert "B.1" not in ada.get(campaign.topics.first().get_absolute_url()).content.decode()


def test_a_topic_shows_its_query_formula_highlighted_and_harmless_html(campaign, olga):
    twin = make_campaign("arqmath3-task2", name="Formulas")
    topic = twin.topics.first()
    topic.body = f"<script>alert(1)</script><p>Is {math('q_2', 'x+1')} even?</p>"
    topic.save()
    page = olga.get(topic.get_absolute_url()).content.decode()
    assert page.count('class="math-container highlight"') == 1
    assert "alert(1)" not in page


def test_only_organizers_see_what_the_pool_holds_for_a_topic(campaign, olga):
    make_pool(campaign)
    url = campaign.topics.first().get_absolute_url()
    assert "4 units, 4 documents" in olga.get(url).content.decode()
    assert "4 units" not in client_of(make_cast(campaign).ada).get(url).content.decode()


def test_topics_are_deleted_after_a_question_until_a_pool_stands_on_them(campaign, olga):
    url = reverse("topics_delete", args=[campaign.slug])
    assert "Delete all 2 topics?" in olga.get(url).content.decode()
    assert campaign.topics.count() == 2
    pool = make_pool(campaign, frozen=False)
    assert "Discard the pool first" in olga.post(url, follow=True).content.decode()
    pool.delete()
    assert "2 topics deleted" in olga.post(url, follow=True).content.decode()
    assert not Topic.objects.exists()


def test_the_list_of_topics_takes_few_queries(campaign, olga, django_assert_num_queries):
    make_campaign("arqmath3-task2", name="Formulas", topics=20)
    url = reverse("topics", args=[campaign.slug])
    for number in range(3, 20):
        Topic.objects.create(campaign=campaign, topic_id=f"A.{number}", number=number, title="T", body="B")
    with django_assert_num_queries(7):
        olga.get(url)


# Collection


def test_a_collection_is_made_or_shared(campaign, olga):
    bare = bare_campaign("arqmath3-task2")
    url = reverse("collection", args=[bare.slug])
    assert "one of the two" in errors_of(olga.post(url, {"name": "New", "share": campaign.pk}))
    assert "one of the two" in errors_of(olga.post(url, {"name": ""}))
    assert "Choose another name" in errors_of(olga.post(url, {"name": campaign.collection.name}))
    assert olga.post(url, {"share": campaign.pk}).url == url
    bare.refresh_from_db()
    assert bare.collection == campaign.collection


def test_runs_that_came_before_a_shared_collection_are_looked_up_in_it(campaign, olga):
    bare = bare_campaign("arqmath3-task1")
    make_run(bare)
    response = olga.post(reverse("collection", args=[bare.slug]), {"share": campaign.pk})
    job = Job.objects.get()
    assert response.url == job.get_absolute_url()
    assert (job.campaign, job.params) == (bare, {"collection": campaign.collection.pk, "files": []})


def test_a_collection_comes_in_by_a_job_and_its_uploads_go(campaign, olga, settings):
    url = reverse("collection", args=[campaign.slug])
    users = '<users><row Id="7" DisplayName="Emmy" /></users>'
    response = olga.post(url, {"posts": file("Posts.xml", POSTS), "users": file("Users.xml", users)})
    job = Job.objects.get()
    assert response.url == job.get_absolute_url()
    uploads = [Path(one["path"]) for one in job.params["files"]]
    assert [path.read_text() for path in uploads] == [POSTS, users]
    assert all(path.is_relative_to(settings.MEDIA_ROOT / "uploads") for path in uploads)
    assert "An import is under way" in olga.get(url).content.decode()
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["counts"]["answers"]) == ("done", 1)
    assert not any(path.parent.exists() for path in uploads)
    page = olga.get(url).content.decode()
    assert "Posts.xml" in page
    assert "An import is under way" not in page


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "Choose at least one file."),
        (("comments",), "needs Posts.xml or a formula index"),
        (("formulas", "votes"), "add Posts.xml too"),
    ],
)
def test_files_of_a_collection_that_make_no_sense_are_refused(given, message, campaign, olga):
    response = olga.post(
        reverse("collection", args=[campaign.slug]), {kind: file("f", "x") for kind in given} or {"posts": ""}
    )
    assert message in errors_of(response)
    assert not Job.objects.exists()


def test_a_collection_under_a_frozen_pool_is_refused_at_once(campaign, olga):
    make_pool(campaign)
    response = olga.post(reverse("collection", args=[campaign.slug]), {"posts": file("Posts.xml", POSTS)})
    assert "frozen pool on this collection" in errors_of(response)
    page = response.content.decode()
    assert "no files can be imported" in page
    assert 'type="file"' not in page


def test_a_second_import_waits_for_the_first(campaign, olga):
    for _ in range(2):
        olga.post(reverse("collection", args=[campaign.slug]), {"posts": file("Posts.xml", POSTS)})
    assert Job.objects.count() == 1


def test_paths_on_the_server_are_offered_only_where_there_is_a_folder_for_them(campaign, olga):
    url = reverse("collection", args=[campaign.slug])
    assert "path on the server" not in olga.get(url).content.decode()
    olga.post(url, {"posts_path": "/etc/passwd"})
    assert not Job.objects.exists()


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "absent.xml", ".", "a\0b"])
def test_paths_cannot_leave_the_import_folder(path, campaign, olga, settings, tmp_path):
    (tmp_path / "secret").write_text("s")
    settings.IMPORT_DIR = tmp_path / "import"
    settings.IMPORT_DIR.mkdir()
    (settings.IMPORT_DIR / "link").symlink_to(tmp_path / "secret")
    response = olga.post(reverse("collection", args=[campaign.slug]), {"posts_path": path})
    assert "posts_path" in response.context["form"].errors
    assert not Job.objects.exists()


def test_a_file_on_the_server_is_imported_and_stays(campaign, olga, settings, tmp_path):
    settings.IMPORT_DIR = tmp_path / "import"
    source = settings.IMPORT_DIR / "2020" / "Posts.xml"
    source.parent.mkdir(parents=True)
    source.write_text(POSTS)
    olga.post(reverse("collection", args=[campaign.slug]), {"posts_path": "2020/Posts.xml"})
    job = Job.objects.get()
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["counts"]["questions"]) == ("done", 1)
    assert source.exists()


def test_pictures_are_kept_under_the_name_that_posts_use(campaign, olga, settings):
    url = reverse("collection_images", args=[campaign.slug])
    olga.post(url, {"images": [file("a.png", PNG), file("b c.gif", b"GIF89a..")]})
    folder = settings.MEDIA_ROOT / "collections" / str(campaign.collection.pk) / "images"
    assert sorted(path.name for path in folder.iterdir()) == ["a.png", "b_c.gif"]


@pytest.mark.parametrize(("name", "data"), [("a.svg", b"<svg/>"), ("a.png", b"<script>"), (".htaccess", PNG)])
def test_only_pictures_are_kept_and_one_bad_file_keeps_all_out(name, data, campaign, olga, settings):
    response = olga.post(
        reverse("collection_images", args=[campaign.slug]), {"images": [file("good.png", PNG), file(name, data)]}
    )
    assert name in errors_of(response)
    assert not list(settings.MEDIA_ROOT.rglob("*.png"))


# Runs

ABOUT = {
    "team": "Göttingen",
    "kind": "primary",
    "method": "automatic",
    "data": "math",
    "pool_role": "primary",
    "order": "score",
}


def import_runs(olga, campaign: Campaign, **given) -> Job:
    response = olga.post(reverse("runs", args=[campaign.slug]), given)
    assert response.status_code == 302, errors_of(response)
    run_job(Job.objects.first().pk)
    return Job.objects.first()


def test_a_run_comes_in_with_what_is_said_about_it(campaign, olga, settings):
    job = import_runs(olga, campaign, run_files=file("gauss.tsv", RUN), **ABOUT)
    assert job.result == {"runs": ["gauss"]}
    run = Run.objects.get()
    assert (run.team, run.data, run.lines, run.topics) == ("Göttingen", "math", 3, 2)
    assert not any((settings.MEDIA_ROOT / "uploads").iterdir())
    page = olga.get(reverse("runs", args=[campaign.slug])).content.decode()
    assert "gauss" in page


def test_several_runs_come_in_with_a_table(campaign, olga):
    table = "file\tteam\tname\tpool_role\none.tsv\tAlpha\tfirst\tprimary\ntwo.tsv\tBeta\tsecond\tnone\n"
    files = [file("one.tsv", RUN), file("two.tsv", RUN.replace("9.5", "8"))]
    import_runs(olga, campaign, run_files=files, table=file("runs.tsv", table))
    assert list(Run.objects.values_list("team", "name", "pool_role")) == [
        ("Alpha", "first", "primary"),
        ("Beta", "second", "none"),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("file\tteam\nother.tsv\tAlpha\n", "The table has no line for one.tsv."),
        ("file\tteam\tkind\none.tsv\tAlpha\tbest\n", "runs.tsv:2: kind is 'best': use one of"),
        ("one.tsv\tAlpha\n", "runs.tsv:1: the first line must name the columns"),
    ],
)
def test_what_is_wrong_with_the_table_is_told(table, message, campaign, olga):
    given = {"run_files": file("one.tsv", RUN), "table": file("runs.tsv", table)}
    response = olga.post(reverse("runs", args=[campaign.slug]), given)
    assert message in "\n".join(response.context["form"].errors["table"])
    assert not Job.objects.exists()


def test_several_runs_cannot_share_one_name(campaign, olga):
    files = [file("one.tsv", RUN), file("two.tsv", RUN)]
    response = olga.post(reverse("runs", args=[campaign.slug]), {"run_files": files, "name": "x", **ABOUT})
    assert "name" in response.context["form"].errors


def test_a_form_without_files_or_team_says_so(campaign, olga):
    response = olga.post(reverse("runs", args=[campaign.slug]), {**ABOUT, "team": ""})
    assert set(response.context["form"].errors) == {"run_files", "team"}


def test_a_bad_run_fails_the_job_with_file_line_and_reason_and_stores_nothing(campaign, olga):
    files = [file("good.tsv", RUN), file("bad.tsv", RUN + "A.2\t22\n")]
    job = import_runs(olga, campaign, run_files=files, **ABOUT)
    assert job.state == "failed"
    assert job.error.startswith("bad.tsv:4: ")
    assert not Run.objects.exists()
    assert "bad.tsv:4: " in olga.get(job.get_absolute_url()).content.decode()


def test_low_coverage_is_marked(campaign, olga):
    make_run(campaign, name="all", coverage={"documents": 1000, "known": 1000})
    make_run(campaign, name="enough", coverage={"documents": 100, "known": 95})
    make_run(campaign, name="few", coverage={"documents": 1000, "known": 949})
    make_run(campaign, name="unknown")
    page = olga.get(reverse("runs", args=[campaign.slug])).content.decode()
    assert page.count("low, ") == 1
    assert "low, 94.9 %" in page


def test_coverage_is_rounded_down_so_that_100_means_all(campaign, olga):
    run = make_run(campaign, coverage={"documents": 98_000, "known": 97_999})
    assert "99.9 %: the collection holds 97,999 of 98,000" in olga.get(run.get_absolute_url()).content.decode()


def test_what_is_said_about_a_run_can_be_changed(campaign, olga):
    run = make_run(campaign)
    given = {**ABOUT, "team": "Erlangen", "name": "better", "pool_role": "none"}
    assert olga.post(run.get_absolute_url(), given).status_code == 302
    run.refresh_from_db()
    assert (run.team, run.name, run.pool_role, run.order) == ("Erlangen", "better", "none", "score")


def test_two_runs_cannot_take_one_name(campaign, olga):
    make_run(campaign, name="taken")
    run = make_run(campaign)
    response = olga.post(run.get_absolute_url(), {**ABOUT, "name": "taken"})
    assert "name" in response.context["form"].errors


def test_a_frozen_pool_keeps_runs_and_their_roles(campaign, olga):
    run = make_run(campaign)
    make_pool(campaign)
    response = olga.post(run.get_absolute_url(), {**ABOUT, "name": "r", "pool_role": "none"})
    assert "The pool is frozen" in errors_of(response)
    page = olga.post(reverse("run_delete", args=[campaign.slug, run.pk]), follow=True).content.decode()
    assert "The pool is frozen" in page
    response = olga.post(reverse("runs", args=[campaign.slug]), {"run_files": file("r", RUN), **ABOUT})
    assert "The pool is frozen" in errors_of(response)
    assert Run.objects.get().pool_role == "primary"


def test_a_run_is_deleted_after_a_question(campaign, olga):
    run = make_run(campaign)
    url = reverse("run_delete", args=[campaign.slug, run.pk])
    assert "Delete run r?" in olga.get(url).content.decode()
    olga.post(url)
    assert not Run.objects.exists()


def test_runs_of_another_campaign_are_not_found_here(campaign, olga):
    run = make_run(make_campaign(name="Other"))
    assert olga.get(reverse("run", args=[campaign.slug, run.pk])).status_code == 404
    assert olga.post(reverse("run_delete", args=[campaign.slug, run.pk])).status_code == 404


def test_the_list_of_runs_takes_few_queries(campaign, olga, django_assert_num_queries):
    for number in range(10):
        make_run(campaign, name=f"run {number}")
    with django_assert_num_queries(6):
        olga.get(reverse("runs", args=[campaign.slug]))


def test_the_labs_whole_runs_come_in_by_a_job(campaign, olga):
    real = bare_campaign("arqmath1-task1")
    with data_file("runs/arqmath1-task1-ensembles/ensemble-task1.tsv").open("rb") as source:
        job = import_runs(olga, real, run_files=io.BytesIO(source.read()), **ABOUT)
    assert job.state == "done", job.error
    assert Run.objects.get().lines == 98_000


def test_the_collection_page_tells_counts_hashes_and_notes(campaign, olga):
    one: Collection = campaign.collection
    one.counts, one.notes = {"questions": 1666, "formulas_in_comments": 3}, ["Posts.xml:9: no body"]
    one.sources = {"posts": {"name": "Posts.xml", "sha256": "ab" * 32}}
    one.save()
    page = olga.get(reverse("collection", args=[campaign.slug])).content.decode()
    for text in ("1,666", "Formulas in comments", "abababababababab", "Posts.xml:9: no body"):
        assert text in page

"""Runs through the browser's forms."""

import io
import re

import pytest
from django.urls import reverse

from assess.models import Campaign, Job, Run
from assess.tasks import run_job
from tests.cast import make_campaign, make_cast, make_pool
from tests.real import data_file
from tests.web.organizer import bare_campaign, client_of, errors_of, file, make_run

pytestmark = pytest.mark.django_db

RUN = "A.1\t11\t1\t9.5\tgauss\nA.1\t12\t2\t9\tgauss\nA.2\t21\t1\t3\tgauss\n"


@pytest.fixture
def campaign(settings, tmp_path) -> Campaign:
    settings.MEDIA_ROOT = tmp_path / "media"
    return make_campaign()


@pytest.fixture
def olga(campaign):
    return client_of(make_cast(campaign).olga)


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


def test_a_table_that_names_more_files_than_were_chosen_says_so(campaign, olga):
    table = "file\tteam\none.tsv\tAlpha\nlate.tsv\tBeta\n"
    import_runs(olga, campaign, run_files=[file("one.tsv", RUN)], table=file("runs.tsv", table))
    page = olga.get(reverse("runs", args=[campaign.slug])).content.decode()
    assert "The table also names late.tsv: not chosen, not imported." in page


def test_teams_whose_names_differ_only_in_case_are_pointed_out(campaign, olga):
    make_run(campaign, team="Organizers")
    table = "file\tteam\none.tsv\torganizers\ntwo.tsv\tOrganizers\nthree.tsv\tAlpha\n"
    names = ("one", "two", "three")
    files = [file(f"{name}.tsv", RUN.replace("gauss", name)) for name in names]
    job = import_runs(olga, campaign, run_files=files, table=file("runs.tsv", table))
    assert job.result["notes"] == ["team organizers differs from Organizers only in case"]
    assert "team organizers differs from Organizers only in case" in olga.get(job.get_absolute_url()).content.decode()


def test_browsers_ask_for_files_and_nothing_that_a_table_of_runs_tells(campaign, olga):
    page = olga.get(reverse("runs", args=[campaign.slug])).content.decode()
    needed = [tag for tag in re.findall(r"<(?:input|select)[^>]*>", page) if " required" in tag]
    assert [re.search(r'name="(\w+)"', tag)[1] for tag in needed] == ["run_files"]


@pytest.mark.parametrize(
    ("kind", "role", "stored"),
    [
        ("primary", "", "primary"),
        ("baseline", "", "primary"),
        ("alternate", "", "alternate"),
        ("alternate", "primary", "primary"),
    ],
)
def test_the_pool_role_goes_by_kind_unless_it_is_named(kind, role, stored, campaign, olga):
    import_runs(olga, campaign, run_files=file("gauss.tsv", RUN), **{**ABOUT, "kind": kind, "pool_role": role})
    assert Run.objects.get().pool_role == stored


def test_a_run_names_the_first_documents_that_the_collection_lacks(campaign, olga):
    question = '<row Id="10" PostTypeId="1" Title="T" Body="Q"/>'
    posts = f'<posts>{question}<row Id="11" PostTypeId="2" ParentId="10" Body="A"/></posts>'
    olga.post(reverse("collection", args=[campaign.slug]), {"posts": file("Posts.xml", posts)})
    run_job(Job.objects.get().pk)
    lines = "A.1\t11\t1\t99\tgauss\n" + "".join(f"A.1\t{900 + n}\t{n}\t{50 - n}\tgauss\n" for n in range(2, 24))
    import_runs(olga, campaign, run_files=file("gauss.tsv", lines), **ABOUT)
    page = olga.get(Run.objects.get().get_absolute_url()).content.decode()
    assert f"<dd>{', '.join(str(900 + n) for n in range(2, 22))} … (the first 20)</dd>" in page


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("file\tteam\nother.tsv\tAlpha\n", "The table has no line for one.tsv."),
        ("file\tteam\tkind\none.tsv\tAlpha\tbest\n", "runs.tsv:2: kind is 'best': use one of"),
        (
            "one.tsv\tAlpha\n",
            "the columns: file, team, then any of name, kind, method, data, pool_role",
        ),
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
    assert "choose a table of runs" in errors_of(response)


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


def test_coverage_is_rounded_and_100_means_all(campaign, olga):
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
    page = olga.get(run.get_absolute_url()).content.decode()
    assert re.search(r'name="pool_role"[^>]*disabled', page)
    assert ">Delete</a>" not in page
    olga.post(run.get_absolute_url(), {**ABOUT, "team": "Erlangen", "name": "r", "pool_role": "none"})
    page = olga.post(reverse("run_delete", args=[campaign.slug, run.pk]), follow=True).content.decode()
    assert "The pool is frozen" in page
    response = olga.post(reverse("runs", args=[campaign.slug]), {"run_files": file("r", RUN), **ABOUT})
    assert "The pool is frozen" in errors_of(response)
    assert Run.objects.values_list("team", "pool_role").get() == ("Erlangen", "primary")


def test_a_late_run_can_be_deleted_while_the_pool_is_frozen(campaign, olga):
    make_pool(campaign)
    run = make_run(campaign, pool_role="none")
    assert ">Delete</a>" in olga.get(run.get_absolute_url()).content.decode()


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
    with django_assert_num_queries(12):
        olga.get(reverse("runs", args=[campaign.slug]))


def test_the_labs_whole_runs_come_in_by_a_job(campaign, olga):
    real = bare_campaign("arqmath1-task1")
    with data_file("runs/arqmath1-task1-ensembles/ensemble-task1.tsv").open("rb") as source:
        job = import_runs(olga, real, run_files=io.BytesIO(source.read()), **ABOUT)
    assert job.state == "done", job.error
    assert Run.objects.get().lines == 98_000


def test_problems_beyond_the_twenty_shown_are_counted(campaign, olga):
    job = import_runs(olga, campaign, run_files=file("bad.tsv", "A.1\t11\n" * 25), **{**ABOUT, "format": "task1"})
    assert job.error.splitlines()[-1] == "… and 5 more problems"
    assert job.error.count("bad.tsv:") == 20


def test_written_answers_are_in_no_collection_to_compare_with(campaign, olga):
    run = make_run(campaign, format="task3")
    assert "Written answers are not in a collection." in olga.get(run.get_absolute_url()).content.decode()

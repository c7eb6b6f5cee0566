"""Migrations of a database that an earlier version has filled."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from assess.models import Assignment, Evaluation, Instance, Job
from tests.cast import make_assignment, make_campaign, make_cast, make_pool
from tests.lab import make_lab


@pytest.fixture
def upgraded() -> Iterator[None]:
    """Notes that all migrations are done, where the tables come from the models, and leaves the database as the other
    tests expect it."""
    call_command("migrate", fake=True, verbosity=0)
    yield
    call_command("migrate", "assess", verbosity=0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("upgraded")
def test_each_assessor_keeps_the_order_of_the_instances() -> None:
    """Version 15 drew it at each view, from the pool's seed, the assessor's name, the topic and the formula."""
    campaign = make_campaign("arqmath3-task2")
    pool, cast = make_pool(campaign), make_cast(campaign)
    assignments = [make_assignment(pool, user, kind=kind) for user, kind in ((cast.ada, "main"), (cast.kurt, "dual"))]
    before = {assignment.pk: assignment.instance_order for assignment in assignments}
    documents = dict(Instance.objects.values_list("pk", "doc_id"))
    assert [[documents[pk] for pk in order] for order in before.values()] == [
        ["120", "210", "110", "220"],  # as version 15 showed them
        ["220", "210", "120", "110"],
    ]
    call_command("migrate", "assess", "0015", verbosity=0)
    call_command("migrate", "assess", "0016", verbosity=0)
    assert dict(Assignment.every.values_list("pk", "instance_order")) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("upgraded")
def test_runs_that_were_not_pooled_keep_their_mark_under_another_name(tmp_path: Path) -> None:
    """Version 53 stored the names that the runs had when they were scored."""
    made = make_lab(tmp_path).evaluation
    alpha, beta = made.qrels.pool.campaign.runs.filter(name__in=["alpha", "beta"]).order_by("name")
    alpha.name = "omega"
    alpha.save()
    Evaluation.objects.update(not_pooled=[alpha.pk, beta.pk])
    call_command("migrate", "assess", "0053", verbosity=0)
    assert Evaluation.objects.get().not_pooled == ["beta", "omega"]
    Evaluation.objects.update(not_pooled=["alpha", "beta"])
    call_command("migrate", "assess", "0054", verbosity=0)
    assert Evaluation.objects.get().not_pooled == sorted([alpha.pk, beta.pk])


@pytest.mark.engines
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("upgraded")
def test_failed_imports_do_not_keep_the_database_from_going_back() -> None:
    """Version 52 has no job without a campaign."""
    olga = make_cast(make_campaign()).olga
    Job.objects.create(campaign=None, kind=Job.Kind.IMPORT, state=Job.State.FAILED, created_by=olga)
    kept = Job.objects.create(campaign=make_campaign("arqmath3-task2"), kind=Job.Kind.RUNS, created_by=olga)
    call_command("migrate", "assess", "0052", verbosity=0)
    call_command("migrate", "assess", verbosity=0)
    assert Job.objects.get() == kept

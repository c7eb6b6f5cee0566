"""The statements of the desk: what they find, and that PostgreSQL's memory of them heals."""

import gc
import weakref

import pytest
from django.db import Error, connection, transaction

from assess.models import Judgment
from assess.services.common import statements
from assess.services.judging import desk_rows, items, judging
from tests.cast import make_assignment, make_campaign, make_cast, make_pool

pytestmark = pytest.mark.django_db

COLUMN = "ALTER TABLE assess_instance ALTER COLUMN content_hash TYPE varchar({})"


@pytest.fixture
def mine():
    campaign = make_campaign()
    return make_assignment(make_pool(campaign), make_cast(campaign).ada)


def run(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


def judge(mine, word):
    """As two requests would: the item, then the decision."""
    shown = items.open_item(judging.assignment_of(mine.assessor, mine.pk), 1).cards[0].shown
    decision = judging.Decision(shown.instance.pk, shown.content_hash, word)
    judging.record(mine.pk, mine.assessor, [decision])
    return Judgment.objects.get().grade


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_reset_of_the_connection_goes_unnoticed(mine):
    assert judge(mine, "1") == 1
    run("DEALLOCATE ALL")
    assert judge(mine, "2") == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_column_that_changes_its_type_goes_unnoticed(mine):
    assert judge(mine, "1") == 1
    run(COLUMN.format(80))
    try:
        assert judge(mine, "2") == 2
    finally:
        run(COLUMN.format(64))
    assert judge(mine, "3") == 3


@pytest.mark.postgres
def test_within_a_transaction_the_next_one_finds_the_statements_again(mine):
    assert judge(mine, "1") == 1
    run("DEALLOCATE ALL")
    with pytest.raises(Error, match="does not exist"), transaction.atomic():
        judge(mine, "2")
    assert judge(mine, "2") == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_statement_told_with_another_in_vain_can_be_told_again():
    first, good, bad = (
        statements.Statement(table, f"SELECT count(*) FROM {table} WHERE id < %s")
        for table in ("assess_run", "assess_topic", "missing")
    )
    statements.rows(first, 0)
    with pytest.raises(Error, match="missing"):
        statements.run((good, [0]), (bad, [0]))
    assert statements.rows(good, 0) == [(0,)]


@pytest.mark.postgres
def test_other_errors_are_told(mine):
    with pytest.raises(Error, match="out of range"), transaction.atomic():
        statements.rows(desk_rows.ITEM, mine.pk, 0, 2**63)


def test_an_assignment_keeps_no_object_that_it_was_asked_with(mine):
    desk_rows.assembled.cache_clear()
    user = type(mine.assessor).objects.get(pk=mine.assessor.pk)
    asked = weakref.ref(user)
    found = judging.assignment_of(user, mine.pk)
    assert (found.assessor, found.assessor.username) == (mine.assessor, "ada")
    del user, found
    gc.collect()
    assert asked() is None

"""Excerpts of posts and formulas in what people write take little time, whatever is in them."""

from time import process_time

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from assess.ir.collection.html import canonical
from assess.models import Campaign
from assess.web.common.html import excerpt, own_formulas, plain_title
from tests import cast
from tests.hostile import SHAPES
from tests.lab import client_of


@pytest.mark.parametrize("shape", SHAPES)
def test_no_text_takes_long(shape: str) -> None:
    text = SHAPES[shape](80_000)
    stored = canonical(text)
    start = process_time()
    excerpt(stored)
    plain_title(stored)
    own_formulas(text)
    assert process_time() - start < 5  # quadratic code would take minutes


@pytest.mark.django_db
def test_html_in_the_name_of_a_campaign_is_text_where_it_is_cloned() -> None:
    campaign = cast.make_campaign()
    olga = cast.make_cast(campaign).olga
    User.objects.update(is_staff=True)
    Campaign.objects.update(name="<b>bold</b>")
    page = client_of(olga).get(reverse("campaign_edit", args=[campaign.slug])).content.decode()
    assert "&lt;b&gt;bold&lt;/b&gt; belongs to" in page
    assert "<b>bold" not in page
    assert "<ul>" in client_of(olga).get(reverse("password_change")).content.decode(), (
        "Django's own list of rules is HTML"
    )

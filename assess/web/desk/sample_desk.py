"""The desk as the settings of a campaign make it, before anything is stored."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Instance, Pool, Post, Round, Topic
from assess.services.common.access import ORGANIZER
from assess.services.desk import documents
from assess.services.pool.content import as_card
from assess.web.campaign.campaigns import edit_page
from assess.web.campaign.forms import LabForm
from assess.web.campaign.settings_form import SettingsForm
from assess.web.common.doors import campaign_view
from assess.web.desk.assignment_list import ListNavigation
from assess.web.desk.desk import desk_context
from assess.web.desk.documents import posts_of

FORMULA = '<span class="math-container" data-formula-id="1">a^2 + b^2 = c^2</span>'


@campaign_view(ORGANIZER, when_archived=True)
def settings_desk(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The desk with the settings as entered, the campaign's first topic and a document of ours; or the form, if it is
    refused."""
    if request.method == "POST":
        form = SettingsForm(request.POST, campaign=campaign, frozen=bool(campaign.frozen_pool()))
        if not form.is_valid():
            return edit_page(request, campaign, form, LabForm())
        campaign.protocol = campaign.protocol | form.rules
    item = sample_item(campaign)
    context = desk_context(
        item, documents.Places(documents.OPEN, []), posts_of(item), ListNavigation([1]), preview=True
    )
    return render(request, "desk/page.html", context)


def sample_item(campaign: Campaign) -> documents.Item:
    """Rows that are stored nowhere."""
    topic = campaign.topics.first() or sample_topic(campaign)
    kind = Instance.Kind.FORMULA if campaign.is_formulas else Instance.Kind.DOCUMENT
    formula = FORMULA if campaign.is_formulas else ""
    post = Post(
        post_id="1",
        thread_id="1",
        url="",
        language="",
        kind=Post.Kind.ANSWER if campaign.rules.kind.has_threads else Post.Kind.DOCUMENT,
        title="" if campaign.rules.kind.has_threads else _("A sample document"),
        body=f"<p>{_('This text stands for what your assessors will read.')} {formula}</p>",
    )
    assignment = Assignment(
        topic=topic, assessor=User(username=_("an assessor")), round=Round(kind=Round.Kind.MAIN, pool=Pool()), order=[0]
    )
    return documents.Item(assignment, 1, [as_card(topic, Instance(pk=0, doc_id="1", kind=kind), post, None)], {})


def sample_topic(campaign: Campaign) -> Topic:
    names = dict.fromkeys((*campaign.rules.topic_fields, *campaign.rules.folded_fields))
    texts = {name: f"<p>{_('A text of the topic.')}</p>" for name in names}
    is_whole = campaign.rules.kind.has_threads
    body = f"<p>{_('A text of the topic.')}</p>" if is_whole else ""
    return Topic(campaign=campaign, topic_id="1", number=1, title=_("A sample topic"), body=body, fields=texts)


urlpatterns = [path("c/<slug:slug>/edit/desk/", settings_desk, name="settings_desk")]

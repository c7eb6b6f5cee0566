"""The desk as the settings of a campaign make it, with rows that are stored nowhere."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from assess.models import Assignment, Campaign, Instance, Pool, Post, Round, Topic
from assess.services.common.access import ORGANIZER
from assess.services.desk.documents import OPEN, Item, Places
from assess.services.pool.content import as_card
from assess.web.campaign.campaigns import edit_page
from assess.web.campaign.settings_form import SettingsForm
from assess.web.common.doors import campaign_view
from assess.web.desk.assignment_list import ListNavigation
from assess.web.desk.desk import desk_context
from assess.web.desk.documents import posts_of

FORMULA = '<span class="math-container" data-formula-id="1">a^2 + b^2 = c^2</span>'


@campaign_view(ORGANIZER, section="desk", when_archived=True)
def settings_desk(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The desk with the settings as entered, the campaign's first topic and a document of ours; or the form, if it is
    refused."""
    if request.method == "POST":
        form = SettingsForm(request.POST, campaign=campaign, frozen=bool(campaign.frozen_pool()))
        if not form.is_valid():
            return edit_page(request, campaign, form=form)
        campaign.protocol = campaign.protocol | form.rules
    item = sample_item(campaign)
    [post] = posts_of(item)
    posts = [post._replace(documents=[document._replace(thread="") for document in post.documents])]
    context = desk_context(item, Places(OPEN, []), posts, ListNavigation([1]), preview=True)
    return render(request, "desk/page.html", context)


def sample_item(campaign: Campaign) -> Item:
    rules, text = campaign.rules, f"<p>{_('This text stands for what your assessors will read.')}</p>"
    fields = dict.fromkeys((*rules.topic_fields, *rules.folded_fields), text)
    sample = Topic(campaign=campaign, topic_id="1", number=1, title=_("A sample topic"), body="", fields=fields)
    topic = campaign.topics.first() or sample
    in_thread, body = rules.kind.has_threads, text + FORMULA * campaign.is_formulas
    post_kind, title = (Post.Kind.ANSWER, "") if in_thread else (Post.Kind.DOCUMENT, _("A sample document"))
    post = Post(post_id="1", thread_id="1", kind=post_kind, title=title, body=body, url="", language="")
    kind = Instance.Kind.FORMULA if campaign.is_formulas else Instance.Kind.DOCUMENT
    assessor, main = User(username=_("an assessor")), Round(kind=Round.Kind.MAIN, pool=Pool())
    assignment = Assignment(topic=topic, assessor=assessor, round=main, order=[0])
    return Item(assignment, 1, [as_card(topic, Instance(pk=0, doc_id="1", kind=kind), post, None)], {})

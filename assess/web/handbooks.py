"""The handbooks, which the menu's Help opens: the Markdown files of ``docs``, as pages."""

import re
from functools import cache
from typing import NamedTuple, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown import Markdown

from assess.models import Member
from assess.services.common.access import STAFF
from assess.web.common.navigation import ENTRY_OF

FOLDER = settings.BASE_DIR / "docs"
HANDBOOKS = frozenset(file.stem for file in FOLDER.glob("*.md"))
"""The files that are pages: nothing else of the disk is, whatever an address asks for."""
SECTIONS = {
    "collection": "documents",
    "judgment_sources": "judgments-made-elsewhere",
    "progress": "progress-and-agreement",
    "agreement": "progress-and-agreement",
    "written_report": "progress-and-agreement",
    "assignments": "assignments-and-rounds",
    "questions": "assignments-and-rounds",
    "history": "progress-and-agreement",
    "results": "scores",
    "reliability": "scores",
    "campaign_new": "campaign",
    "assignment": "your-topics",
    "guidelines": "the-desk",
}
"""Where the handbooks explain a page or part, if the heading has another name than the page."""


class Handbook(NamedTuple):
    """``contents``: the headings of the second level, by anchor; ``pages``: the HTML of each, the head under ""."""

    title: str
    contents: dict[str, str]
    pages: dict[str, str]


@cache
def handbook(name: str) -> Handbook:
    text = (FOLDER / f"{name}.md").read_text()
    home = reverse("help")
    text = re.sub(r"\]\((?:(\w+)\.md)?#?([\w-]*)\)", lambda link: f"]({home}{link[1] or name}/{link[2]})", text)
    text = re.sub(r"\]\((pictures/\S+)\)", lambda link: f"]({static(link[1])})", text)
    markdown = Markdown(
        extensions=["tables", "fenced_code", "toc"],
        extension_configs={"tables": {"use_align_attribute": True}},
        output_format="html",
    )
    first, *others = re.split(r"(?=<h2 )", markdown.convert(text))
    [heading] = markdown.toc_tokens  # type: ignore[attr-defined]
    contents = {section["id"]: section["name"] for section in heading["children"]}
    others = [re.sub(r"(</?h)([23])", lambda tag: f"{tag[1]}{int(tag[2]) - 1}", html) for html in others]
    pages = zip(["", *contents], [first, *others], strict=True)
    return Handbook(heading["name"], contents, {anchor: mark_safe(html) for anchor, html in pages})  # our own files


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """Leads to the handbook for the user's role, at the section about the page ``?at=`` names."""
    user, page = cast(User, request.user), request.GET.get("at", "")
    sees_all = user.is_staff or Member.objects.filter(user=user, role__in=STAFF).exists()
    if sees_all and page in ("home", "campaign"):
        return redirect("handbook", "labs", "the-ten-steps")
    name = "organizers" if sees_all and page not in ("assignment", "guidelines") else "assessors"
    whole = ENTRY_OF.get(page, page)
    section = SECTIONS.get(page) or SECTIONS.get(whole, slugify(whole))
    anchors = [anchor for anchor in handbook(name).contents if section and anchor.endswith(section)]
    return redirect("handbook", name, *anchors[:1])


@require_safe
def handbook_page(request: HttpRequest, name: str, here: str = "") -> HttpResponse:
    """A section, or what comes before the first one; another heading leads to its place in its section."""
    if name not in HANDBOOKS:
        raise Http404
    book = handbook(name)
    if here in book.pages:
        shown = {"book": book, "name": name, "here": here, "html": book.pages[here]}
        return render(request, "handbook.html", shown)
    within = [section for section in book.contents if f'id="{here}"' in book.pages[section]]
    if not within:
        raise Http404
    return redirect(f"{reverse('handbook', args=[name, *within])}#{here}")

"""Posts, titles, comments and TeX that attack the reader come out harmless in a real browser. Every attack would set
``window.pwned``; the page fixture also fails on a broken policy and on a request to another host."""

import pytest
from playwright.sync_api import Page, expect

from assess.ir.collection.html import canonical, canonical_inline
from assess.models import Assignment, Comment, Post, PostLink, WrittenAnswer
from tests import cast
from tests.browser.desk.desk import current, ready, saved
from tests.cast import Cast
from tests.pages import NewPage, SignIn

# Nothing here depends on the database, so one engine is enough.
HTML = [
    "<script>window.pwned=1</script>",
    "<scr<script>ipt>window.pwned=1</scr</script>ipt>",
    "<img src=x onerror='window.pwned=1'>",
    "<img src='https://elsewhere.example/a.png' srcset='https://elsewhere.example/b.png 2x'>",
    "<svg onload='window.pwned=1'><animate onbegin='window.pwned=1' attributeName=x dur=1s /></svg>",
    "<math><mtext><img src=x onerror='window.pwned=1'></mtext></math>",
    "<math><annotation-xml encoding='text/html'><img src=x onerror='window.pwned=1'></annotation-xml></math>",
    "<a href='javascript:window.pwned=1' class='bait'>click</a>",
    "<a href=' jAvascript&#58;window.pwned=1' class='bait'>click</a>",
    "<a href='data:text/html,<script>window.pwned=1</script>' class='bait'>click</a>",
    "<iframe src='https://elsewhere.example/'></iframe><object data='https://elsewhere.example/'></object>",
    "<form action='https://elsewhere.example/'><button class='bait'>send</button></form>",
    "<style>@import 'https://elsewhere.example/a.css'; body{background:url(https://elsewhere.example/b.png)}</style>",
    "<p style='background:url(https://elsewhere.example/c.png)' onclick='window.pwned=1'>text</p>",
    "<link rel=stylesheet href='https://elsewhere.example/a.css'><base href='https://elsewhere.example/'>",
    "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>",
    "<noscript><p title='</noscript><img src=x onerror=window.pwned=1>'></noscript>",
    "<textarea></textarea><img src=x onerror='window.pwned=1'>",
    "<!--><img src=x onerror='window.pwned=1'>-->",
    "<details open ontoggle='window.pwned=1'>x</details><input autofocus onfocus='window.pwned=1'>",
]
TEX = [
    r"\href{javascript:window.pwned=1}{\text{bait}}",
    r"\require{html}\href{javascript:window.pwned=1}{\text{bait}}",
    r"\text{<img src=x onerror='window.pwned=1'>}",
    r"\text{</span><img src=x onerror='window.pwned=1'>}",
    r"</span><script>window.pwned=1</script>",
    r"\unicode{x3C}script\unicode{x3E}window.pwned=1\unicode{x3C}/script\unicode{x3E}",
    r"\unicode[url(https://elsewhere.example/font)]{x41}",
    r"\require{html}\style{background:url(https://elsewhere.example/c.png);position:fixed}{x}",
    r"\require{html}\class{button}{x}\cssId{desk}{y}",
    r"\require{https://elsewhere.example/evil}x",
    r"\require{../../../judging}x",
    r"\require{action}\toggle{a}{b}\endtoggle \texttip{a}{<img src=x onerror=window.pwned=1>}",
    r"\def\a{\a\a}\a",
    r"\bbox[background:url(https://elsewhere.example/d.png)]{x}",
    r"\color{red;background:url(https://elsewhere.example/e.png)}{x}",
    r"\begin{CD} A @>\text{<script>window.pwned=1</script>}>> B \end{CD}",
    r"x\begin{align",
    r'" onmouseover="window.pwned=1',
]


def spans(tex: str) -> str:
    """A formula as it occurs in the files of the labs: with raw TeX, and escaped."""
    escaped = tex.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return "".join(f'<p><span class="math-container" id="{n}">{t}</span></p>' for n, t in enumerate((tex, escaped), 1))


ATTACK = "".join(HTML) + "".join(spans(tex) for tex in TEX) + "<p>The end.</p>"
COMMENT = "</textarea><script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"


def prepared(*, as_stored: bool) -> tuple[Cast, Assignment]:
    """A campaign whose every text attacks: cleaned at import, or (``as_stored``) as if the import had missed it."""
    body, title = (ATTACK, "".join(HTML[:8])) if as_stored else (canonical(ATTACK), canonical_inline("".join(HTML[:8])))
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    campaign.topics.update(title=title + "Title", body=body, tags=HTML[:3])
    Post.objects.update(body=body, title=title, tags=HTML[:3], owner=HTML[0])
    for post in Post.objects.all():
        Comment.objects.create(post=post, comment_id=post.post_id, text=body, owner=HTML[2])
    PostLink.objects.create(post=Post.objects.get(post_id="10"), related_id="20", kind="related")
    for topic in campaign.topics.all():
        WrittenAnswer.objects.create(topic=topic, doc_id="99", body=body)
    return people, cast.make_assignment(cast.make_pool(campaign), people.ada)


TOUCH = """() => {
    const away = ":is([href^='https:'], [href^='http:'])"; // leads there as it says
    const strokes = ":is(svg, mjx-assistive-mml) :not(a)"; // thousands; none has a handler, as is looked up below
    for (const element of document.querySelectorAll(`.post *:not(${away}, ${away} *, ${strokes}), .bait`)) {
        element.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
        element.dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}));
    }
}"""


def provoke(page: Page) -> None:
    """Waits until the formulas are set, then clicks and points at whatever a post might have smuggled in."""
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.evaluate(TOUCH)
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None
    assert page.locator("main :is(script, iframe, object, embed, form form, style, link, base)").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('main *')].every(e => [...e.attributes].every(a => !a.name.startsWith('on')))"
    )
    for address in page.locator("main [href]").evaluate_all("all => all.map(link => link.getAttribute('href'))"):
        assert address.startswith(("/", "?", "#", "http:", "https:")), address


@pytest.mark.parametrize("as_stored", [False, True], ids=["imported", "in the database"])
def test_hostile_posts_topics_and_tex_do_nothing(
    page: Page, sign_in: SignIn, as_stored: bool, problems: list[str]
) -> None:
    people, assignment = prepared(as_stored=as_stored)
    sign_in(page, people.ada)
    page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
    slug = assignment.topic.campaign.slug
    units = {entry.pk: entry.unit_id for entry in assignment.round.pool.entries.filter(topic=assignment.topic)}
    post, written = (
        f"/judge/{assignment.pk}/{place}/"
        for place, pk in enumerate(assignment.order, start=1)
        if units[pk] in ("11", "99")
    )
    for address in (
        post,
        written,
        f"/judge/{assignment.pk}/",
        f"/c/{slug}/threads/10/",
        f"/c/{slug}/topics/A.1/?thread",
    ):
        page.goto(address)
        provoke(page)
        if address != f"/judge/{assignment.pk}/":  # the list shows only the first words
            expect(page.get_by_text("The end.").last).to_be_attached()  # no attack has swallowed the others
        expect(page).to_have_url(address)


def test_an_assessors_comment_is_text_everywhere(page: Page, sign_in: SignIn) -> None:
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    assignment = cast.make_assignment(cast.make_pool(campaign), people.ada)
    sign_in(page, people.ada)
    page.goto(f"/judge/{assignment.pk}/1/")
    ready(page)
    current(page).get_by_label("Comment").fill(COMMENT)
    current(page).get_by_role("button", name="Do not know").click()
    page.locator("dialog#reason").get_by_role("button", name="Save").click()
    expect(page.locator("#judged")).to_have_text("1")
    saved(page)
    page.goto(f"/judge/{assignment.pk}/1/")
    provoke(page)
    ready(page)
    expect(current(page).get_by_label("Comment")).to_have_value(COMMENT)
    page.goto(f"/judge/{assignment.pk}/")
    provoke(page)
    expect(page.get_by_text("</textarea><script>")).to_be_visible()
    sign_in(page, people.olga)
    page.goto(f"/c/{campaign.slug}/preview/{assignment.pk}/1/")
    provoke(page)


HUGE = [
    r"\rule{100000em}{1em}",
    r"a\hspace{-9999em}b",
    r"\raise 100000pt{x}",
    r"\begin{array}{c} a \\[9999em] b \end{array}",
]


@pytest.mark.parametrize("has_scripts", [True, False])
def test_no_formula_is_larger_than_the_page(has_scripts: bool, new_page: NewPage, sign_in: SignIn) -> None:
    campaign = cast.make_campaign()
    people = cast.make_cast(campaign)
    formulas = [*HUGE, r"\def\a{9999em}\rule{\a}{\a}", r"x\hspace{2em}y"]
    campaign.topics.update(body="".join(f"<p>{cast.math(str(n), tex)}</p>" for n, tex in enumerate(formulas)))
    page = new_page(java_script_enabled=has_scripts)
    sign_in(page, people.ada)
    page.goto(f"/c/{campaign.slug}/topics/A.1/?thread")
    if has_scripts:
        expect(page.locator(".post .math-error code")).to_have_count(len(HUGE) + 1)
        expect(page.locator(".post .typeset svg").last).to_be_visible()
    sizes = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
    assert sizes[0] <= 1280
    assert sizes[1] < 3000

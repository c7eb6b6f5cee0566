"""Reading at the desk: panes, text, theme, words in colours, formulas, links."""

import re

import pytest
from playwright.sync_api import expect

from assess.models import MathProblem, Post
from tests import cast
from tests.browser.desk import open_place
from tests.desk import place_of

# Nothing here depends on the database, so one engine does.
pytestmark = [pytest.mark.browser, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BROKEN = r"\frac{a}{b"
ALIGNED = r"\begin{aligned} x &amp;= 1 \\ y &amp;= \sum_n n \end{aligned}"


@pytest.fixture
def mine(answers):
    return answers[1]


@pytest.fixture
def desk(page, live_server, sign_in, answers):
    """Opens the place of a unit, when it listens to keys and its formulas are set."""

    def open_desk(unit="11", on=page):
        sign_in(on, answers[0])
        open_place(on, live_server, answers[1], place_of(answers[1], unit))
        on.wait_for_selector("html[data-desk=ready]", state="attached")
        return on

    return open_desk


def write(mine, *, topic="", answer="", unit="11"):
    if topic:
        mine.topic.body = topic
        mine.topic.save()
    if answer:
        Post.objects.filter(post_id=unit).update(body=answer)


def share(page):
    """The width of the question's pane, in percent."""
    return page.locator(".pane.topic").evaluate("pane => 100 * pane.offsetWidth / innerWidth")


def marked(page, name):
    """The texts that a highlight marks, in what is on the screen."""
    script = """name => [...CSS.highlights.get(name)]
        .filter(one => !one.startContainer.parentElement.closest(".item:not(.current)"))
        .map(({startContainer, startOffset, endContainer, endOffset}) => {
            const range = new Range();
            range.setStart(startContainer, startOffset);
            range.setEnd(endContainer, endOffset);
            return range.toString();
        })"""
    return page.evaluate(script, name)


def mark(page, *words):
    page.keyboard.press("/")
    for word in words:
        expect(page.get_by_label("My words in colours")).to_be_focused()
        page.keyboard.type(word)
        page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#reading")).to_be_hidden()


def turn_to(page, mine, unit):
    """By the keys of the desk."""
    here, there = int(page.locator(".item.current").get_attribute("data-place")), place_of(mine, unit)
    for place in range(here, there, 1 if here < there else -1):
        expect(page.locator(".item.current")).to_have_attribute("data-place", str(place))
        page.keyboard.press("j" if here < there else "k")
    expect(page.locator(".item.current")).to_have_attribute("data-place", str(there))


def test_the_divider_is_dragged_and_stays_where_it_is(desk):
    page = desk()
    assert share(page) == pytest.approx(50, abs=0.5)
    divider = page.get_by_role("separator")
    box = divider.bounding_box()
    page.mouse.move(box["x"], 400)
    page.mouse.down()
    page.mouse.move(384, 420, steps=4)
    page.mouse.up()
    assert share(page) == pytest.approx(30, abs=0.5)
    page.reload()
    assert share(page) == pytest.approx(30, abs=0.5)
    expect(divider).to_have_attribute("aria-valuenow", "30")
    divider.dblclick()
    assert share(page) == pytest.approx(50, abs=0.5)


def test_the_divider_moves_by_keyboard_and_the_desk_keeps_its_place(desk, mine):
    page = desk()
    address = page.url
    divider = page.get_by_role("separator")
    divider.focus()
    for key, percent in [("ArrowLeft", 48), ("ArrowRight", 50), ("Home", 25), ("End", 75), ("Enter", 50)]:
        page.keyboard.press(key)
        expect(divider).to_have_attribute("aria-valuenow", str(percent))
        assert share(page) == pytest.approx(percent, abs=0.5)
    assert page.url == address


def test_a_narrow_window_has_no_divider(new_page, desk):
    page = desk(on=new_page(viewport={"width": 400, "height": 800}))
    page.evaluate("localStorage.setItem('assess.split', '30')")
    page.reload()
    expect(page.locator("#divider")).to_be_hidden()
    assert share(page) == 100


def test_a_formula_that_fits_no_more_gets_a_line_of_its_own(desk, mine):
    write(mine, topic=f"<p>Here is {cast.math('', '+'.join(['xyz'] * 11))} in a line.</p>")
    page = desk()
    formula = page.locator(".topic .math-container").last
    expect(formula).not_to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Home")
    expect(formula).to_have_class(re.compile("wide"))
    page.get_by_role("separator").press("Enter")
    expect(formula).not_to_have_class(re.compile("wide"))


def test_the_size_of_the_text_is_that_of_posts_and_formulas_only_and_is_kept(desk):
    page = desk()
    places = (".topic div.post", ".topic h1", ".item div.post", ".item .math-container svg", ".controls", ".desk-bar")

    def sizes():
        script = """one => one.localName === "svg" ? one.getBoundingClientRect().height
            : parseFloat(getComputedStyle(one).fontSize)"""
        return [page.locator(place).first.evaluate(script) for place in places]

    before = sizes()
    page.get_by_role("button", name="Reading").click()
    size = page.get_by_label("Text size")
    expect(size).to_be_focused()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(size).to_have_value("4")
    after = sizes()
    assert [now / then for now, then in zip(after, before, strict=True)] == pytest.approx([1.6] * 4 + [1, 1], rel=0.06)
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert sizes() == pytest.approx(after)


FIRST_COLOUR = """() => {
    window.seen = [];
    const look = () => document.body && window.seen.push(getComputedStyle(document.body).colorScheme);
    new MutationObserver(look).observe(document, {childList: true, subtree: true});
}"""


def test_the_theme_is_chosen_on_any_page_and_holds_before_anything_is_painted(desk, live_server, new_page):
    page = desk(on=new_page(color_scheme="light", viewport={"width": 1280, "height": 800}))
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.goto(live_server.url)
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(background)
    assert dark != light
    page.add_init_script(f"({FIRST_COLOUR})()")
    page.go_back()
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert page.evaluate(background) == dark
    # "normal": looked at before the style sheet was there, and so before anything could be painted
    assert set(page.evaluate("window.seen")) - {"normal"} == {"dark"}
    page.get_by_role("button", name="Reading").click()
    page.get_by_label("Theme").select_option("system")
    assert page.evaluate(background) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark


def test_words_are_marked_in_both_panes_and_in_the_items_to_come(desk, mine):
    write(mine, topic=f"<p>Uniform <em>convergence</em> {cast.math('', 'uniform')}</p>")
    for unit in ("11", "12", "21"):
        write(mine, answer=f"<p>Uniformly convergent, nonuniform {unit}</p>", unit=unit)
    page = desk()
    mark(page, "uniform, uniform convergence", "converg")
    assert marked(page, "mark-0") == ["Uniform convergence", "Uniform"]
    assert marked(page, "mark-1") == ["converg", "converg"]
    turn_to(page, mine, "12")
    assert marked(page, "mark-0") == ["Uniform convergence", "Uniform"]
    page.reload()
    page.wait_for_selector("html[data-desk=ready]", state="attached")
    assert marked(page, "mark-1") == ["converg", "converg"]


def test_one_click_takes_words_away_and_frees_their_colour(desk, mine):
    write(mine, answer="<p>One two three.</p>")
    page = desk()
    mark(page, "one", "two")
    page.get_by_role("button", name="Reading").click()
    page.get_by_role("button", name="one", exact=True).click()
    assert marked(page, "mark-0") == []
    page.keyboard.type("three")
    page.keyboard.press("Enter")
    assert (marked(page, "mark-0"), marked(page, "mark-1")) == (["three"], ["two"])


def test_there_are_six_colours(desk):
    page = desk()
    mark(page, *"abcdef")
    page.get_by_role("button", name="Reading").click()
    expect(page.get_by_label("My words in colours")).not_to_be_editable()
    expect(page.get_by_text("All colours are taken")).to_be_visible()


def test_the_words_of_the_title_are_marked_only_where_that_is_wanted(desk, mine):
    mine.topic.title = "How large is the limit?"
    mine.topic.save()
    write(mine, answer="<p>The limit is not so large.</p>")
    page = desk()
    assert marked(page, "mark-6") == []
    page.get_by_role("button", name="Reading").click()
    page.get_by_label("Mark the words of the topic").check()
    assert marked(page, "mark-6") == ["large", "limit", "limit", "large"]


def test_words_are_kept_for_their_campaign_and_person(desk, live_server, sign_in, page):
    desk()
    mark(page, "alpha")
    other = cast.make_campaign(name="Other lab")
    theirs = cast.make_assignment(cast.make_pool(other), cast.User.objects.get(username="ada"))
    open_place(page, live_server, theirs, 1)
    page.get_by_role("button", name="Reading").click()
    expect(page.locator(".chip")).to_have_count(0)


def test_a_formula_shows_its_latex_and_copies_it(desk, mine):
    write(mine, answer=f"<p>It is {cast.math('', 'x^2 &lt; 3')}.</p>")
    page = desk()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".item.current .math-container").click()
    box = page.locator("#formula")
    expect(box.locator("code")).to_have_text("x^2 < 3")
    page.keyboard.press("3")  # the box has the keys
    page.keyboard.press("Enter")
    expect(box.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "x^2 < 3"
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(page.locator("#judged")).to_have_text("0")


def test_formulas_are_reached_by_keyboard_one_stop_for_each_part(desk, mine):
    formulas = " ".join(cast.math("", tex) for tex in ("a", "b", "c"))
    write(mine, topic=f"<p>{formulas}</p>", answer=f"<p>{formulas}</p>")
    page = desk()
    assert page.locator(".item.current .math-container[tabindex='0']").count() == 1
    page.locator(".item.current .math-container").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#formula code")).to_have_text("b")
    page.keyboard.press("Escape")
    expect(page.locator(".item.current .math-container").nth(1)).to_be_focused()


def lit(page, root):
    """The letters below an element that are drawn in the colour of lit symbols, by their codes."""
    script = """root => [...document.querySelectorAll(`${root} g:is([data-mml-node=mi], [data-mml-node=mo])`)]
        .filter(one => parseFloat(getComputedStyle(one).strokeWidth) > 0).map(one => one.firstElementChild.dataset.c)"""
    return page.evaluate(script, root)


def test_the_symbols_of_a_formula_light_up_in_both_panes_until_escape(desk, mine):
    write(mine, topic=f"<p>{cast.math('', 'x+2')}</p>")
    for unit in ("11", "12", "21"):
        write(mine, answer=f"<p>{cast.math('', chr(92) + 'mathbf{x} + x_1 = y')}</p>", unit=unit)
    page = desk()
    page.locator(".pane.topic div.post .math-container").click()
    page.get_by_role("button", name="Show where its symbols occur").click()
    assert lit(page, ".pane.topic div.post") == ["1D465"]
    assert lit(page, ".item.current") == ["1D465"]  # not the bold one
    turn_to(page, mine, "12")
    assert lit(page, ".item.current") == ["1D465"]
    expect(page.get_by_role("button", name="Symbols lit")).to_be_visible()
    page.keyboard.press("Escape")
    assert lit(page, ".desk") == []
    expect(page.get_by_role("button", name="Symbols lit")).to_be_hidden()


CONTRAST = """one => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    const light = colour => {
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255)
            .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const inner = one.querySelector("svg g, math, code");
    const style = getComputedStyle(inner);
    const ink = light(inner.localName === "g" ? style.fill : style.color);
    const ground = getComputedStyle(one).backgroundColor;
    const [a, b] = [ink, light(ground)].sort();
    return [ground, (b + .05) / (a + .05), one.getBoundingClientRect().height >= inner.getBoundingClientRect().height];
}"""


def display(formula_id, tex):
    return cast.math(formula_id, tex).replace(">", ' data-display="block">', 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("setter", ["MathJax", "MathML"])
def test_the_formula_to_judge_is_seen_whatever_it_is_and_whoever_sets_it(
    new_page, live_server, sign_in, formulas, scheme, setter
):
    ada, mine = formulas
    mine.topic.body = f"<p>{display('q_2', ALIGNED)}</p>"
    mine.topic.save()
    for post, body in [
        ("11", cast.math("110", "x+1")),
        ("12", display("120", ALIGNED)),
        ("21", cast.math("210", BROKEN)),
    ]:
        Post.objects.filter(post_id=post).update(body=f"<blockquote>{body}</blockquote>")
    page = new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    if setter == "MathML":
        page.route("**/tex-mml-svg.js", lambda route: route.fulfill(status=404))
    sign_in(page, ada)
    open_place(page, live_server, mine, place_of(mine, "v1"))
    page.wait_for_selector("html[data-typeset]", state="attached")
    expect(page.locator(".item.current .math-container.highlight")).to_have_count(3)
    for formula in page.locator(":is(.topic, .item.current) .math-container.highlight").all():
        expect(formula.locator("mjx-container, math, code").first).to_be_attached()
        ground, contrast, is_whole = formula.evaluate(CONTRAST)
        assert ground == ("rgb(255, 233, 107)" if scheme == "light" else "rgb(236, 210, 76)")  # yellow
        assert contrast >= 4.5
        assert is_whole
    if setter == "MathML":
        assert page.locator("mjx-container").count() == 0
        assert all("404" in problem for problem in page.problems)  # MathJax was not to be found
        page.problems.clear()


def test_a_formula_that_cannot_be_set_is_readable_and_told_once(desk, mine, page):
    long = r"\frac{a}{b " + " + ".join(f"x_{{{n}}}" for n in range(60))
    write(mine, topic=f"<p>{cast.math('', BROKEN)}</p>", answer=f"<p>{cast.math('', long)}, {cast.math('', long)}.</p>")
    told = []
    page.on("request", lambda request: told.append(request) if "math-problem" in request.url else None)
    desk()
    formula = page.locator(".item.current .math-error").first
    expect(formula.locator("code")).to_have_text(long)
    expect(formula).to_contain_text("cannot be set")
    assert page.locator(".item.current").evaluate("one => one.scrollWidth <= one.clientWidth")
    page.wait_for_timeout(500)
    assert len(told) == 2
    assert {(one.document, one.tex, one.count) for one in MathProblem.objects.all()} == {
        ("A.1", BROKEN, 1),
        ("11", long, 1),
    }
    assert "brace" in MathProblem.objects.first().message


def test_links_say_where_they_lead_and_leave_the_desk_open(desk, mine, page, live_server):
    site = "https://math.stackexchange.com/q"
    write(mine, answer=f'<p><a href="{site}/20">open</a> <a href="{site}/30">closed</a></p>')
    desk()
    outside = page.get_by_role("link", name="closed (leads outside)")
    expect(outside).to_have_attribute("title", "Leads outside: math.stackexchange.com")
    assert outside.evaluate("one => getComputedStyle(one, '::after').width") != "auto"
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="open").click()
    assert opened.value.url == f"{live_server.url}/c/{mine.topic.campaign.slug}/threads/20/#post-20"


def test_an_organizer_reads_with_the_same_tools(page, live_server, sign_in, mine):
    campaign = mine.topic.campaign
    sign_in(page, cast.User.objects.get(username="olga"))
    page.goto(f"{live_server.url}/c/{campaign.slug}/preview/{mine.pk}/{place_of(mine, '11')}/")
    page.wait_for_selector("html[data-typeset]", state="attached")
    page.locator(".item .math-container").first.click()
    expect(page.locator("#formula code")).to_have_text("x+1")


def test_without_scripts_nothing_is_offered_that_does_nothing(new_page, live_server, sign_in, answers):
    page = new_page(java_script_enabled=False)
    sign_in(page, answers[0])
    open_place(page, live_server, answers[1], 1)
    expect(page.get_by_role("button", name="Reading")).to_be_hidden()
    expect(page.locator("#divider")).to_be_hidden()
    page.goto(live_server.url)
    expect(page.get_by_label("Theme")).to_be_hidden()

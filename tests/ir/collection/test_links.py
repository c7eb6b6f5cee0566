"""Links in posts: which post they lead to, and how they are marked."""

from typing import Any

import pytest

from assess.ir.collection.html import canonical, display
from assess.ir.collection.links import linked_posts, post_of

SITE = "https://math.stackexchange.com"


@pytest.mark.parametrize(
    ("address", "post"),
    [
        (f"{SITE}/questions/12", "12"),
        (f"{SITE}/questions/12/how-large-is-it", "12"),
        (f"{SITE}/questions/12/how-large-is-it/?noredirect=1", "12"),
        (f"{SITE}/questions/12/how-large-is-it/34", "34"),  # an answer
        (f"{SITE}/questions/12/how-large-is-it/34#34", "34"),
        (f"{SITE}/questions/12/how-large-is-it#34", "34"),
        (f"{SITE}/questions/12/how-large-is-it#comment5_34", "12"),
        (f"{SITE}/q/12", "12"),
        (f"{SITE}/a/34/567", "34"),  # 567 shared it
        ("http://www.math.stackexchange.com/q/12/", "12"),
        (f"{SITE}/questions/tagged/limits", None),
        (f"{SITE}/users/12", None),
        (SITE, None),
        ("https://mathoverflow.net/questions/12", None),
        ("https://math.stackexchange.com.example.org/q/12", None),
        ("https://example.org/?https://math.stackexchange.com/q/12", None),
        ("https://[math/q/12", None),
        ("", None),
    ],
)
def test_an_address_of_the_site_names_a_post(address: str, post: str) -> None:
    assert post_of(address) == post


def link(address: str, text: str = "here", title: str = "") -> Any:
    return canonical(f'<p><a href="{address}"{title}>{text}</a></p>')


def test_the_posts_that_a_text_links_to_are_found() -> None:
    html = link(f"{SITE}/q/12") + link(f"{SITE}/a/34/5?a=1&amp;b=2", title=' title="t"') + link("https://a.org/q/56")
    assert linked_posts(html) == {"12", "34"}
    assert linked_posts("<p>math.stackexchange.com/q/12</p>") == set()


def test_links_to_posts_inside_lead_there_and_others_are_marked_as_external() -> None:
    html = display(link(f"{SITE}/q/12", "<em>here</em>"), inside={"12": "/c/lab/threads/12/#post-12"})
    assert html == (
        '<p><a href="/c/lab/threads/12/#post-12" rel="nofollow noopener noreferrer" class="inside" target="_blank">'
        "<em>here</em></a></p>"
    )
    for address, host in ((f"{SITE}/q/13", "math.stackexchange.com"), ("http://A.org/x?y&amp;z", "a.org")):
        assert display(link(address), inside={"12": "/inside/"}) == (
            f'<p><a href="{address}" rel="nofollow noopener noreferrer" class="outside" title="Leads outside: {host}"'
            ' target="_blank">here<span class="visually-hidden"> (leads outside)</span></a></p>'
        )
    assert 'title="A &quot;b&quot; (leads outside: a.org)"' in display(
        link("https://a.org", title=" title='A &quot;b&quot;'")
    )
    assert 'title="t"' in display(link(f"{SITE}/q/12", title=' title="t"'), inside={"12": "/inside/"})
    html = canonical('<p><img src="https://i.org/a.png" alt="plot"></p>')
    assert 'class="post-image outside"' in display(html)
    assert "<a" not in display(html, image_url={"a.png": "/a.png"}.get)
    html = display(link(f"{SITE}/q/12", '<span class="math-container">$x$</span>'), inside={"12": "/inside/"})
    assert html.count("<a ") == html.count("</a>") == 1
    assert 'data-tex="x"' in html

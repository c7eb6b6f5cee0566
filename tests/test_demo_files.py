"""The demo's files are consistent. They are read without the application's readers, as an independent check."""

import csv
import html
import re
from pathlib import Path
from xml.etree import ElementTree

DEMO = Path(__file__).parent.parent / "fixtures" / "demo"
SPAN = re.compile(r'<span class="math-container" id="([^"]*)">(\$\$?)(.*?)\2</span>', re.DOTALL)


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file with a header; lone quotes are text unless they open a field, as in CSV."""
    with open(DEMO / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def records(name: str) -> list[dict[str, str]]:
    return [row.attrib for row in ElementTree.parse(DEMO / "collection" / f"{name}.xml").getroot()]


def spans(*texts: str) -> dict[str, str]:
    """Formula id to LaTeX, of HTML."""
    matches = [match for text in texts for match in SPAN.finditer(text)]
    assert len({match[1] for match in matches}) == len(matches), "repeated span id"
    assert sum(text.count("math-container") for text in texts) == len(matches), "span in another form"
    return {match[1]: html.unescape(match[3]) for match in matches}


INDEX = {row["id"]: row for row in rows("collection/formulas.v3.tsv")}
POSTS = {row["Id"]: row for row in records("Posts")}


def test_every_formula_of_a_post_or_comment_is_in_the_index_with_the_same_latex() -> None:
    texts = [row.get("Title", "") + row["Body"] for row in POSTS.values()]
    assert spans(*texts, *(row["Text"] for row in records("Comments"))) == {
        formula_id: row["formula"] for formula_id, row in INDEX.items()
    }


def test_the_index_has_the_post_and_thread_of_each_formula() -> None:
    places = {
        formula_id: (post["Id"], post.get("ParentId", post["Id"]), kind)
        for post in POSTS.values()
        for field, kind in (("Title", "title"), ("Body", "question" if "Title" in post else "answer"))
        for formula_id in spans(post.get(field, ""))
    }
    for comment in records("Comments"):
        post = POSTS[comment["PostId"]]
        place = (post["Id"], post.get("ParentId", post["Id"]), "comment")
        places |= dict.fromkeys(spans(comment["Text"]), place)
    assert places == {key: (row["post_id"], row["thread_id"], row["type"]) for key, row in INDEX.items()}

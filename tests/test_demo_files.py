"""The demo's files are consistent. They are read without the application's readers, as an independent check."""

import csv
import html
import re
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

DEMO = Path(__file__).parent.parent / "fixtures" / "demo"
ABSENT = {"9999107", "9999331"}
"""A document that is not in the collection and a formula that is not in the index, planted in the runs."""
MISCLUSTERED = {r"I=\int_{-\infty}^{\infty}e^{-x^2}\,dx", r"J=\int_0^{\infty}e^{-x^2}\,dx"}
"""Planted in the index: two integrals under one visual id, for the outcome "not matching"."""
SPAN = re.compile(r'<span class="math-container" id="([^"]*)">(\$\$?)(.*?)\2</span>', re.DOTALL)
OUTCOMES = {"system_failure", "do_not_know", "not_matching"}
XML_FILES = sorted(DEMO.rglob("*.xml"))


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a file with a header; lone quotes are text unless they open a field, as in CSV."""
    with open(DEMO / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def run_rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]


def records(name: str) -> list[dict[str, str]]:
    return [row.attrib for row in ElementTree.parse(DEMO / "collection" / f"{name}.xml").getroot()]


def spans(*texts: str) -> dict[str, str]:
    """Formula id to LaTeX, of HTML."""
    matches = [match for text in texts for match in SPAN.finditer(text)]
    assert len({match[1] for match in matches}) == len(matches), "repeated span id"
    assert sum(text.count("math-container") for text in texts) == len(matches), "span in another form"
    return {match[1]: html.unescape(match[3]) for match in matches}


def documents(task: str) -> dict[str, set[str]]:
    """What the runs of a task retrieved for each topic."""
    retrieved: defaultdict[str, set[str]] = defaultdict(set)
    for path in (DEMO / "runs" / task).iterdir():
        for row in run_rows(path):
            retrieved[row[0]].add(row[1])
    return retrieved


INDEX = {row["id"]: row for row in rows("collection/formulas.v3.tsv")}
POSTS = {row["Id"]: row for row in records("Posts")}
USERS = {row["Id"] for row in records("Users")}


@pytest.mark.parametrize("path", XML_FILES, ids=lambda path: path.name)
def test_xml_parses_and_its_ids_are_unique(path: Path) -> None:
    ids = [element.get("Id") or element.get("number") for element in ElementTree.parse(path).getroot()]
    assert ids
    assert None not in ids
    assert len(set(ids)) == len(ids)


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


def test_formulas_of_one_visual_id_differ_only_in_spelling() -> None:
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for row in INDEX.values():
        spellings[row["visual_id"]].add(row["formula"])
    plain = [{canonical(latex) for latex in formulas} for formulas in spellings.values()]
    assert [formulas for formulas in plain if len(formulas) > 1] == [{canonical(latex) for latex in MISCLUSTERED}]
    assert any({r"\frac{1}{2}", r"\frac12"} <= formulas for formulas in spellings.values())


def canonical(latex: str) -> str:
    """The LaTeX without the spelling variants in the demo."""
    latex = re.sub(r"\\[dt]frac", r"\\frac", latex)
    latex = re.sub(r"\\frac\s*(\d)\s*(\w)", r"\\frac{\1}{\2}", latex)
    latex = re.sub(r"\\(left|right|[bB]ig)(?=[\[\](){}|.\\])", "", latex)
    latex = re.sub(r"\\(ge|le)(?![a-z])", r"\\\1q", latex)
    latex = re.sub(r"\\[,;!]|\\q?quad|\\ |\s", "", latex)
    return re.sub(r"([_^])\{(\w)\}", r"\1\2", latex)


def test_answers_belong_to_questions_and_links_comments_and_owners_exist() -> None:
    questions = {row["Id"] for row in POSTS.values() if row["PostTypeId"] == "1"}
    for row in POSTS.values():
        assert row.get("ParentId", row["Id"]) in questions
        assert row["OwnerUserId"] in USERS
        if "AcceptedAnswerId" in row:
            assert POSTS[row["AcceptedAnswerId"]]["ParentId"] == row["Id"]
    for row in records("PostLinks"):
        assert {row["PostId"], row["RelatedPostId"]} <= questions
        assert row["LinkTypeId"] in {"1", "3"}
    assert {row["PostId"] for row in records("Comments")} <= set(POSTS)


def test_votes_add_up_to_the_scores() -> None:
    votes: Counter[str] = Counter()
    for row in records("Votes"):
        votes[row["PostId"]] += {"1": 0, "2": 1, "3": -1}[row["VoteTypeId"]]
    assert votes == {row["Id"]: int(row["Score"]) for row in POSTS.values()}


@pytest.mark.parametrize(("task", "letter"), [("task1", "A"), ("task2", "B")])
def test_topics_are_numbered_and_their_query_formula_is_one_of_their_spans(task: str, letter: str) -> None:
    topics = ElementTree.parse(DEMO / "topics" / f"{task}.xml").getroot().findall("Topic")
    assert [topic.get("number") for topic in topics] == [f"{letter}.{number}" for number in range(401, 413)]
    for topic in topics:
        formulas = spans(f"{topic.findtext('Title')}{topic.findtext('Question')}")
        assert formulas
        if task == "task2":
            assert formulas[topic.findtext("Formula_Id") or ""] == topic.findtext("Latex")


def test_both_tasks_have_the_same_questions() -> None:
    def texts(task: str) -> list[str | None]:
        root = ElementTree.parse(DEMO / "topics" / f"{task}.xml").getroot()
        return [topic.findtext(part) for topic in root for part in ("Title", "Question", "Tags")]

    assert texts("task1") == texts("task2")


def test_the_table_of_runs_has_each_run_file_once() -> None:
    listed = rows("runs.tsv")
    files = [path.relative_to(DEMO / "runs").as_posix() for path in (DEMO / "runs").rglob("*.tsv")]
    assert sorted(row["file"] for row in listed) == sorted(files)
    for row in listed:
        assert {line[-1 if "task3" not in row["file"] else 3] for line in run_rows(DEMO / "runs" / row["file"])} == {
            row["name"]
        }
        assert row["kind"] in {"primary", "alternate", "baseline"}
        assert row["method"] in {"automatic", "manual"}
        assert row["data"] in {"text", "math", "both", "links"}
        assert row["pool_role"] in {"primary", "alternate", "none"}


def test_runs_retrieve_answers_and_formulas_that_exist_except_the_planted_ones() -> None:
    answers = {row["Id"] for row in POSTS.values() if row["PostTypeId"] == "2"}
    retrieved = set().union(*documents("task1").values())
    formulas = {(row[1], row[2]) for path in (DEMO / "runs/task2").iterdir() for row in run_rows(path)}
    known = {(key, row["post_id"]) for key, row in INDEX.items() if row["type"] != "comment"}
    assert (retrieved - answers) | {formula for formula, _ in formulas - known} == ABSENT


def test_each_topic_has_a_written_answer_that_is_short_enough() -> None:
    for path in (DEMO / "runs/task3").iterdir():
        lines = run_rows(path)
        assert [row[0] for row in lines] == [f"A.{number}" for number in range(401, 413)]
        assert [len(row) for row in lines] == [6] * 12
        assert max(len(row[5]) for row in lines) <= 1200


def test_the_runs_have_the_quirks_of_real_ones() -> None:
    content = {path.name: path.read_bytes() for path in (DEMO / "runs").rglob("*.tsv")}
    assert any(b"\r\n" in data for data in content.values())
    assert any(not data.endswith(b"\n") for data in content.values())
    topics = [{row[0] for row in run_rows(path)} for path in (DEMO / "runs/task1").iterdir()]
    assert min(map(len, topics)) == 11
    tokens = run_rows(DEMO / "runs/task2/PiVot-task2-tokens-auto-math-P.tsv")
    assert len({(row[0], row[4]) for row in tokens}) < len(tokens)  # tied scores


def test_judgments_are_of_retrieved_documents_with_valid_grades_and_needed_comments() -> None:
    answers, formulas = documents("task1"), documents("task2")
    seen = set()
    for row in rows("judgments.tsv"):
        key = row["assessor"], row["topic"], row["doc"]
        assert key not in seen
        seen.add(key)
        retrieved = formulas if row["campaign"] == "demo-task2" else answers
        assert row["doc"] in retrieved[row["topic"]] or row["doc"].startswith("d_")  # written answers
        assert row["grade"] in {"0", "1", "2", "3"} | OUTCOMES
        assert row["comment"] or row["grade"] not in {"system_failure", "do_not_know"}
        assert 8 <= int(row["seconds"]) <= 120


def test_judgments_follow_the_assignments() -> None:
    assigned = {(row["campaign"], row["assessor"], row["topic"]) for row in rows("assignments.tsv")}
    judged = {(row["campaign"], row["assessor"], row["topic"]) for row in rows("judgments.tsv")}
    assert judged < assigned
    assert assigned - judged == {("demo-task1", "emmy", "A.408"), ("demo-task2", "sofia", "B.412")}  # untouched
    mains = [(row["campaign"], row["topic"]) for row in rows("assignments.tsv") if row["round"] == "main"]
    assert len(set(mains)) == len(mains)


@pytest.mark.parametrize("campaign", ["demo-task1", "demo-task2"])
def test_every_pair_of_assessors_judged_a_topic_together(campaign: str) -> None:
    assessors: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows("judgments.tsv"):
        if row["campaign"] == campaign:
            assessors[row["topic"]].add(row["assessor"])
    together = {frozenset(names) for names in assessors.values() if len(names) == 2}
    assert together == {frozenset(pair) for pair in combinations(("ada", "emmy", "sofia"), 2)}


def test_in_one_topic_neither_assessor_judged_anything_relevant() -> None:
    grades: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows("judgments.tsv"):
        if row["topic"] == "A.403":
            grades[row["doc"]][row["assessor"]] = row["grade"]
    pairs = [pair for pair in grades.values() if len(pair) == 2]
    assert len(pairs) == 9
    assert {grade for pair in pairs for grade in pair.values()} == {"0", "1"}


def test_judgments_of_written_answers_have_the_ids_of_the_application() -> None:
    from assess.ir.formats.runs import written_id

    answers = {written_id(row[0], row[5]) for path in (DEMO / "runs/task3").iterdir() for row in run_rows(path)}
    judged = {row["doc"] for row in rows("judgments.tsv") if row["doc"].startswith("d_")}
    assert judged
    assert judged <= answers

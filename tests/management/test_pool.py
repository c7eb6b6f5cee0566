import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from assess.ir.formats.pools import read_pool, write_pool
from tests.management.terminal import refused, run

ONE = "A.1\tx\t1\t3\tone\nA.1\ty\t2\t2\tone\n"
TWO = "A.1\ty\t1\t3\ttwo\nA.1\tz\t2\t2\ttwo\nA.10\tz\t1\t2\ttwo\n"
ROLES = "one primary\ntwo alternate\n"

Words = Callable[..., list[Any]]


@pytest.fixture
def pool(tmp_path: Path) -> Words:
    """The words of a command for files given by name and text."""

    def words(preset: str = "arqmath2-task1", roles: str = ROLES, seed: int = 1, **files: str) -> list[Any]:
        paths = []
        for name, text in (files or {"one": ONE, "two": TWO}).items():
            paths.append(tmp_path / f"{name}.tsv")
            paths[-1].write_text(text)
        (tmp_path / "roles").write_text(roles)
        return ["pool", "--preset", preset, "--seed", seed, "--roles", tmp_path / "roles", "--run", *paths]

    return words


def test_a_printed_pool_can_be_imported_and_json_has_its_decimals(pool: Words) -> None:
    printed = run(*pool())
    assert printed.out == (
        "topic\tunit\tdoc\tvotes\truns\nA.1\ty\ty\t1.5\t2\nA.1\tx\tx\t1\t1\nA.1\tz\tz\t0.5\t1\nA.10\tz\tz\t1\t1\n"
    )
    assert write_pool(read_pool(BytesIO(printed.out.encode()), "p")) == printed.out
    third = "A.1\tx\t1\t3\tthree\nA.1\tz\t2\t2\tthree\nA.1\ty\t3\t1\tthree\n"
    roles = "three primary\n"
    printed = json.loads(run(*pool(roles=roles, preset="arqmath1-task1", three=third), "--json").out)
    assert printed[2] == {"topic": "A.1", "unit": "y", "doc": "y", "votes": 0.333333333333, "runs": 1}


def test_roles_name_each_run_by_its_tag_or_stem(pool: Words) -> None:
    same = TWO.replace("two", "one")
    words = pool(roles="first primary\nsecond none\n", first=ONE, second=same)
    assert [row[2] for row in run(*words).rows] == ["x", "y"]
    assert "no role for first" in refused(*pool(first=ONE, second=same))
    message = refused(*pool(roles="one primary\nthree alternate\n")).splitlines()
    assert "no role for two (" in message[0]
    assert message[1].endswith("no run file for three; the runs are one, two")
    formulas = "B.1\tf1\t9\t1\t1\tone\n"
    other = refused(*pool(roles="one primary\n", one=formulas))
    assert other.endswith("one.tsv: found the columns of task2, but arqmath2-task1 pools answers")
    assert refused(*pool("arqmath2-task2", "one primary\n", one=ONE)).endswith("but arqmath2-task2 pools formulas")
    written = "A.1\t1\t1\tone\ts\tx\n"
    assert "found the columns of task3" in refused(*pool(roles="one primary\n", one=written))


def test_formulas_are_pooled_by_visual_id_and_occurrence(pool: Words, tmp_path: Path) -> None:
    index = tmp_path / "index"
    rows = [f"f{place}\t1\t1\tanswer\tv{place % 2}\tx\n" for place in range(1, 5)]
    index.write_text("id\tpost_id\tthread_id\ttype\tvisual_id\tformula\n" + "".join(rows))
    formulas = "".join(f"B.1\tf{place}\t9\t{place}\t{-place}\tone\n" for place in range(1, 6))
    words = pool("arqmath2-task2", "one primary\n", one=formulas)
    printed = run(*words, "--formula-index", index)
    assert [row[1:3] for row in printed.rows] == [["v1", "f1"], ["v0", "f2"], ["v1", "f3"], ["v0", "f4"]]
    assert printed.err == (
        "warning: formulas that occur in no text (spurious) are pooled like others: see --posts\n"
        "warning: one: 1 formulas have no visual id in a post and are not pooled\n"  # f5
    )
    printed = run(*words)
    assert [row[1] for row in printed.rows] == ["f1", "f2", "f3", "f4", "f5"]
    assert "--formula-index pools them by visual id" in printed.err
    span = '&lt;span class="math-container" id="{}"&gt;$x$&lt;/span&gt;'.format
    post = f"<row Id=\"1\" PostTypeId=\"1\" Title='{span('f1')}' Body='{span('f2')}'/>"
    (tmp_path / "Posts.xml").write_text(f"<posts>{post}</posts>")
    assert refused(*words, "--posts", tmp_path / "Posts.xml").endswith("add that")
    words += ["--formula-index", index]
    assert refused(*words, "--comments", tmp_path / "Posts.xml").endswith("add that")
    printed = run(*words, "--posts", tmp_path / "Posts.xml")
    assert [row[2] for row in printed.rows] == ["f1", "f2"]
    assert printed.err == "warning: one: 3 formulas have no visual id in a post and are not pooled\n"
    assert refused(*pool(), "--formula-index", index).endswith("pools no formulas: leave it out")


def test_depths_replace_those_of_the_preset_for_each_role(pool: Words) -> None:
    """A primary and an alternate run of five documents each, with none in common."""
    ranked = {name: "".join(f"A.1\t{name}{n}\t{n}\t{-n}\t{name}\n" for n in range(1, 6)) for name in ("one", "two")}
    deep = pool(**ranked)

    def pooled(*words: object) -> list[str]:
        return sorted(row[2] for row in run(*deep, *words).rows)

    everything = [f"one{n}" for n in range(1, 6)] + [f"two{n}" for n in range(1, 6)]
    assert pooled() == everything
    assert pooled("--primary-depth", 2) == ["one1", "one2", *everything[5:]]
    assert pooled("--alternate-depth", 1) == [*everything[:5], "two1"]
    assert pooled("--primary-depth", 1, "--alternate-depth", 2) == ["one1", "two1", "two2"]
    for depth in (0, 1001):
        reason = f"primary depth: a whole number from 1 to 1,000 is needed, found {depth}"
        assert refused(*deep, "--primary-depth", depth) == reason

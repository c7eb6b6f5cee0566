"""``manage.py stats``: the labs' own figures come out of their qrels."""

from pathlib import Path

from tests.management.terminal import refused, run
from tests.real import data_file

TASK1 = "qrels/qrels.arqmath-2021-task1-official.txt"
REMOVED = "A.208 A.215 A.216 A.221 A.230 A.236 A.266 A.277 A.278 A.280"


def figures(*arguments: object) -> dict[tuple[str, str], list[str]]:
    """The rows by topics and what they say."""
    return {(row[0], row[2]): row[3:] for row in run("stats", *arguments).rows}


def test_statistics_of_2021_are_those_published() -> None:
    rows = figures("--qrels", data_file(TASK1))
    assert rows["all", "judged"][0] == "447.7183"  # published: 447.7
    assert rows["all", "above 0"][:5] == ["49.0423", "134", "A.237", "4", "A.227"]  # published: 49.0
    official = data_file("qrels/qrels.arqmath-2021-task2-official.v3.txt")
    rows = figures("--qrels", data_file("qrels/qrels.arqmath-2021-task2.txt"), "--topics-of", official)
    mean, most, most_topic, fewest, _ = rows["all", "relevant"]
    assert (round(float(mean), 1), most, most_topic, fewest) == (30.9, "107", "B.296", "3")
    by_v3 = figures("--qrels", official)
    assert by_v3["all", "relevant"][1] == "108"
    # 66 of 78 topics have a relevant answer, and no run can reach a higher AR than 2.346 (ARQMath-3, Table 8)
    printed = run("stats", "--qrels", data_file("task3/qrels.arqmath-2022-task3-official.txt"), "--format", "task3")
    found = [row[:4] for row in printed.rows]
    assert ["all", "66", "topics with a relevant answer", "—"] in found
    assert ["all", "78", "highest AR", "2.3462"] in found


def test_grades_of_other_scales_count(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 b 5\n1 0 c 1\n")
    rows = figures("--qrels", tmp_path / "qrels", "--level", 4, "--format", "trec", "--min-relevant", 1)
    counts = {kind: float(row[0]) for (_, kind), row in rows.items()}
    kinds = ("judged", "above 0", "relevant", "grade 5", "grade 3", "grade 1")
    assert [counts[kind] for kind in kinds] == [2, 2, 1, 1, 0, 1]


def test_topics_with_fewer_relevant_units_are_left_out_and_categories_listed(tmp_path: Path) -> None:
    """Of the 81 topics assessed in 2021 exactly ten go; A.207 and A.243, additional topics, would go too."""
    additional = data_file("qrels/qrel_task1_2021_additional.tsv")
    both = tmp_path / "both.tsv"
    both.write_bytes(data_file(TASK1).read_bytes().rstrip() + b"\n" + additional.read_bytes())
    done = run("stats", "--qrels", both, "--min-relevant", "2")
    assert f"{REMOVED.replace('A.208', 'A.207 A.208').replace('A.236', 'A.236 A.243')} (left out)" in done.err
    assert done.rows[0][1] == str(71 + 6)
    sheet = data_file("topic-info/Task1_ARQMath2_Topic_Information.csv")
    rows = figures("--qrels", data_file(TASK1), "--sheet", sheet)
    assert {topics for topics, _ in rows} == {"all", "Calculation", "Concept", "Proof"}
    by_difficulty = figures("--qrels", data_file(TASK1), "--sheet", sheet, "--by", "difficulty")
    assert ("Low", "judged") in by_difficulty

    formulas = {"qrels.arqmath-2021-task2.txt": "B.243 B.266", "qrels.arqmath-2020-task2-visual_ids.v3.txt": "B.32"}
    for qrels, topics in formulas.items():
        done = run("stats", "--qrels", data_file(f"qrels/{qrels}"), "--min-relevant", "2")
        assert f"fewer than 2 relevant units: {topics} (left out)" in done.err
    (tmp_path / "other").write_text("Z.1\t0\ta\t3\n")
    for options in (("--min-relevant", "999"), ("--topics-of", tmp_path / "other")):
        assert "no topic is left" in refused("stats", "--qrels", data_file(TASK1), *options).splitlines()[-1]

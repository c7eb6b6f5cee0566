"""Runs are imported all or not at all, and compared with the collection."""

import io
from pathlib import Path

import pytest

from assess.ir.common.problems import BadInput
from assess.ir.formats.table import write_table
from assess.models import Run, WrittenAnswer
from assess.services.campaign import campaigns
from assess.services.common.errors import Refused
from assess.services.runs import runs
from assess.services.runs.metadata import RunMeta, read_metadata
from tests.cast import import_texts, make_campaign, make_cast, on_progress
from tests.rankings import as_rows
from tests.real import data_file

pytestmark = pytest.mark.django_db

LINES = "A.1\t11\t1\t9.0\talpha\nA.1\t404\t2\t8.0\talpha\nA.7\t11\t1\t5.0\talpha\n"
FORMULA_LINES = "B.1\t110\t11\t1\t9.0\talpha\nB.1\t999\t11\t2\t8.0\talpha\nB.1\t120\t12\t3\t7.0\talpha\n"
INDEX = (
    "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"
    "110\t11\t10\tanswer\t\t\tv1\t\tx+1\n"
    "120\t12\t10\tcomment\t3\t\tv1\t\tx+1\n"
)


def upload(tmp_path: Path, file: str, text: str, **meta: str) -> runs.RunUpload:
    path = tmp_path / file
    path.write_text(text)
    return runs.RunUpload(path, runs.RunMeta(file, "team", **meta))


def test_a_run_is_stored_with_its_metadata_and_notes(tmp_path: Path) -> None:
    campaign = make_campaign()
    run = runs.import_runs(campaign, [upload(tmp_path, "a.tsv", LINES, method="manual", data="math")], on_progress)[0]
    assert (run.name, run.team, run.method, run.data, run.format, run.lines, run.topics) == (
        "alpha", "team", "manual", "math", "task1", 3, 2,
    )  # fmt: skip
    assert [(row.topic_id, row.rank, row.doc_id) for row in as_rows(runs.load_ranking(run))] == [
        ("A.1", 1, "11"), ("A.1", 2, "404"), ("A.7", 1, "11"),
    ]  # fmt: skip
    assert any("A.7" in note for note in run.notes)  # not a topic of the campaign
    assert any("A.2" in note for note in run.notes)  # a topic without a result
    with pytest.raises(BadInput, match=r"same file .* run alpha"):
        runs.import_runs(campaign, [upload(tmp_path, "copy.tsv", LINES, name="other")], on_progress)
    with pytest.raises(BadInput, match="run named alpha"):
        runs.import_runs(campaign, [upload(tmp_path, "b.tsv", LINES.replace("404", "405"))], on_progress)
    good, bad = upload(tmp_path, "c.tsv", LINES, name="c"), upload(tmp_path, "b.tsv", "A.1\t11\t1\thigh\tbeta\n")
    with pytest.raises(BadInput, match=r"b.tsv:1"):
        runs.import_runs(campaign, [good, bad], on_progress)
    assert Run.objects.get() == run
    same = [upload(tmp_path, f"{at}.tsv", LINES.replace("404", at), name="same") for at in ("1", "2", "1")]
    with pytest.raises(BadInput, match=r"(?s)2.tsv.* a run named same is already here.*1.tsv.* the same file"):
        runs.import_runs(campaign, same, on_progress)


def test_files_with_the_same_run_name_name_their_runs(tmp_path: Path) -> None:
    campaign = make_campaign()
    files = [upload(tmp_path, "a.txt.gz", LINES), upload(tmp_path, "b.v2.tsv", LINES.replace("404", "405"))]
    stored = runs.import_runs(campaign, files, on_progress)
    assert [run.name for run in stored] == ["a", "b.v2"]
    assert stored[0].notes[-1] == "2 files have the run name alpha: this run is named after its file"


def test_a_run_of_another_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Task 2"):
        runs.import_runs(make_campaign(), [upload(tmp_path, "f.tsv", FORMULA_LINES)], on_progress)
    with pytest.raises(BadInput, match=r"campaign takes Task 2 \(formulas\): topic formula post rank score run"):
        runs.import_runs(make_campaign("arqmath3-task2"), [upload(tmp_path, "a.tsv", LINES)], on_progress)


ONE = "A.1\t11\t1\t9\tr\n"
SHAPES = [
    "right_run.tsv",
    "run_pyterrier.csv",
    "run_header_score_before_rank.csv",
    "run_no_break_space_after_id.tsv",
    "run_two_joined_files_with_bom.tsv",
    "right_run.trec",
]


@pytest.mark.parametrize("text", [ONE, f"qid,docno,rank,score,run\n{ONE}".replace("\t", ","), *SHAPES])
def test_a_run_of_documents_needs_no_constant_column(text: str, tmp_path: Path) -> None:
    text = data_file(f"formats/{text}").read_text() if text in SHAPES else text
    [run] = runs.import_runs(make_campaign("documents", topics=2), [upload(tmp_path, "a.csv", text)], on_progress)
    assert (run.format, as_rows(runs.load_ranking(run))[0].topic_id) == ("trec", "A.1")


def test_a_run_without_a_tag_is_read_by_the_remedy_of_its_refusal(tmp_path: Path) -> None:
    text, campaign = data_file("formats/run_trec_without_tag.txt").read_text(), make_campaign("documents")
    header = "topic Q0 document rank score"
    with pytest.raises(BadInput, match=f"put a line above that names the columns: {header}"):
        runs.import_runs(campaign, [upload(tmp_path, "a.txt", text)], on_progress)
    [run] = runs.import_runs(campaign, [upload(tmp_path, "a.txt", f"{header}\n{text}")], on_progress)
    assert {row.doc_id for row in as_rows(runs.load_ranking(run))} == {"11", "12", "13", "21", "22"}


def test_missing_documents_are_counted_not_refused(tmp_path: Path) -> None:
    campaign = make_campaign()
    question = '<row Id="10" PostTypeId="1" Title="t" Body="q"/>'
    posts = f'<posts>{question}<row Id="11" PostTypeId="2" ParentId="10" Body="a"/></posts>'
    import_texts(campaign.collection, tmp_path, posts=posts)
    text = LINES + "A.1\t10\t3\t7.0\talpha\nA.1\t9\t4\t6.0\talpha\n"
    run = runs.import_runs(campaign, [upload(tmp_path, "a.tsv", text)], on_progress)[0]
    assert (run.coverage, run.known_share) == ({"documents": 4, "known": 1, "questions": 1}, 0.25)


def test_formulas_get_their_visual_ids_when_the_index_is_imported(tmp_path: Path) -> None:
    campaign = make_campaign("arqmath3-task2")
    run = runs.import_runs(campaign, [upload(tmp_path, "f.tsv", FORMULA_LINES)], on_progress)[0]
    assert [row.unit_id for row in as_rows(runs.load_ranking(run))] == ["", "", ""]
    import_texts(campaign.collection, tmp_path, formulas=INDEX)
    run = Run.objects.get()
    assert [row.unit_id for row in as_rows(runs.load_ranking(run))] == ["v1", "", "v1"]  # 999: not in the index
    assert run.coverage == {"documents": 3, "known": 1, "in_comments": 1}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("file\tkind\na.tsv\tprimary\n", "runs.tsv:1: .*columns: file, team"),
        ("file\tteam\tkind\na.tsv\tM\tbest\n", "runs.tsv:2: kind .*'best'"),
        ("file\tteam\tpool_role\na.tsv\tM\t6\n", "runs.tsv:2: pool_role is '6'"),
        ("file\tteam\tkind\na.tsv\tM\tprimary\tx\n", "runs.tsv:2: .* 3 fields, .* 4"),
        ("file\tteam\tkind\na.tsv\t\tprimary\n", "runs.tsv:2: team must not be empty"),
        (f"file\tteam\na.tsv\t{121 * 'M'}\n", "runs.tsv:2: .* at most 120 characters"),
        ("file\tteam\na.tsv\tA\0B\n", "runs.tsv:2: contains a NUL"),
    ],
)
def test_a_bad_table_is_refused_with_its_line(table: str, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        read_metadata(io.BytesIO(table.encode()), "runs.tsv")


@pytest.mark.parametrize(
    ("line", "meta", "role"),
    [
        ("M", {}, "primary"),
        ("M\tbaseline\t\t", {"kind": "baseline"}, "primary"),
        ("M\talternate\t\t\t\t", {"kind": "alternate"}, "alternate"),
        ("M\talternate\tprimary", {"kind": "alternate", "pool_role": "primary"}, "primary"),
        ("M\tprimary\tnone\tBM25 and, then, a model", {"pool_role": "none", "note": "BM25 and, then, a model"}, "none"),
        ("M\t\t5", {"pool_role": "5"}, "5"),
    ],
)
def test_blank_cells_of_a_table_mean_the_defaults_and_the_role_that_of_the_kind(
    line: str, meta: dict[str, str], role: str
) -> None:
    table = f"file\tteam\tkind\tpool_role\tnote\nruns/a.tsv\t{line}\n".encode()
    [read] = read_metadata(io.BytesIO(table), "runs.tsv").items()
    assert (read, read[1].role) == (("a.tsv", RunMeta("runs/a.tsv", "M", **meta)), role)


def test_names_in_a_table_that_was_downloaded_are_those_of_the_runs() -> None:
    meta = RunMeta("+rm3.tsv", "'t", "+rm3")
    table = write_table([RunMeta._fields, meta])
    assert "'+rm3.tsv\t''t\t'+rm3" in table
    assert read_metadata(io.BytesIO(table.encode()), "runs.tsv") == {meta.file: meta}


WRITTEN = "{topic}\t1\t0.9\tgamma\tposts.xml\tIt is $n$.\n"


def test_written_answers_need_their_topics(tmp_path: Path) -> None:
    campaign = make_campaign(topics=1)
    with pytest.raises(BadInput, match=r"A\.7"):
        runs.import_runs(campaign, [upload(tmp_path, "w.tsv", WRITTEN.format(topic="A.7"))], on_progress)
    run = runs.import_runs(campaign, [upload(tmp_path, "w.tsv", WRITTEN.format(topic="A.1"))], on_progress)[0]
    assert WrittenAnswer.objects.get().doc_id == runs.load_ranking(run)["doc_id"][0]
    with pytest.raises(Refused, match="Task 3"):
        campaigns.delete_topics(campaign, make_cast().olga)
    runs.delete_run(run, make_cast().olga)
    campaigns.delete_topics(campaign, make_cast().olga)

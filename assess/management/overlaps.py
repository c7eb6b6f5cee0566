"""Lexical overlap from the texts in run files and posts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from assess.ir.collection.html import canonical, plain_text
from assess.ir.collection.written import written_html
from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel
from assess.ir.formats.posts import iter_posts
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run, written_id
from assess.ir.results.lexical_overlap import Overlaps, Reference, RunAnswer, references, tokenizer
from assess.management.files import read_file


def of_files(options: Mapping[str, Any], qrels: Iterable[Qrel], teams: Mapping[str, str]) -> Overlaps:
    """The overlap with the relevant answers of the run files and, if they are given, of the posts. Raises BadInput for
    an unknown tokenizer and for posts without qrels."""
    try:
        tokenize = tokenizer(options["tokenizer"])
    except ValueError as error:
        raise refuse("--tokenizer", str(error)) from error
    written = of_runs(options["run"], relevant(qrels, options["level"]), teams)
    return Overlaps(references(written, of_posts(options)), tokenize)


def of_runs(
    paths: Iterable[str], documents: Iterable[tuple[str, str]], teams: Mapping[str, str]
) -> Iterator[Reference]:
    """The relevant written answers, each with the teams whose runs have it; a run without a team is one by itself."""
    texts: dict[tuple[str, str], str] = {}
    owners: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        file = read_file(path, lambda source, name: read_run(source, name, "task3"))
        for topic, text in file.lines.select("topic_id", "text").iter_rows():
            key = topic, written_id(topic, text)
            texts[key] = text
            owners[key].add(teams.get(file.tag, file.tag))
    for key in documents:
        if key in texts:
            yield Reference(key[0], as_plain(texts[key]), frozenset(owners[key]))


def of_posts(options: Mapping[str, Any]) -> Iterator[Reference]:
    """The relevant posts; the teams that found them are not known."""
    posts, qrels = options["posts"], options["post_qrels"]
    if bool(posts) != bool(qrels):
        raise refuse("--posts", "give --posts and --post-qrels together")
    if not posts:
        return
    wanted = list(relevant(read_file(qrels, read_qrels).qrels, options["level"]))
    texts = read_file(posts, lambda source, name: bodies(source, name, {post for _, post in wanted}))
    yield from (Reference(topic, texts[post]) for topic, post in wanted if post in texts)


def bodies(source: BinaryIO, name: str, wanted: set[str]) -> dict[str, str]:
    posts = (post for post in iter_posts(source, name) if post.post_id in wanted)
    return {post.post_id: plain_text(canonical(post.body)) for post in posts}


def plain(answers: Iterable[RunAnswer]) -> list[RunAnswer]:
    return [answer._replace(text=as_plain(answer.text)) for answer in answers]


def as_plain(text: str) -> str:
    """A written answer in the form of a post's text: its words, and its TeX without dollars, on one line."""
    return plain_text(canonical(written_html(text)))


def relevant(qrels: Iterable[Qrel], level: int) -> Iterator[tuple[str, str]]:
    return ((qrel.topic_id, qrel.unit_id) for qrel in qrels if qrel.grade >= level)

"""Every reader of the labs' files with a small valid file, for tests with damaged ones."""

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, NamedTuple

from assess.ir.common.rows import FormulaRow
from assess.ir.formats.formula_index import formula_frames
from assess.ir.formats.pools import read_pool
from assess.ir.formats.posts import iter_comments, iter_post_links, iter_posts, user_names, vote_scores
from assess.ir.formats.qrels import read_qrels
from assess.ir.formats.runs import read_run
from assess.ir.formats.topics import read_topics


class Reader(NamedTuple):
    read: Callable[[BinaryIO, str], object]
    valid: str


def as_list(rows: Callable[[BinaryIO, str], Iterable[object]]) -> Callable[[BinaryIO, str], object]:
    return lambda source, name: list(rows(source, name))


def iter_formulas(source: BinaryIO, name: str) -> Iterator[FormulaRow]:
    for frame in formula_frames(source, name):
        yield from map(FormulaRow._make, frame.with_columns(spurious=False).iter_rows())


POSTS = """<?xml version="1.0" encoding="utf-8"?>
<posts>
<row Id="1" PostTypeId="1" Title="Poincaré?" Body="&lt;p&gt;q&lt;/p&gt;" Tags="&lt;sets&gt;" Score="3" />
<row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;é&lt;/p&gt;" CreationDate="2011-01-02T03:04:05.678" />
</posts>
"""
TOPICS = """<Topics><Topic number="A.1"><Title>é</Title><Question>&lt;b&gt;q&lt;/b&gt;</Question>
<Tags>a,b</Tags></Topic>
<Topic number="A.2"><Title>t</Title><Question>u</Question><Tags>c</Tags></Topic></Topics>
"""
XML = {
    "posts": Reader(as_list(iter_posts), POSTS),
    "comments": Reader(as_list(iter_comments), '<comments><row Id="1" PostId="2" Text="é?" Score="1" /></comments>\n'),
    "links": Reader(
        as_list(iter_post_links), '<postlinks><row Id="1" PostId="2" RelatedPostId="3" LinkTypeId="1" /></postlinks>\n'
    ),
    "users": Reader(user_names, '<users><row Id="1" DisplayName="Zoé" Reputation="5" /></users>\n'),
    "votes": Reader(vote_scores, '<votes><row Id="1" PostId="2" VoteTypeId="2" UserName="é" /></votes>\n'),
    "topics": Reader(read_topics, TOPICS),
}
INDEX = """id\tpost_id\tthread_id\ttype\tvisual_id\tformula
1\t10\t10\tquestion\tv1\té
2\t10\t10\ttitle\tv2\t"a ""b"" c"
3\t11\t10\tanswer\tv1\tx
"""
TABLES = {
    "formulas": Reader(as_list(iter_formulas), INDEX),
    "run": Reader(read_run, "A.1\té1\t1\t2.5\trun\nA.1\t8\t2\t2.0\trun\nA.2\t9\t1\t1.5\trun\n"),
    "qrels": Reader(read_qrels, "A.1\t0\té1\t3\nA.1\t0\t8\t0\nA.2\t0\t9\t1\n"),
    "pool": Reader(read_pool, "topic\tunit\tdoc\tvotes\truns\nA.1\té1\té1\t1.5\t2\nA.2\t8\t8\t0.5\t1\n"),
}
READERS = XML | TABLES


def read(kind: str, content: bytes) -> object:
    return READERS[kind].read(BytesIO(content), f"{kind}.file")

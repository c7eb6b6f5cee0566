"""A campaign with everything that it begins with, made from one TOML file."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction

from assess.ir.campaign.presets import LAB
from assess.ir.campaign.protocol import Protocol
from assess.ir.common.problems import BadInput, refuse
from assess.ir.common.rows import CONTROL, LONGEST_NAME
from assess.ir.formats import ir_metadata
from assess.ir.formats.irds import PREFIX, write_irds
from assess.ir.formats.packed import unpacked
from assess.ir.formats.topics import read_topics
from assess.models import Campaign, Collection
from assess.services.campaign import campaigns, members
from assess.services.campaign.campaigns import LONGEST_EDITION
from assess.services.campaign.members import Invitee, Joined
from assess.services.collection import collections
from assess.services.collection.preparing import CollectionFile
from assess.services.common import history
from assess.services.common.wording import listed, number
from assess.services.demo import silent
from assess.services.pool import freezing, judgment_sources, pools
from assess.services.rounds import assignments
from assess.services.runs import runs, updates
from assess.services.runs.metadata import RunMeta, described, read_metadata

KEYS: dict[str, tuple[type, ...]] = {
    "name": (str,),
    "edition": (str,),
    "organizer": (str,),
    "topics": (str, list),
    "documents": (str, dict),
    "runs": (str, list),
    "team": (str,),
    "people": (str,),
    "labels": (dict,),
    "freeze": (bool,),
}
NEEDS = {str: "a text", list: "a list of texts", dict: "a table of texts", bool: "true or false"}
RUN_TABLE = "runs.tsv"
"""In a folder of runs: what `assess.services.runs.metadata` says of them."""


class Lab(NamedTuple):
    """What a file says, checked as far as possible without storing anything. ``about``: its table [campaign]."""

    file: str
    rules: Protocol
    about: dict[str, Any]
    organizer: User
    topics: list[Path]
    documents: list[CollectionFile]
    runs: list[runs.RunUpload]
    people: list[Invitee]


Made = tuple[Campaign, list[Joined], list[str]]
"""The campaign, its people, and notes on what was made."""


def read_new_lab(path: Path, folder: Path) -> Lab:
    """``folder``: for topics and documents that are no files yet. Raises BadInput."""
    rules, about = campaigns.read_lab_file(as_text(path), path.name)
    about["edition"] = about.get("edition") or rules.edition
    check_table(about, path.name)
    organizer = User.objects.filter(username=about["organizer"], is_active=True).first()
    if organizer is None:
        reason = f"there is no account {about['organizer']}; make it with manage.py createsuperuser"
        raise wrong(path.name, "organizer", reason)
    accounts = found(path, "people", about["people"]) if about.get("people") else None
    lab = Lab(
        path.name,
        rules,
        about,
        organizer,
        topics=[found(path, "topics", each, folder) for each in as_list(about.get("topics", []))],
        documents=[],
        runs=list(runs_of(path, as_list(about.get("runs", [])), about.get("team", ""))),
        people=members.read_people(as_text(accounts), accounts.name) if accounts else [],
    )
    for key, reason in problems_together(lab):
        raise wrong(lab.file, key, reason)
    # Documents come last: those of ir_datasets may take long.
    return lab._replace(documents=list(documents_of(path, about.get("documents", {}), rules, folder)))


def wrong(name: str, key: str, reason: str) -> BadInput:
    return refuse(name, f"{LAB}.{key}: {reason}")


def check_table(table: Mapping[str, Any], name: str) -> None:
    for key, value in table.items():
        if key not in KEYS:
            raise wrong(name, key, f"no such key; the keys are {', '.join(KEYS)}")
        parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [""]
        if type(value) not in KEYS[key] or not all(isinstance(part, str) for part in parts):
            needed = " or ".join(NEEDS[kind] for kind in KEYS[key])
            raise wrong(name, key, f"{needed} is needed, found {value!r}")
    for key in ("name", "edition", "organizer"):
        if not table.get(key, "").strip():
            raise wrong(name, key, f'missing; write {key} = "…" below [{LAB}]')
    for key, most in (("name", LONGEST_NAME), ("edition", LONGEST_EDITION), ("team", LONGEST_NAME)):
        value = table.get(key, "")
        if len(value) > most or CONTROL.search(value):
            raise wrong(name, key, f"at most {most} characters on one line are needed, found {value!r}")


def problems_together(lab: Lab) -> Iterator[tuple[str, str]]:
    """What other keys don't allow: the key, and why not."""
    name, edition, freeze = lab.about["name"], lab.about["edition"], lab.about.get("freeze")
    if Campaign.objects.filter(name=name, edition=edition).exists():
        yield "name", f"there is a campaign {name} of {edition}; choose another name, or delete it"
    known: set[str] = set()
    for path in lab.topics:
        with path.open("rb") as source:
            known |= {row.topic_id for row in read_topics(source, path.name)}
    if lab.runs and not known:
        yield "runs", "runs need topics; name the file of the topics, too"
    if freeze and not lab.runs:
        yield "freeze", "a pool is made from runs; name them, or leave freeze out"
    for username, topic in ((person.username, topic) for person in lab.people for topic in person.topics):
        if not freeze:
            yield "people", "topics can be given only in a frozen pool; write freeze = true, or leave them out"
        if topic not in known:
            yield "people", f"{username} has topic {topic}, which is in no file of topics; correct the id"
    if any(person.username == lab.organizer.username for person in lab.people):
        yield "people", f"{lab.organizer} is the organizer already; leave the line out"


def as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def as_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(path.name, "is not UTF-8 text; save it as UTF-8") from error


def found(lab: Path, key: str, value: str, folder: Path | None = None) -> Path:
    """What a path of the file means; or the file in this folder that a dataset of ir_datasets is written to."""
    if folder and value.startswith(PREFIX):
        path = folder / f"{value.replace(':', '-').replace('/', '-')}-{key}.jsonl.gz"
        write_irds(value, key, path)
    elif not (path := lab.parent / value).exists():
        raise wrong(lab.name, key, f"there is no {value}; paths begin at the folder of {lab.name}")
    return path


def documents_of(lab: Path, value: str | dict[str, str], rules: Protocol, folder: Path) -> Iterator[CollectionFile]:
    files = {"documents": value} if isinstance(value, str) else dict(value)
    kinds, key = collections.file_kinds(rules), files.pop("key", "")
    for kind, file in files.items():
        if kind not in kinds:
            example = "write a path" if kinds == collections.DOCUMENTS else f"write a table with {', '.join(kinds)}"
            raise wrong(lab.name, "documents", f"{kind} are not what is judged for task = {rules.task!r}; {example}")
        path = found(lab, "documents", file, folder)
        yield CollectionFile(kind, path.name, path, key)


def runs_of(lab: Path, values: list[str], team: str) -> Iterator[runs.RunUpload]:
    """The runs with what a table, their folder or they themselves say of them."""
    rows, about, files = dict[str, RunMeta](), dict[Path, ir_metadata.IrMetadata](), list[Path]()
    for path in (path for value in values for path in files_in(found(lab, "runs", value))):
        if path.name == RUN_TABLE:
            with path.open("rb") as source:
                rows |= read_metadata(source, path.name)
        elif ir_metadata.NAME.fullmatch(path.name):
            about[path.parent] = ir_metadata.read_ir_metadata(path.read_bytes(), path.name)
        else:
            files.append(path)
    for path in files:
        name = name_of_run(path, lab.parent)
        with path.open("rb") as source:
            of_head = ir_metadata.head_metadata(unpacked(source, path.name).read(ir_metadata.LONGEST_FILE), path.name)
        meta = rows.get(path.name) or described(RunMeta(name, ""), of_head or about.get(path.parent))
        meta = meta._replace(file=name, team=meta.team or team)
        if not meta.team:
            remedy = f'write team = "…" for all runs, or a table {RUN_TABLE} with file and team beside them'
            raise wrong(lab.name, "team", f"{path.name} does not say whose run it is; {remedy}")
        yield runs.RunUpload(path, meta)


def name_of_run(path: Path, folder: Path) -> str:
    """A run of TIRA, which is always run.txt, is named after its folders, too."""
    if not ir_metadata.RUN_OF_TIRA.fullmatch(path.name):
        return path.name
    inside = path.relative_to(folder) if path.is_relative_to(folder) else Path(path.parent.name, path.name)
    return "-".join(inside.parts)


def files_in(path: Path) -> list[Path]:
    """The file, or those of the folder, without hidden ones."""
    files = sorted(each for each in path.rglob("*") if each.is_file())
    shown = [each for each in files if ir_metadata.NAME.fullmatch(each.name) or not each.name.startswith(".")]
    return [path] if path.is_file() else shown


def new_lab_of_file(path: Path) -> Made:
    """All steps that an organizer would take, or none of them. Raises BadInput with the key, the reason and the remedy,
    and Refused as these steps do."""
    with TemporaryDirectory(prefix="assess-") as folder:
        lab = read_new_lab(path, Path(folder))
        collection = Collection.objects.create(name=lab.about["name"]) if lab.documents else None
        try:
            return make_all(lab, collection)
        except BaseException:
            if collection:
                shutil.rmtree(collections.collection_home(collection), ignore_errors=True)
                collection.delete()
            raise


@transaction.atomic
def make_all(lab: Lab, collection: Collection | None) -> Made:
    by, about, notes = lab.organizer, lab.about, list[str]()
    named = {"name": about["name"], "edition": about["edition"]}
    campaign = campaigns.create_campaign(**named, preset=lab.rules, by=by, collection=collection)
    history.note(by, f"Created with the rules of {lab.file}", campaign, page="campaign")
    judgment_sources.remember_labels(campaign, about.get("labels", {}), by)
    for path in lab.topics:
        with path.open("rb") as source:
            notes += campaigns.import_topics(campaign, source, path.name, by)[1]
    if collection:
        updates.import_collection(collection, lab.documents, by, silent)
        notes += collection.notes
    if lab.runs:
        made = runs.import_runs(campaign, lab.runs, silent)
        notes += [f"{run.name}: {note}" for run in made for note in run.notes]
        history.note(by, f"{number(len(made), 'run')} imported", campaign, page="runs")
    joined = members.add_people(campaign, lab.people, by, "people") if lab.people else []
    pool = pools.build(campaign, silent) if lab.runs else None
    if pool and about.get("freeze"):
        freezing.freeze(pool, silent, by)
        history.note(by, "The pool was frozen", campaign, page="pool")
        topics = {topic.topic_id: topic for topic in campaign.topics.all()}
        given = [(topics[topic], user) for user, invitee, link in joined if link for topic in invitee.topics]
        assignments.assign_topics(pool, given, by)
        if pool.missing:
            notes.append(f"{number(len(pool.missing), 'document')} of the pool have no text: import the documents")
    if waiting := [user.username for user, _, link in joined if not link]:
        notes.append(f"{listed(waiting)} had an account: invited; assign their topics when they have accepted")
    return campaign, joined, notes

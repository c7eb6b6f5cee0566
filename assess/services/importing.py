"""A campaign from a campaign file that another installation, or this one, has made (`services.exporting`).

Whatever the file says, it gives nobody rights: who imports it becomes its organizer; people who have no account get one
without a password, which is its importer's to give; those who have one are invited, and see nothing unless they accept.
"""

import shutil
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction
from django.utils import timezone

from assess.ir.campaign.presets import PRESETS
from assess.ir.common.ids import CONTROL
from assess.ir.common.problems import refuse
from assess.ir.common.rows import LONGEST_NAME, FormulaRow
from assess.ir.formats import campaign_file
from assess.ir.formats.campaign_file import CampaignFile
from assess.models import Campaign, Collection, Invitation, Job, Member, Pool, Run, Topic, VisualMap
from assess.services.campaign import accounts, campaigns
from assess.services.campaign.invitations import LONGEST, invalid
from assess.services.collection import collections, preparing
from assess.services.common import parquet
from assess.services.common.errors import Refused
from assess.services.common.wording import number as counted
from assess.services.exporting import INDEX, PEOPLE, fields_of, map_file
from assess.services.formulas import visual_ids
from assess.services.incoming import Incoming, cleaned_texts
from assess.services.jobs.job_queue import OnProgress
from assess.services.portable import PORTABLE, Portable

BY_HAND = (Collection, Campaign, Member)
"""Models whose rows are not simply added."""
OF = {portable.model: portable for portable in PORTABLE}


@transaction.atomic
def begin(source: BinaryIO, name: str, by: User, title: str = "") -> Campaign:
    """An empty campaign, which ``by`` organizes. ``title``: its name; if empty, the name that the campaign file gives,
    with the date if they have a campaign of that name. Raises BadInput for another file."""
    about = campaign_file.about(source, name).get("campaign")
    texts = about if isinstance(about, dict) else {}
    given, preset = texts.get("name"), texts.get("preset")
    if not isinstance(given, str) or not 0 < len(given) <= LONGEST_NAME or CONTROL.search(given):
        raise refuse(name, "names no campaign; export the campaign again")
    if preset not in PRESETS:
        raise refuse(name, f"has rules from the preset {preset!r}, which is unknown here; update Assess first")
    campaign = campaigns.create(name=title or told_apart(given, by), preset=preset, by=by)
    if (slug := free(texts.get("slug"))) is not None:
        campaign.slug = slug
        campaign.save(update_fields=["slug"])
    return campaign


def told_apart(name: str, by: User) -> str:
    """The name, with today's date if another campaign of this person has it: nobody learns of other campaigns."""
    taken = set(Campaign.objects.visible_to(by).values_list("name", flat=True))
    date = f" (imported {timezone.localdate().isoformat()})"
    return name if name not in taken else first_free(name[: LONGEST_NAME - len(date) - 6] + date, taken)


def free(slug: Any) -> str | None:
    """The address of the campaign where it was exported, if it is one, and nobody has it here."""
    try:
        validate_slug(slug)
    except (ValidationError, TypeError):
        return None
    is_taken = len(slug) > 60 or Campaign.objects.filter(slug=slug).exists()
    return None if is_taken else str(slug)


def fill(
    campaign: Campaign, source: BinaryIO, name: str, by: User, on_progress: OnProgress, job: Job | None = None
) -> dict[str, Any]:
    """Fill a campaign that ``begin`` made; all or nothing. Returns how many rows there are, and notes. Raises BadInput
    for a file that is damaged, changed, too large or not consistent, Refused for a campaign that is not empty."""
    if job and campaign.imported.get("job") == job.pk:
        return {"notes": campaign.imported["notes"]}
    require_empty(campaign)
    on_progress(0, 0, "checking hashes")
    with campaign_file.opened(source, name, settings.UNPACK_LIMIT) as file:
        changed = cleaned_texts(file, on_progress)
        on_progress(0, 0, "storing the campaign")
        folders: list[Collection] = []
        try:
            with transaction.atomic():
                incoming = Incoming(file, campaign, changed)
                notes = store(incoming, by, folders)
                record(campaign, file, by, job, notes)
        except BaseException:
            for collection in folders:
                shutil.rmtree(collections.home(collection), ignore_errors=True)
            raise
    return {"notes": notes}


def require_empty(campaign: Campaign) -> None:
    contents = (Topic.every, Run.objects, Pool.every)
    if campaign.collection_id or any(rows.filter(campaign=campaign).exists() for rows in contents):
        raise Refused("A campaign file makes a new campaign, and this one has content. Use “Import campaign”.")


def store(incoming: Incoming, by: User, folders: list[Collection]) -> list[str]:
    """Store everything; returns notes. ``folders`` gets the collections that have files from now on."""
    invited = store_people(incoming, by)
    store_collections(incoming, folders)
    store_campaign(incoming)
    for portable in PORTABLE:
        if portable.model not in BY_HAND:
            incoming.store(portable)
    store_members(incoming, by, invited)
    store_formulas(incoming)
    return notes_of(incoming, invited)


def store_people(incoming: Incoming, by: User) -> set[int]:
    """Match people with accounts by user name, or make accounts; returns the keys of those who had one."""
    rows = [row for _, row in incoming.file.rows(PEOPLE)]
    for number, row in enumerate(rows, start=1):
        if reason := wrong_person(row):
            raise incoming.file.wrong(PEOPLE, reason, number)
    accounts_by_name = {user.username: user for user in User.objects.filter(username__in=[row["user"] for row in rows])}
    for row in rows:
        user = accounts_by_name.get(row["user"]) or accounts.make(row["user"], by, row["name"], row.get("email", ""))
        incoming.users[row["user"]] = user.pk
    return {user.pk for user in accounts_by_name.values()} - {by.pk}


def wrong_person(row: dict[str, Any]) -> str:
    """Why a person is refused; empty if all is well."""
    texts = [row.get("user"), row.get("name"), row.get("email", "")]
    if row.keys() - {"user", "name", "email"} or not all(isinstance(text, str) for text in texts):
        return "is not a person with a user name and a name"
    if any(len(text) > LONGEST or CONTROL.search(text) for text in texts):
        return f"has a name of more than {LONGEST} characters, or with control characters"
    return invalid("user name", row["user"], User.username_validator) or (
        invalid("e-mail address", row["email"], validate_email) if row.get("email") else ""
    )


def store_collections(incoming: Incoming, folders: list[Collection]) -> None:
    """Each collection of the file as a new one, whatever there is: sharing one would open its texts to others."""
    portable = OF[Collection]
    keys = incoming.keys.setdefault(Collection, {})
    for number, values in row_values(incoming, portable):
        values["name"] = free_name(values["name"])
        collection = Collection.objects.create(**values)
        Collection.objects.filter(pk=collection.pk).update(created=values["created"])
        keys[number] = collection.pk
        folders.append(collection)


def row_values(incoming: Incoming, portable: Portable) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row of the file with its number, as values by the names of columns."""
    fields = fields_of(portable)
    for number, row in incoming.checked(portable):
        yield number, {field.attname: incoming.value(portable, field, row, number) for field in fields}


def free_name(name: str) -> str:
    """A name that no collection has."""
    return first_free(name, set(Collection.objects.filter(name__startswith=name[:50]).values_list("name", flat=True)))


def first_free(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    names = (name if n == 1 else f"{name[: LONGEST_NAME - 6]} ({n})" for n in range(1, len(taken) + 2))
    return next(free for free in names if free not in taken)


def store_campaign(incoming: Incoming) -> None:
    rows = list(row_values(incoming, OF[Campaign]))
    if len(rows) != 1:
        raise incoming.file.wrong(OF[Campaign].file, f"holds {counted(len(rows), 'campaign')}, not one")
    values = {column: value for column, value in rows[0][1].items() if column != "name"}  # `begin` chose it
    Campaign.objects.filter(pk=incoming.campaign.pk).update(**values)
    incoming.campaign.refresh_from_db()
    incoming.keys[Campaign] = {1: incoming.campaign.pk}


def store_members(incoming: Incoming, by: User, invited: set[int]) -> None:
    """New accounts become members at once, as nobody can use them yet; other people are invited."""
    for _, values in row_values(incoming, OF[Member]):
        user, role = values.pop("user_id"), values.pop("role")
        values.pop("campaign_id")
        if user == by.pk:
            Member.objects.filter(campaign=incoming.campaign, user=by).update(**values)
        elif user in invited:
            terms = {"campaign": incoming.campaign, "user_id": user, "role": role, "invited_by": by}
            Invitation.objects.create(**terms, terms=values)
        else:
            Member.objects.create(campaign=incoming.campaign, user_id=user, role=role, **values)


def store_formulas(incoming: Incoming) -> None:
    """The columns of the pooled formulas, and what each version of the visual ids says of them."""
    collection, file = incoming.campaign.collection, incoming.file
    if collection is None or INDEX not in file.names:
        return
    try:
        rows = [FormulaRow(**row) for _, row in file.rows(INDEX)]
        frames = list(parquet.frames(rows, FormulaRow))
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise file.wrong(INDEX, f"is no index of formulas ({error})") from error
    folder = collections.home(collection) / "formulas-imported"
    shutil.rmtree(folder, ignore_errors=True)
    parquet.write(folder, frames, parquet.unchanged, lambda _: None)
    source = collection.sources.get("formulas")
    if source is None:
        raise file.wrong(INDEX, "belongs to a collection without a formula index")
    collection.sources["formulas"] = source | {"folder": folder.name, "layout": preparing.LAYOUT}
    collection.save(update_fields=["sources"])
    for version in VisualMap.objects.filter(collection=collection):
        store_map(version, file)


def store_map(version: VisualMap, file: CampaignFile) -> None:
    try:
        rows = [(row["formula_id"], row["visual_id"]) for _, row in file.rows(map_file(version))]
        pairs = pl.DataFrame(rows, schema=visual_ids.PAIRS, orient="row")
    except (KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise file.wrong(map_file(version), f"holds no visual ids ({error!r})") from error
    folder = visual_ids.folder(version, "map")
    folder.mkdir(parents=True, exist_ok=True)
    pairs.write_parquet(folder / "0.parquet")


def notes_of(incoming: Incoming, invited: set[int]) -> list[str]:
    """What the importer should know."""
    notes = []
    if names := sorted(name for name, key in incoming.users.items() if key in invited):
        notes.append(f"{', '.join(names)} had an account here: they are invited and see nothing until they accept.")
    if incoming.campaign.collection_id:
        notes.append("The collection has only the threads of the pools: import runs and extend pools elsewhere.")
    if incoming.cleaned:
        notes.append(f"{counted(len(incoming.cleaned), 'text')} had to be cleaned; judgments of them are kept.")
    return notes


def record(campaign: Campaign, file: CampaignFile, by: User, job: Job | None, notes: list[str]) -> None:
    """Note in the campaign where it comes from."""
    campaign.imported = {
        "file": file.name,
        "exported": str(file.about.get("exported", ""))[:40],
        "software": str(file.about.get("software", ""))[:40],
        "at": timezone.now().isoformat(timespec="seconds"),
        "by": by.get_username(),
        "job": job.pk if job else None,
        "notes": notes,
    }
    campaign.save(update_fields=["imported"])


@transaction.atomic
def import_campaign(source: BinaryIO, name: str, by: User, on_progress: OnProgress, title: str = "") -> Campaign:
    """Both steps at once, for programs; all or nothing."""
    campaign = begin(source, name, by, title)
    fill(campaign, source, name, by, on_progress)
    return campaign

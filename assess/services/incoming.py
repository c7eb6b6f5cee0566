"""Rows of a campaign file on their way into the database: checked field by field, with keys for numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection
from django.db.models import (
    BinaryField,
    BooleanField,
    CharField,
    Field,
    FloatField,
    ForeignKey,
    IntegerField,
    JSONField,
    Model,
    TextField,
)

from assess.ir.campaign.presets import Protocol
from assess.ir.collection import cleaning
from assess.ir.formats.campaign_file import CampaignFile
from assess.models import Campaign
from assess.services.common import bulk
from assess.services.exporting import CONTENTS, fields_of
from assess.services.jobs.job_queue import OnProgress
from assess.services.portable import PORTABLE, Portable

BATCH = 2_000
"""Texts cleaned at once."""

AS_THEY_ARE = (BooleanField, CharField, FloatField, ForeignKey, IntegerField, TextField)
"""Fields whose values every database takes as they are."""

Place = tuple[type[Model], int, str]
"""A model, the number of a row, and a field."""


def cleaned_texts(file: CampaignFile, on_progress: OnProgress) -> dict[Place, str]:
    """The HTML texts that the file does not hold as Assess stores them, in canonical form: nobody is ever shown
    anything else."""
    changed: dict[Place, str] = {}
    done = 0
    for portable in PORTABLE:
        for name, form in portable.html.items():
            clean = cleaning.FORMS[form]
            for number, row in file.rows(portable.file):
                text = row.get(name)
                if isinstance(text, str) and (canonical := clean(text)) != text:
                    changed[portable.model, number, name] = canonical
                done += 1
                if done % BATCH == 0:
                    on_progress(done, 0, f"checking texts: {done:,}")
    return changed


class Incoming:
    """The rows of a campaign file as they are stored. ``keys``: of the rows stored so far, by model and number;
    ``users``: the keys of people by their name in the file; ``counts``: the rows read, by model."""

    def __init__(self, file: CampaignFile, campaign: Campaign, cleaned: Mapping[Place, str]) -> None:
        self.file, self.campaign, self.cleaned = file, campaign, cleaned
        self.counts: dict[type[Model], int] = {}
        self.keys: dict[type[Model], dict[int, int]] = {}
        self.users: dict[str, int] = {}

    def store(self, portable: Portable) -> None:
        """Store all rows of a model and note their keys. Raises BadInput for what the database refuses."""
        packed = [field for field in portable.model._meta.concrete_fields if isinstance(field, BinaryField)]
        fields = [*fields_of(portable), *packed]
        own = [field for field in fields if field.related_model is portable.model]
        later: list[tuple[int, str, int]] = []
        rows = self.values(portable, fields, own, later)
        try:
            bulk.insert(portable.model, [field.name for field in fields], rows)
        except (DatabaseError, UnicodeError, OverflowError) as error:
            raise self.file.wrong(portable.file, f"has rows that the database refuses ({error})") from error
        self.keys[portable.model] = keys = dict(enumerate(portable.rows(self.campaign).values_list("pk", flat=True), 1))
        if len(keys) != self.counts.get(portable.model, 0):
            raise self.file.wrong(portable.file, "has rows that are not the campaign's")
        for number, column, target in later:
            key = self.key_of(portable, portable.model, target, number)
            portable.model._base_manager.filter(pk=keys[number]).update(**{column: key})

    def values(
        self,
        portable: Portable,
        fields: list[Field[Any, Any]],
        own: list[Field[Any, Any]],
        later: list[tuple[int, str, int]],
    ) -> Iterator[list[Any]]:
        """The values of each row as the database takes them. References to rows of the same model come ``later``."""
        for number, row in self.checked(portable):
            for field in own:
                if row[field.name] is not None:
                    later.append((number, field.attname, row[field.name]))
                    row[field.name] = None
            yield [self.prepared(portable, field, row, number) for field in fields]

    def checked(self, portable: Portable) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each row with its number, if it has exactly the fields of its model."""
        expected = {field.name for field in fields_of(portable)}
        for number, row in self.file.rows(portable.file):
            if row.keys() != expected:
                reason = f"has the fields {', '.join(sorted(row)) or 'none'}, not {', '.join(sorted(expected))}"
                raise self.file.wrong(portable.file, reason, number)
            self.counts[portable.model] = number
            yield number, row

    def prepared(self, portable: Portable, field: Field[Any, Any], row: Mapping[str, Any], number: int) -> Any:
        value = self.value(portable, field, row, number)
        return value if isinstance(field, AS_THEY_ARE) else field.get_db_prep_save(value, connection)

    def value(self, portable: Portable, field: Field[Any, Any], row: Mapping[str, Any], number: int) -> Any:
        """A field's value as the model has it, a key for a reference."""
        if isinstance(field, BinaryField):
            return self.content(portable, number)
        value = self.cleaned.get((portable.model, number, field.name), row[field.name])
        if value is None:
            if not field.null:
                raise self.file.wrong(portable.file, f"has no {field.name}", number)
            return None
        if field.related_model is User:
            return self.user(portable, value, number)
        if field.is_relation:
            return self.key_of(portable, field.related_model, value, number)  # type: ignore[arg-type]
        try:
            return self.plain(portable, field, value)
        except ValidationError as error:
            raise self.file.wrong(portable.file, f"{field.name}: {' '.join(error.messages)}", number) from error
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self.file.wrong(portable.file, f"{field.name} is not as expected ({error!r})", number) from error

    def plain(self, portable: Portable, field: Field[Any, Any], value: Any) -> Any:
        """A value that refers to nothing but, in JSON, to other rows of the file."""
        if isinstance(field, JSONField):
            require_like(field, value)
        if field.name == "protocol":
            Protocol.from_dict(value)
        if change := portable.changes.get(field.name):
            value = change(value, lambda model, number: self.keys[model][number])
        value = field.to_python(value)
        if isinstance(value, str) and "\0" in value:
            raise ValidationError("NUL characters are not allowed")
        if field.choices and value not in ("", *dict(field.flatchoices)):
            raise ValidationError(f"{value!r} is not one of its values")
        field.run_validators(value)
        return value

    def key_of(self, portable: Portable, model: type[Model], value: Any, number: int) -> int:
        key = self.keys.get(model, {}).get(value) if isinstance(value, int) else None
        if key is None:
            reason = f"refers to {model.__name__} {value!r}, which is not in the campaign file"
            raise self.file.wrong(portable.file, reason, number)
        return key

    def user(self, portable: Portable, value: Any, number: int) -> int:
        key = self.users.get(value) if isinstance(value, str) else None
        if key is None:
            raise self.file.wrong(portable.file, f"names {value!r}, who is not among the people", number)
        return key

    def content(self, portable: Portable, number: int) -> bytes:
        content = CONTENTS[portable.model]
        name = content.file(number)
        try:
            return content.pack(self.file.read(name))
        except ValueError as error:
            raise self.file.wrong(name, f"cannot be read ({error})") from error


def require_like(field: JSONField, value: Any) -> None:
    """Raises ValidationError unless JSON has the type that its field begins with."""
    kind = type(field.get_default()) if field.has_default() else object
    if not isinstance(value, kind):
        raise ValidationError(f"expected {'an object' if kind is dict else 'a list'}")
    if field.name in ("order", "instance_order") and not isinstance(value, list):
        raise ValidationError("expected a list")

"""What a kind of job is. The kinds are declared in ``services.job_kinds``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from django.db.models import Model

if TYPE_CHECKING:
    from assess.models.campaign import Campaign
    from assess.models.job import Job

OnProgress = Callable[[int, int, str], None]
"""Receives how far a step is: items done, total (0 if unknown), what it is doing."""

Step = Callable[["Job", OnProgress], dict[str, Any]]
"""Does a job and returns its result."""

Resource = Literal["collection", "repair", "runs", "pooling", "pool", "topics", "threads", "sources"]
"""What jobs read and change:

* collection: its posts, formulas and visual ids
* repair: the repair of visual ids under review
* runs: those that are there; adding others does not change these
* pooling: what the next pool is made from, and making it
* pool: the current pool as it is; no job changes it, but it can be discarded
* topics, and the threads of the topics
* sources: judgments made elsewhere
"""

SHARED = frozenset[Resource](("collection", "repair"))
"""What campaigns with the same collection have in common; the rest belongs to one campaign."""


class Made(NamedTuple):
    """What a job makes: its name in the result and in the query of the page that shows it, that page, what it is called
    (``{}``: the number), and its model if it can be deleted."""

    name: str
    page: str
    label: str
    model: type[Model] | None = None


@dataclass(eq=False)
class JobKind:
    """One kind of job, which decorates its step. A job waits for no other: it is refused while another that it would
    disturb, or that would disturb it, is unfinished. Two disturb each other if one changes what the other reads or
    changes; and two of the same kind do, so that a button pressed twice does not release twice, unless
    ``is_repeatable``. ``when_archived``: it changes nothing that an archived campaign keeps.

    ``page``: the address name of the page that starts it; ``page_label``: what it is called in a sentence, if not so.
    ``asks``: its parameters, if a button starts it without a form (the address ``job_start``); may raise Refused.
    ``outcome``: the result in words, one line each.
    """

    key: str
    title: str
    page: str
    page_label: str = ""
    reads: Set[Resource] = frozenset()
    changes: Set[Resource] = frozenset()
    is_repeatable: bool = False
    when_archived: bool = False
    made: Made | None = None
    asks: Callable[[Campaign], dict[str, Any]] | None = None
    outcome: Callable[[Job], list[str]] = lambda job: []
    step: Step = field(init=False)

    def __call__(self, step: Step) -> Self:
        if self.key in DECLARED:
            raise ValueError(f"two kinds of jobs have the key {self.key}")
        self.step, self.page_label = step, self.page_label or self.page
        DECLARED[self.key] = self
        return self


DECLARED: dict[str, JobKind] = {}


def kinds_of_jobs() -> Mapping[str, JobKind]:
    """All kinds by their keys. Declaring them loads the steps, and with these the whole application, so that is done
    when they are first needed: scoring on the command line never does."""
    import_module("assess.services.job_kinds")
    return DECLARED

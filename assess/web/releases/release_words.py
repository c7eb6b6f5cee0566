"""What a release was made with, in words."""

from dataclasses import replace
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.timezone import localtime

from assess.ir.campaign.presets import PRESETS, Protocol
from assess.ir.releases.release_options import OPTIONS, ReleaseOptions
from assess.models import Qrels
from assess.services.common.wording import number
from assess.services.rounds.progress import MainRound

TOLD = ("round", "assessor", "min_relevant", "visual_ids")
"""The options that other facts tell."""


class Fact(NamedTuple):
    """A point of how a release was made: its name, and what it was, empty if it does not apply. ``is_usual``: an option
    as for the official qrels."""

    name: str
    text: str
    is_usual: bool = False


class Contrast(NamedTuple):
    """A point in which two releases were not made alike."""

    name: str
    before: str
    after: str


def facts(release: Qrels) -> list[Fact]:
    """The same names in the same order for every release."""
    return [
        Fact("Protocol", protocol_in_words(release, release.changes)),
        Fact("Relevant", f"grade {release.protocol['level']} and up"),
        Fact("Topics", topics_in_words(release)),
        Fact("Visual ids", visual_ids_in_words(release)),
        Fact("Judged", judged_in_words(release)),
        Fact("Settled grades", settled_in_words(release)),
        *facts_of_options(release.chosen),
        Fact("Pool", pool_in_words(release)),
    ]


def contrasts(first: Qrels, second: Qrels) -> list[Contrast]:
    """The points in which they were not made alike, by what the releases themselves have of it."""
    pairs = zip(compared(first), compared(second), strict=True)
    differing = [Contrast(before.name, before.text, after.text) for before, after in pairs if before != after]
    kinds = Contrast("Chosen kinds of topics", *kinds_in_words(first, second))
    return [*differing, *([kinds] if kinds.before != kinds.after else [])]


def compared(release: Qrels) -> list[Fact]:
    """The facts, with how much of the history counts and the program. Changes of the protocol that have a fact of their
    own are left out of it."""
    protocol = Protocol.from_dict(release.protocol)
    usual = PRESETS.get(protocol.preset, protocol)
    others = replace(protocol, level=usual.level, min_relevant=usual.min_relevant).changes
    return [
        Fact("Protocol", protocol_in_words(release, others)),
        *facts(release)[1:],
        Fact("Decisions", decisions_in_words(release)),
        Fact("Made by", release.manifest["software"]),
    ]


def facts_of_options(options: ReleaseOptions) -> list[Fact]:
    return [
        Fact(
            OPTIONS[name]["label"], options.in_words(name) or ("none" if usual else ""), getattr(options, name) == usual
        )
        for name, usual in vars(ReleaseOptions()).items()
        if name not in TOLD
    ]


def protocol_in_words(release: Qrels, changes: list[str]) -> str:
    preset = str(release.protocol["preset"])
    return f"{preset}, changed: {'; '.join(changes)}" if changes else preset


def topics_in_words(release: Qrels) -> str:
    least, left_out = release.protocol["min_relevant"], release.made_with.get("left_out")
    kept = f"with at least {number(least, 'relevant unit')}" if least else "all judged topics"
    return f"{kept}; left out: {', '.join(left_out)}" if left_out else kept


def visual_ids_in_words(release: Qrels) -> str:
    version = release.visual_map
    return f"version {version.number} ({version.get_kind_display().lower()})" if version else ""


def judged_in_words(release: Qrels) -> str:
    context = {"campaign": release.pool.campaign, "main_round": MainRound(**release.main_round)}
    return render_to_string("rounds/_main_round.html", context)


def settled_in_words(release: Qrels) -> str:
    settled = release.made_with.get("settled", 0)
    return f"{number(settled, 'document')} with the grade that an expert settled" if settled else ""


def pool_in_words(release: Qrels) -> str:
    frozen = release.pool.frozen
    version = f"version {release.made_with['pool']['version']}"
    return f"{version}, frozen on {date_format(localtime(frozen), 'j F Y')}" if frozen else version


def decisions_in_words(release: Qrels) -> str:
    parts = release.manifest["parts"]
    return f"{sum(part['events'] for part in parts):,} in {number(len(parts), 'assignment')}"


def kinds_in_words(first: Qrels, second: Qrels) -> tuple[str, str]:
    """The kinds that the organizers had chosen for topics, of those topics for which the releases differ."""
    before, after = (release.manifest["topics"] for release in (first, second))
    topics = sorted(topic for topic in before.keys() | after.keys() if before.get(topic) != after.get(topic))
    return kinds_of(topics, before), kinds_of(topics, after)


def kinds_of(topics: list[str], chosen: dict[str, str]) -> str:
    return ", ".join(f"{topic} {chosen[topic]}" for topic in topics if topic in chosen)

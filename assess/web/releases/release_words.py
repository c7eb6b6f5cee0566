"""What a release was made with, in words."""

from dataclasses import replace
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.timezone import localtime

from assess.ir.campaign.presets import PRESETS, changes_from_preset
from assess.ir.campaign.protocol import OPTIONS as PROTOCOL
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


def facts(release: Qrels) -> list[Fact]:
    """The same names in the same order for every release."""
    least, left_out, options = release.protocol["min_relevant"], release.made_with["left_out"], release.chosen
    topics = f"with at least {number(least, 'relevant unit')}" if least else "all judged topics"
    version, settled, frozen = release.visual_map, release.made_with.get("settled"), release.pool.frozen
    pool = f"version {release.made_with['pool']['version']}"
    judged = {"campaign": release.pool.campaign, "main_round": MainRound(**release.main_round)}
    return [
        Fact("Protocol", protocol_in_words(release, release.changes)),
        Fact("Relevant", f"grade {release.protocol['level']} and up"),
        Fact("Topics", f"{topics}; left out: {', '.join(left_out)}" if left_out else topics),
        Fact("Visual ids", f"version {version.number} ({version.get_kind_display().lower()})" if version else ""),
        Fact("Judged", render_to_string("rounds/_main_round.html", judged)),
        Fact(
            "Settled grades",
            f"{number(settled, 'document')} with the grade that an expert settled" if settled else "",
        ),
        Fact("Official grade", PROTOCOL["official_grade"].choices.get(release.manifest.get("official_grade", ""), "")),
        *(
            Fact(
                OPTIONS[name].label,
                options.in_words(name) or ("none" if usual else ""),
                usual == getattr(options, name),
            )
            for name, usual in vars(ReleaseOptions()).items()
            if name not in TOLD
        ),
        Fact("Pool", f"{pool}, frozen on {date_format(localtime(frozen), 'j M Y')}" if frozen else pool),
    ]


def protocol_in_words(release: Qrels, changes: list[str]) -> str:
    preset = str(release.protocol["preset"])
    return f"{preset}, changed: {'; '.join(changes)}" if changes else preset


def contrasts(first: Qrels, second: Qrels) -> list[tuple[str, str, str]]:
    """The points in which they were not made alike, by what the releases themselves have of it: name, and both."""
    pairs = zip(facts_to_compare(first), facts_to_compare(second), strict=True)
    differing = [(before.name, before.text, after.text) for before, after in pairs if before != after]
    before, after = (release.manifest["topics"].items() for release in (first, second))
    texts = [
        ", ".join(f"{topic} {kind}" for topic, kind in sorted(kinds)) for kinds in (before - after, after - before)
    ]
    return differing + ([("Chosen kinds of topics", texts[0], texts[1])] if any(texts) else [])


def facts_to_compare(release: Qrels) -> list[Fact]:
    """The facts, with how much of the history counts and the program. Changes of the protocol that have a fact of their
    own are left out of it."""
    protocol = release.rules
    usual = PRESETS.get(protocol.preset, protocol)
    others = changes_from_preset(replace(protocol, level=usual.level, min_relevant=usual.min_relevant))
    parts = release.manifest["parts"]
    decisions = f"{sum(part['events'] for part in parts):,} in {number(len(parts), 'assignment')}"
    return [
        Fact("Protocol", protocol_in_words(release, others)),
        *facts(release)[1:],
        Fact("Decisions", decisions),
        Fact("Made by", release.manifest["software"]),
    ]

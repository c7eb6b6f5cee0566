"""How much of a run is judged, by rank."""

import polars as pl

from assess.ir.runs.judged import JudgedUnits
from assess.ir.scores.rank_profile import Band, rank_profile
from assess.models import Evaluation, RankProfile, Run


def made(evaluation: Evaluation, run: Run, ranking: pl.DataFrame, judged: JudgedUnits) -> list[RankProfile]:
    """The profile of a ranking, not yet stored. None for written answers, of which a topic has one."""
    by = evaluation.order or run.order
    bands = [] if run.is_written else rank_profile(ranking, judged, by)  # type: ignore[arg-type]
    return [RankProfile(evaluation=evaluation, run=run, bands=bands)] if bands else []


def of_run(evaluation: Evaluation, run: Run) -> list[Band]:
    """The bands of a run; none of written answers."""
    profile = evaluation.profiles.filter(run=run).first()
    return [Band(*band) for band in profile.bands] if profile else []

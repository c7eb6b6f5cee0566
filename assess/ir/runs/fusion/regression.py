"""A linear model of the grade, trained on qrels."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assess.ir.common.options import option
from assess.ir.common.problems import refuse
from assess.ir.common.rows import Qrel, abbreviated, tie_break
from assess.ir.runs.fusion.lists import Fused, Lists, Method, documents, first_by_keys, normalized, with_falling_scores
from assess.ir.runs.ranking import TOPIC_AND_UNIT, JudgedUnits

TRAINED = "regression"
"""The name of the method that needs qrels."""

DECIMALS = 9
"""Predictions are rounded to these before they are compared: linear algebra differs in later ones by machine."""


class Fold(NamedTuple):
    """The topics that a model is trained on, and those that it scores."""

    training: list[str]
    scored: list[str]


@dataclass(frozen=True, kw_only=True)
class Regression(Method):
    """Documents by the grade that ordinary least squares predicts (scikit-learn's LinearRegression) from two features
    of each list: the score normalized by topic and the reciprocal rank, both 0 if the list lacks the document. It is
    trained on the retrieved units that are judged in ``qrels``. ``training``: these, to score all others. If empty, the
    judged topics are dealt into ``folds``, by the seed, and each is scored by a model of the other folds; topics
    without qrels by a model of all judged ones. So no topic is scored by a model that has seen its grades."""

    folds: int = option(
        int,
        5,
        "Folds",
        "Parts of the judged topics; each is scored by a model trained on the others.",
        least=2,
        most=1000,
    )
    seed: int = option(int, 0, help="Deals the topics into the folds.")
    training: Sequence[str] = option(
        str,
        (),
        "Training topics instead",
        "Topic ids with spaces between them: trained on these, and only the others are scored.",
        is_list=True,
    )
    qrels: Collection[Qrel] = ()

    def fused(self, lists: Lists) -> Fused:
        names = [f"{feature} {index}" for index, _ in enumerate(lists.names) for feature in ("score", "rank")]
        table = features(lists).join(
            JudgedUnits.of(self.qrels).units, on=TOPIC_AND_UNIT, how="left", maintain_order="left"
        )
        judged = set(table.filter(pl.col("grade").is_not_null())["topic_id"])
        parts = self.parts(set(table["topic_id"]), judged)
        results = [predicted(table, part, names) for part in parts]
        values = pl.concat([values for values, _ in results]).join(documents(lists.rows), on=TOPIC_AND_UNIT)
        models = [part._asdict() | model for part, (_, model) in zip(parts, results, strict=True)]
        return Fused(with_falling_scores(first_by_keys(values, "value", "doc_id")), {"models": models})

    def parts(self, topics: Collection[str], judged: Collection[str]) -> list[Fold]:
        """``topics``: of the lists; ``judged``: those of them with a judged document."""
        if self.training:
            if without := sorted(set(self.training).difference(judged)):
                raise refuse("training topics", f"these runs have no judged document for {abbreviated(without)}")
            scored = sorted(set(topics).difference(self.training))
            if not scored:
                raise refuse("training topics", "these are all topics, so none is left to score")
            return [Fold(sorted(set(self.training)), scored)]
        if len(judged) < 2:
            raise refuse(
                "qrels", "fewer than two topics have a judged document in these runs, so there is nothing to train on"
            )
        shuffled = sorted(judged, key=lambda topic: tie_break(self.seed, topic, ""))
        folds = [shuffled[start :: self.folds] for start in range(min(self.folds, len(shuffled)))]
        parts = [Fold(sorted(set(judged).difference(fold)), sorted(fold)) for fold in folds]
        rest = sorted(set(topics).difference(judged))
        return [*parts, Fold(sorted(judged), rest)] if rest else parts


def features(lists: Lists) -> pl.DataFrame:
    """A row for each unit, with the columns ``score 0``, ``rank 0``, ``score 1`` …"""
    points = lists.rows.with_columns(score=normalized(), rank=1 / pl.col("rank"))
    table = lists.rows.select(TOPIC_AND_UNIT).unique().sort(TOPIC_AND_UNIT)
    for index, _ in enumerate(lists.names):
        of_list = points.filter(list=index).select(*TOPIC_AND_UNIT, pl.col("score", "rank").name.suffix(f" {index}"))
        table = table.join(of_list, on=TOPIC_AND_UNIT, how="left", maintain_order="left")
    return table.fill_null(0.0)


def predicted(table: pl.DataFrame, part: Fold, names: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """The units of the scored topics with the grade predicted for each, and the model."""
    from sklearn.linear_model import LinearRegression

    training_rows = table.filter(pl.col("topic_id").is_in(part.training), pl.col("grade").is_not_null())
    model = LinearRegression().fit(training_rows.select(names).to_numpy(), training_rows["grade"].to_numpy())
    scored = table.filter(pl.col("topic_id").is_in(part.scored))
    values = np.round(model.predict(scored.select(names).to_numpy()), DECIMALS)
    weights = [round(float(weight), DECIMALS) for weight in model.coef_]
    facts = {"units": len(training_rows), "intercept": round(float(model.intercept_), DECIMALS), "weights": weights}
    return scored.select(*TOPIC_AND_UNIT, value=pl.Series(values)), facts

"""Generated runs of a lab over a prepared collection, in the labs' formats: the same seed gives the same files.

Every topic has a few thousand documents that systems find at all, with a common order that each system distorts in
its own way: so runs overlap as those of a lab do, about 450 different answers in a pool of 53 runs.
"""

from pathlib import Path

import numpy as np
import polars as pl

RUNS, TOPICS, RETRIEVED = 53, 100, 1000
FOUND = 3000
"""Documents of each topic that any system retrieves."""
NOISE = 1.6


def role(number: int) -> str:
    """Of five runs of a team two are primary, as far as the pool is concerned."""
    return "primary" if number % 5 < 2 else "alternate"


def write(folder: Path, documents: pl.DataFrame, runs: int, letter: str, seed: int = 1) -> list[Path]:
    """Write so many runs; ``documents`` has the column doc_id and, for formulas, post_id."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    candidates = min(FOUND, len(documents))
    retrieved = min(RETRIEVED, candidates)
    places = [rng.choice(len(documents), candidates, replace=False) for _ in range(TOPICS)]
    merits = rng.exponential(1.0, (TOPICS, candidates))
    names = np.repeat([f"{letter}.{301 + number}" for number in range(TOPICS)], retrieved)
    paths = []
    for number in range(runs):
        scores = merits + rng.normal(0, NOISE, merits.shape)
        best = np.argsort(-scores, axis=1)[:, :retrieved]
        rows = documents[np.concatenate([where[top] for where, top in zip(places, best, strict=True)])]
        columns = {"topic": names, **rows.to_dict()}
        columns |= {"rank": np.tile(np.arange(1, retrieved + 1), TOPICS)}
        columns |= {"score": np.take_along_axis(scores, best, axis=1).ravel()}
        frame = pl.DataFrame(columns).with_columns(run=pl.lit(f"run{number:02}"))
        paths.append(folder / f"run{number:02}.tsv")
        frame.write_csv(paths[-1], separator="\t", include_header=False, quote_style="never")
    return paths

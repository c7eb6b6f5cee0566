"""What the tests of the judging desk share, with a browser and without."""

from assess.models import PoolEntry
from assess.services import judging


def place_of(assignment, unit):
    entry = PoolEntry.objects.get(pool=assignment.round.pool, topic=assignment.topic, unit_id=unit)
    return assignment.order.index(entry.pk) + 1


def url(assignment, unit):
    return f"/judge/{assignment.pk}/{place_of(assignment, unit)}/"


def sent(assignment, unit, **said):
    """What the browser sends for a place: ``said`` maps a document, as ``d11``, to its word or (word, comment)."""
    page = judging.open_page(assignment, place_of(assignment, unit))
    data = {}
    for card in page.cards:
        word = said.get(f"d{card.shown.instance.doc_id}", "")
        word, comment = word if isinstance(word, tuple) else (word, "")
        prefix = f"i{card.shown.instance.pk}"
        data |= {f"{prefix}-word": word, f"{prefix}-comment": comment, f"{prefix}-active_ms": "1500"}
        data[f"{prefix}-content_hash"] = card.shown.content_hash
    return data


def decisions(assignment):
    return {one.instance.doc_id: one.decision for one in assignment.judgments.select_related("instance")}

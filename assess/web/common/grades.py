"""How grades and outcomes look."""

from assess.ir.campaign.protocol import Protocol, is_grade


def style(rules: Protocol, word: str) -> str:
    """The CSS classes of a grade or an outcome (`styles/components.css`)."""
    if not is_grade(word):
        return "outcome"
    step = rules.step(int(word))
    return f"grade {'below ' if step < 0 else ''}step-{step}"

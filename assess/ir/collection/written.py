"""Written answers (Task 3): plain text with TeX between dollar signs."""

import re
from html import escape

MATH = re.compile(r"((?<!\\)\$\$.+?(?<!\\)\$\$|(?<!\\)\$[^$]+?(?<!\\)\$)", re.DOTALL)


def written_html(text: str) -> str:
    """The answer as HTML in the labs' form: paragraphs at blank lines, each formula in a math-container span."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{with_spans(paragraph)}</p>" for paragraph in paragraphs)


def with_spans(text: str) -> str:
    parts = [escape(part) for part in MATH.split(text)]
    parts[1::2] = [f'<span class="math-container">{formula}</span>' for formula in parts[1::2]]
    return "".join(parts)

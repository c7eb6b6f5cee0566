"""Written answers (Task 3): plain text with TeX between dollar signs."""

import re
from html import escape

MATH = re.compile(r"(?<!\\)\$\$(?P<block>.+?)(?<!\\)\$\$|(?<!\\)\$(?P<inline>[^$]+?)(?<!\\)\$", re.DOTALL)


def written_html(text: str) -> str:
    """The answer as HTML in the labs' form: paragraphs at blank lines, each formula in a math-container span."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "".join(f"<p>{with_spans(paragraph)}</p>" for paragraph in paragraphs)


def with_spans(text: str) -> str:
    parts, last = [], 0
    for match in MATH.finditer(text):
        parts += [
            escape(text[last : match.start()]),
            f'<span class="math-container">{escape(match.group())}</span>',
        ]
        last = match.end()
    return "".join([*parts, escape(text[last:])])

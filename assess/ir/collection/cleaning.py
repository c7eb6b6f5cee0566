"""The HTML of many posts and comments in canonical form.

As a program (``python -m assess.ir.collection.cleaning``) it reads texts as JSON from standard input and writes them to
standard output: cleaning is slow and single-threaded, so many texts are split over several processes.
"""

import json
import sys

from assess.ir.collection.html import canonical, canonical_inline

FORMS = {"title": canonical_inline, "body": canonical, "text": canonical_inline}
"""How the titles and bodies of posts and the texts of comments are cleaned."""

Texts = dict[str, list[str]]


def cleaned(texts: Texts) -> Texts:
    """The texts in canonical form, under the same keys, which are those of ``FORMS``."""
    return {name: list(map(FORMS[name], values)) for name, values in texts.items()}


if __name__ == "__main__":
    json.dump(cleaned(json.load(sys.stdin)), sys.stdout)

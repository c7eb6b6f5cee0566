"""The canonical span of a formula, as stored posts hold it."""

import re

FORMULA = re.compile(r'<span class="math-container" data-formula-id="([^"]*)"( data-display="block")?>([^<]*)</span>')
"""Its id, whether it is displayed, and its TeX, escaped."""
DISPLAYED = '<span class="math-container" data-formula-id="" data-display="block">{}</span>'
"""A displayed formula without an id; takes its TeX, escaped."""

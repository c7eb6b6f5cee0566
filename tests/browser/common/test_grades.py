"""The grades of every scale look different, and their names can be read on them, in light and in dark."""

import itertools
import math
import re
from pathlib import Path

from django.conf import settings
from playwright.sync_api import Page

from assess.ir.campaign.presets import read_lab
from assess.web.common.html import style

SHEET = Path(settings.BASE_DIR) / "frontend" / "dist" / "app.css"
SCALES = [range(size - 1, -1, -1) for size in range(2, 12)] + [range(3, -3, -1), range(4, -2, -1), range(1, -10, -1)]
MEASURED = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  return [...document.querySelectorAll(".badge")].map(getComputedStyle).map(
    ({ color, backgroundColor, backgroundImage }) => [rgb(color), rgb(backgroundColor), backgroundImage]);
}"""
Rgb = list[int]


def linear(rgb: Rgb) -> list[float]:
    return [part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb]


def contrast(one: Rgb, other: Rgb) -> float:
    """As WCAG has it: from 1 to 21."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear, (one, other)))
    return (high + 0.05) / (low + 0.05)


def oklab(rgb: Rgb) -> tuple[float, float, float]:
    r, g, b = linear(rgb)
    long = (0.41222 * r + 0.53633 * g + 0.05145 * b) ** (1 / 3)
    medium = (0.21190 * r + 0.68070 * g + 0.10740 * b) ** (1 / 3)
    short = (0.08830 * r + 0.28172 * g + 0.62998 * b) ** (1 / 3)
    return (
        0.21045 * long + 0.79362 * medium - 0.00407 * short,
        1.97800 * long - 2.42859 * medium + 0.45059 * short,
        0.02590 * long + 0.78277 * medium - 0.80868 * short,
    )


def test_grades_differ_in_colour_and_shape_and_can_be_read(page: Page) -> None:
    for values in SCALES:
        rows = "".join(f'[[grades]]\nvalue = {value}\nname = "Grade {value}"\n' for value in values)
        rules, _ = read_lab(f'like = "documents"\nlevel = 1\n{rows}', "lab.toml")
        badges = "".join(f'<p><span class="badge {style(rules, str(value))}">Grade</span></p>' for value in values)
        page.set_content(f"<style>{SHEET.read_text()}</style>{badges}")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            shown = page.evaluate(MEASURED)
            assert min(contrast(text, ground) for text, ground, _ in shown) >= 4.5, (values, scheme)
            pairs = itertools.combinations((oklab(ground) for _, ground, _ in shown), 2)
            apart = min(itertools.starmap(math.dist, pairs))
            assert apart >= (0.1 if len(values) < 7 else 0.04), (values, scheme)
            shapes = [(gauge.count("to top"), *re.findall(r"[\d.]+%", gauge)) for _, _, gauge in shown]
            assert len(set(shapes)) == len(values), shapes

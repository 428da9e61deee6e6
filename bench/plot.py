# SPDX-License-Identifier: Apache-2.0
"""Draws the slowdowns as grouped horizontal bars on a logarithmic axis: bench.svg, written here by hand, and bench.png by
rsvg-convert where that is installed. It computes no figure."""

import math
import os
import shutil
import subprocess

COLOURS = ("#1b6ca8", "#3fa7d6", "#59b390", "#8bc34a", "#d98324", "#c0504d", "#8064a2", "#7f7f7f")
WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 900, 130, 60, 60, 9, 8


class Canvas:
    def __init__(self):
        self.parts = []

    def text(self, x, y, words, anchor="start", size=12, weight="normal"):
        safe = str(words).replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">{safe}</text>')

    def rect(self, x, y, w, h, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{colour}"/>')

    def line(self, x, y1, y2, colour):
        self.parts.append(f'<line x1="{x:.1f}" y1="{y1:.1f}" x2="{x:.1f}" y2="{y2:.1f}" stroke="{colour}"/>')

    def svg(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" '
                'font-family="DejaVu Sans, Verdana, sans-serif"><rect width="100%" height="100%" fill="white"/>' + "\n".join(self.parts) + "</svg>\n")


class Axis:
    """1x at the left edge, the largest value at the right one, logarithmic."""

    def __init__(self, largest):
        self.top = max(2.0, largest * 1.05)

    def x(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(max(value, 1.0)) / math.log(self.top)

    def ticks(self):
        return [t for t in (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200) if t <= self.top]


def draw(rows, engines, title):
    """rows: name -> engine -> ratio or None."""
    canvas = Canvas()
    axis = Axis(max(v for row in rows.values() for v in row.values() if v))
    height = TOP + len(rows) * (BAR * len(engines) + GAP) + 40
    canvas.text(LEFT, 20, title, size=14, weight="bold")
    x = LEFT
    for i, name in enumerate(engines):
        canvas.rect(x, 32, 12, 12, COLOURS[i % len(COLOURS)])
        canvas.text(x + 16, 42, name)
        x += 30 + 8 * len(name)
    for tick in axis.ticks():
        canvas.line(axis.x(tick), TOP - 4, height - 30, "#dddddd" if tick > 1 else "#333333")
        canvas.text(axis.x(tick), height - 14, f"{tick:g}x", anchor="middle", size=10)
    y = TOP
    for name, row in rows.items():
        canvas.text(LEFT - 8, y + BAR * len(engines) / 2 + 4, name, anchor="end", weight="bold" if name == "geometric mean" else "normal")
        for i, engine in enumerate(engines):
            draw_bar(canvas, axis, y + i * BAR, row.get(engine), COLOURS[i % len(COLOURS)])
        y += BAR * len(engines) + GAP
    return canvas.svg(height)


def draw_bar(canvas, axis, y, value, colour):
    if value is None:
        canvas.text(LEFT + 3, y + BAR - 1, "failed", size=8)
        return
    canvas.rect(LEFT, y, max(1.0, axis.x(value) - LEFT), BAR - 1, colour)
    canvas.text(axis.x(value) + 3, y + BAR - 1, f"{value:.2f}", size=8)


def write(_result, folder, rows, means):
    """Writes the pictures; the name of the one to show, or "" where there is nothing to draw."""
    engines = [e for e, mean in means.items() if mean]
    shown = {name: row for name, row in rows.items() if any(row.get(e) for e in engines)}
    if not engines or not shown:
        return ""
    shown["geometric mean"] = means
    svg = os.path.join(folder, "bench.svg")
    with open(svg, "w", encoding="utf-8") as f:
        f.write(draw(shown, engines, "CPU time over native (log scale, less is better)"))
    if shutil.which("rsvg-convert"):
        subprocess.run(["rsvg-convert", "-z", "1.5", "-o", os.path.join(folder, "bench.png"), svg], check=True)
    return "bench.svg"

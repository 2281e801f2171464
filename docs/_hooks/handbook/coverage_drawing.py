"""A coverage curve as SVG that is part of the page: it takes the colours of the page's scheme."""

from __future__ import annotations

import html

from handbook.coverage_curves import ALPHA, Curve

WIDTH, HEIGHT = 340, 128
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 8, 8, 30
LOWEST = 0.8
"""The lower end of the axis; what is lower is told in words."""


def drawing(curve: Curve, title: str) -> str:
    """The curve with its axes, as an element of HTML with a caption."""
    lowest, at = curve.lowest
    how = "exact" if curve.exact else "simulated"
    caption = (
        f"Coverage at {curve.where}, {how}; lowest here {lowest:.4f} at {curve.axis} = {at:.4g}"
    )
    return (
        f'<figure class="coverage"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{html.escape(f"{title}. {caption}")}">{"".join(_parts(curve))}</svg>'
        f"<figcaption>{html.escape(caption)}.</figcaption></figure>"
    )


def _parts(curve: Curve) -> list[str]:
    right, bottom, nominal = WIDTH - _RIGHT, HEIGHT - _BOTTOM, _y(1 - ALPHA)
    first, last = _ends(curve)
    below = f'x="{_LEFT}" y="{nominal}" width="{right - _LEFT}" height="{bottom - nominal}"'
    parts = [f'<rect class="below" {below}/>']
    for level in (LOWEST, 0.9, 1 - ALPHA, 1.0):
        y, kind = _y(level), "nominal" if level == 1 - ALPHA else "grid"
        parts.append(f'<path class="{kind}" d="M{_LEFT} {y}H{right}"/>')
        parts.append(f'<text x="{_LEFT - 5}" y="{y + 3.5}" text-anchor="end">{level:.2f}</text>')
    for value in (first, (first + last) / 2, last):
        place = f'x="{_x(value, curve)}" y="{bottom + 13}" text-anchor="middle"'
        parts.append(f"<text {place}>{value:g}</text>")
    middle = f'x="{(_LEFT + right) / 2}" y="{bottom + 26}" text-anchor="middle"'
    parts.append(f"<text {middle}>{html.escape(curve.axis)}</text>")
    return [*parts, *_data(curve)]


def _data(curve: Curve) -> list[str]:
    points = [
        (_x(truth, curve), _y(covered))
        for truth, covered in zip(curve.truths, curve.coverage, strict=True)
    ]
    if curve.joined:
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        return [f'<path class="curve" d="{path}"/>']
    return [f'<circle class="point" cx="{x}" cy="{y}" r="2.4"/>' for x, y in points]


def _ends(curve: Curve) -> tuple[float, float]:
    """The ends of the horizontal axis: 0 and 1 where all truths lie between."""
    low, high = min(curve.truths), max(curve.truths)
    if high > 1:
        return 0.0, high
    return (0.0, 1.0) if low >= 0 else (low, high)


def _x(truth: float, curve: Curve) -> float:
    first, last = _ends(curve)
    return round(_LEFT + (truth - first) / (last - first) * (WIDTH - _LEFT - _RIGHT), 2)


def _y(covered: float) -> float:
    share = (max(covered, LOWEST) - LOWEST) / (1 - LOWEST)
    return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 2)

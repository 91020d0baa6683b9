"""Positions are drawn here for a page, as SVG: the board of a game with a layout, for others the text it draws."""

from html import escape

from gamesman.model.variant import Position, Variant
from gamesman.web.picture import picture, placed

CELL = 40  # units a step on the board
FILLS = {"black": "#26262a", "white": "#fdfdfb", "red": "#c2452d", "blue": "#1f6fb4", "green": "#2c8a4b"}
EMPTY = ("-", " ")


def drawn(variant: Variant, position: Position) -> str:
    """Return a position as a piece of HTML, in which nothing is left to be escaped.

    >>> from gamesman.model.variant import variant
    >>> v = variant("tictactoe")
    >>> text = drawn(v, (1, 0))
    >>> text.count("<rect"), text.count("<text"), text.startswith("<svg")
    (9, 9, True)
    """
    found, there = picture(variant), placed(variant, position)
    if "board" not in there:
        return f"<pre>{escape(variant.draw(position))}</pre>"
    at = [(CELL * (x + 0.6), CELL * (y + 0.6)) for x, y in found["at"]]
    width, height = (max(point[i] for point in at) + 0.6 * CELL for i in range(2))
    parts = []
    for one, other in found["lines"]:
        (left, up), (right, down) = at[one], at[other]
        parts.append(f'<line x1="{left:g}" y1="{up:g}" x2="{right:g}" y2="{down:g}"/>')
    colours = [player["colour"] for player in found["players"]]
    for (x, y), name, letter in zip(at, found["names"], there["board"], strict=True):
        if found["kind"] == "squares":
            parts.append(f'<rect x="{x - CELL / 2:g}" y="{y - CELL / 2:g}" width="{CELL}" height="{CELL}"/>')
        else:
            parts.append(f'<circle class="cell" cx="{x:g}" cy="{y:g}" r="{CELL * 0.46:g}"/>')
        if letter in EMPTY:
            parts.append(f'<text class="name" x="{x:g}" y="{y + 4:g}">{escape(name)}</text>')
            continue
        look = found["pieces"][letter]
        fill = FILLS.get(colours[look["player"]], "") if look["player"] is not None else ""
        if fill:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{CELL * 0.36:g}" fill="{fill}"/>')
        if not fill or look["shape"] != "disc":
            ink = "#ffffff" if fill and fill != FILLS["white"] else "#111111"
            parts.append(f'<text x="{x:g}" y="{y + 7:g}" fill="{ink}">{escape(letter)}</text>')
    label = escape(variant.show(position))
    head = f'<svg class="board" role="img" aria-label="{label}" width="{width:g}" viewBox="0 0 {width:g} {height:g}">'
    return f"{head}{''.join(parts)}</svg>"

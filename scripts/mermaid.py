"""Reads mermaid graphs of lines `a & b --> c & d`, and draws them as SVG."""

import re

WIDTH, BOX_HEIGHT, GAP, LETTER = 780, 32, 46, 8.2


class GraphError(Exception):
    """A line that is not of the form."""


def arrows(graph, first=1):
    """Returns the arrows: pairs of nodes, with the number of their line. The graph begins in the line `first`."""
    found = {}
    for number, line in enumerate(graph.splitlines(), first):
        line = line.split("%%")[0].strip()
        if not line or line.startswith(("graph ", "flowchart ")):
            continue
        ends = re.fullmatch(r"([\w-]+(?: & [\w-]+)*) --> ([\w-]+(?: & [\w-]+)*)", line)
        if not ends:
            raise GraphError(f"{number}: not of the form `a --> b & c`: {line}")
        for upper in ends[1].split(" & "):
            for lower in ends[2].split(" & "):
                found[upper, lower] = number
    return found


def layers(pairs):
    """Returns the nodes in rows: a node is one row below the lowest node above it. The graph has no cycle."""
    nodes = list(dict.fromkeys(node for pair in pairs for node in pair))
    row = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for upper, lower in pairs:
            row[lower] = max(row[lower], row[upper] + 1)
    # A node without an arrow to it stands just above what it uses.
    for node in nodes:
        if all(lower != node for _, lower in pairs):
            row[node] = min(row[lower] for upper, lower in pairs if upper == node) - 1
    return [[node for node in nodes if row[node] == number] for number in range(max(row.values()) + 1)]


def svg(graph):
    """Returns a drawing of the graph: boxes in rows, arrows between them."""
    pairs = list(arrows(graph))
    rows = [row for row in layers(pairs) if row]
    place = {}
    for number, row in enumerate(rows):
        # Each node is near the middle of those above it.
        def middle(node):
            above = [place[upper][0] for upper, lower in pairs if lower == node and upper in place]
            return sum(above) / len(above) if above else 0
        row.sort(key=middle)
        step = WIDTH / len(row)
        for index, node in enumerate(row):
            place[node] = (step * (index + 0.5), number * (BOX_HEIGHT + GAP) + BOX_HEIGHT / 2 + 2)
    height = len(rows) * (BOX_HEIGHT + GAP) - GAP + 4
    half = BOX_HEIGHT / 2
    parts = [
        f'<svg class="graph" viewBox="0 0 {WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    ]
    for upper, lower in pairs:
        (x1, y1), (x2, y2) = place[upper], place[lower]
        middle = (y1 + y2) / 2
        parts.append(f'<path class="arrow" d="M{x1:.0f} {y1 + half:.0f} C{x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2 - half:.0f}" marker-end="url(#head)"/>')
    for node, (x, y) in place.items():
        width = len(node) * LETTER + 20
        parts.append(f'<rect x="{x - width / 2:.0f}" y="{y - half:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="6"/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 5:.0f}">{node}</text>')
    return "".join([*parts, "</svg>"])

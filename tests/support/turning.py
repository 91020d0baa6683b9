"""Random graphs with random symmetries, as games: what a group does to the nodes is known because they are made so.

A group acts on the cosets of its subgroups. So a node of a plain graph is given a subgroup, and becomes its cosets; a
move from it becomes one from each of them, and of as many as it takes to be kept by the whole group.
"""

from pathlib import Path
from random import Random

from gamesman.model.variant import Variant, variant
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

KINDS = ("graph_game_turned", "graph_game_turned_undo", "graph_game_turned_dense", "graph_game_turned_undo_dense")
LETTERS = {LOSE: "l", TIE: "t", WIN: "w", UNDECIDED: "u"}

Element = tuple[int, ...]


def generated(elements: list[Element], degree: int) -> list[Element]:
    """Return the group that some permutations generate."""
    found = {tuple(range(degree))}
    while True:
        more = {after(a, b) for a in found for b in elements} | found
        if more == found:
            return sorted(found)
        found = more


def after(a: Element, b: Element) -> Element:
    """Return the element that does first b, then a."""
    return tuple(a[i] for i in b)


GROUPS = [
    generated([(1, 0)], 2),
    generated([(1, 2, 0)], 3),
    generated([(1, 0, 2, 3), (0, 1, 3, 2)], 4),
    generated([(1, 0, 2), (0, 2, 1)], 3),
    generated([(1, 2, 3, 0), (3, 2, 1, 0)], 4),  # that of a square
]


def turned_variant(dice: Random, kind: str, nodes: int = 10) -> tuple[Variant, int]:
    """Return a random graph with a random group of symmetries, and how many of these keep its start: all, or some.

    In a third of them every move lowers the tier, so that the game is over in the lowest one.
    """
    group = dice.choice(GROUPS)
    degree = len(group[0])
    count = dice.randint(2, nodes)
    is_acyclic = dice.random() < 1 / 3
    levels = sorted((dice.randrange(6 if is_acyclic else 3) for _ in range(count)), reverse=True)
    below = [[w for w in range(count) if levels[w] < levels[v] + (not is_acyclic)] for v in range(count)]
    ends = dice.choice([0.1, 0.3])
    kinds = dice.choice([[LOSE], [LOSE, WIN], [LOSE, TIE], [LOSE, TIE, WIN]])
    values = [dice.choice(kinds) if dice.random() < ends or not below[v] else UNDECIDED for v in range(count)]
    turns = [dice.randrange(2) for _ in range(count)]
    keeping = dice.choice([group, group, generated([dice.choice(group)], degree)])
    subgroups = [keeping, *(_subgroup(dice, group, degree) for _ in range(count - 1))]
    cosets = [sorted({_coset(g, subgroup) for g in group}) for subgroup in subgroups]
    place = {name: i for i, name in enumerate((v, coset) for v in range(count) for coset in cosets[v])}
    edges: list[list[int]] = [[] for _ in place]
    for v in range(count):
        for _ in range(dice.randint(1, 3) if values[v] == UNDECIDED else 0):
            w, s = dice.choice(below[v]), dice.choice(group)
            targets = {_coset(after(h, s), subgroups[w]) for h in subgroups[v]}
            for g in {coset[0]: coset for coset in cosets[v]}:
                own = edges[place[v, _coset(g, subgroups[v])]]
                own += [place[w, _coset(after(g, target[0]), subgroups[w])] for target in targets]
    dice.shuffle(group_order := [g for g in group if g != tuple(range(degree))])
    images = [[place[v, _coset(after(g, coset[0]), subgroups[v])] for v, coset in place] for g in group_order]
    words = [
        f"{LETTERS[values[v]]}{turns[v]}@{levels[v]}:{'+'.join(map(str, edges[i]))}" for i, (v, _) in enumerate(place)
    ]
    turned = " ".join("+".join(map(str, image)) for image in images)
    far = dice.choice(["yes", "no"])
    path = Path(__file__).parent / kind
    return variant(f"{path}.py:graph=({' '.join(words)}),turned=({turned}),far={far}"), len(keeping)


def _subgroup(dice: Random, group: list[Element], degree: int) -> list[Element]:
    some = dice.choice([[], [], [dice.choice(group)], [dice.choice(group), dice.choice(group)]])
    return generated(some, degree)


def _coset(g: Element, subgroup: list[Element]) -> tuple[Element, ...]:
    return tuple(sorted(after(g, h) for h in subgroup))

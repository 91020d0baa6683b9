"""Games played by the names of their moves."""

from gamesman.model.variant import variant


def played(name, *moves, start=None):
    """Return a variant and the position after some moves."""
    v = variant(name)
    position = v.parse(start) if start else v.start()
    for move in moves:
        position = v.do_move(position, v.parse_move(position, move))
    return v, position


def after(name, *moves, start=None):
    """Return the text of the position after some moves."""
    v, position = played(name, *moves, start=start)
    return v.show(position)


def names(v, position):
    """Return the names of a position's moves."""
    return {v.move_name(position, move) for move in v.generate_moves(position)}

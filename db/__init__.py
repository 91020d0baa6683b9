"""The position database: solved variants in SQLite files, or on a PostgreSQL server.

with open_store("solved/").open(variant("konane")) as stored:
    value, remoteness = stored.probe(position)

place      where: a folder, a file, a server           store     open, write, list, delete variants
base       one database: connections, errors           stored    a solved variant, to read
schema     the tables                                  writer    a variant being solved, to write
lock       one writer at a time                        again     a variant solved again, beside the old
block      a block's layout; one position in it        kept      tiers of an unfinished solve, checked
arrays     whole blocks as arrays                      shelf     the rows of a variant, checked
handle     open handles of database files              packer    positions cut into blocks
files      files, and what is none                     proof     what is stored, read with distrust
room       the room of what was removed                export    all positions as a file
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamesman.db.store import Store


def open_store(place: str | None = None) -> "Store":
    """The store in a folder, or at an SQLAlchemy URL; without one $GAMESMAN_DB, else a folder of the user's data."""
    from gamesman.db.store import Store

    return Store(place)

"""Solving a variant again: beside what there is, until that is solved and takes its place in one step.

Where a variant has a file to itself, the new solve has another file beside it, `FILE.again`, which is renamed in the
end. In a file or on a server with several variants it has rows of its own under another name, which are renamed in the
end, in the transaction that removes the old ones. So whenever a solve is killed there is the old solution or the new
one; and what has been solved anew so far is kept, for the next that solves again.
"""

from sqlalchemy import Connection, delete, select, update

from gamesman.db import schema
from gamesman.db.connection import Base, SQLiteFile
from gamesman.db.location import PREFIX, stored_name
from gamesman.db.rows import Owner, owner_checksum


def new_name(base: Base, variant: str) -> str:
    """The name of a variant's row while it is solved again; a file of its own needs no other name."""
    return stored_name(variant) if base.is_own else PREFIX + stored_name(variant)


def new_base(base: Base) -> Base:
    """Where a variant is solved again."""
    return base.again() if isinstance(base, SQLiteFile) and base.is_own else base


def erase(connection: Connection, name: str) -> None:
    """Remove all rows of a variant, by the name in its own row."""
    owner = select(schema.variants.c.id).where(schema.variants.c.name == name).scalar_subquery()
    for table in (schema.solves, schema.tiers, schema.blocks):
        connection.execute(delete(table).where(table.c.variant == owner))
    connection.execute(delete(schema.variants).where(schema.variants.c.name == name))


def take_place(connection: Connection, owner: Owner, variant: str) -> None:
    """Let the rows that were written under another name be the variant's."""
    name = stored_name(variant)
    erase(connection, name)
    renamed = owner._replace(name=name)
    values = {"name": name, "checksum": owner_checksum(renamed)}
    connection.execute(update(schema.variants).where(schema.variants.c.id == owner.id).values(values))

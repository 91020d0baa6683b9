"""A variant is solved again beside what there is, which is replaced in one step when all is solved.

Where a variant has a file to itself, the new solve has another file beside it, `FILE.again`, which is renamed in the
end. In a file or on a server with several variants it has rows of its own under another name, which are renamed in the
end, in the transaction that removes the old ones. So whenever a solve is killed there is the old solution or the new
one; and what has been solved anew so far is kept, for the next that solves again.
"""

from sqlalchemy import Connection, delete, select, update

from gamesman.db import schema
from gamesman.db.connection import Database
from gamesman.db.location import AGAIN_PREFIX
from gamesman.db.rows import VariantRow, variant_checksum
from gamesman.model.paths import whole_name


def new_name(database: Database, variant: str) -> str:
    """Return the name of a variant's row while it is solved again; in a file of its own it keeps its name."""
    return whole_name(variant) if database.is_own else AGAIN_PREFIX + whole_name(variant)


def erase(connection: Connection, name: str) -> None:
    """Remove all rows of the variant whose own row has a name."""
    number = select(schema.variants.c.id).where(schema.variants.c.name == name).scalar_subquery()
    for table in (schema.solves, schema.tiers, schema.blocks):
        connection.execute(delete(table).where(table.c.variant == number))
    connection.execute(delete(schema.variants).where(schema.variants.c.name == name))


def rename_rows(connection: Connection, row: VariantRow, variant: str) -> None:
    """Replace the rows of a variant by those that were written under the name of another row."""
    name = whole_name(variant)
    erase(connection, name)
    renamed = row._replace(name=name)
    values = {"name": name, "checksum": variant_checksum(renamed)}
    connection.execute(update(schema.variants).where(schema.variants.c.id == row.id).values(values))

"""The database stores solved variants in SQLite files, or on a PostgreSQL server.

with open_store("solved/").open(variant("konane")) as reader:
    value, remoteness = reader.probe(position)

store         variants opened, written, listed, deleted    location       folder, file or server, and names in it
reader        a solved variant, to read                    connection     a database, whichever kind it is
writer        a variant being solved, to write             sqlite_file    a SQLite file
again         a variant solved again beside the old        server         a PostgreSQL server
kept          tiers of an unfinished solve, checked        translation    errors of a database, made ours
audit         what is stored, read with distrust           lock           one writer at a time
images        all positions from one of each class         held_files     database files held open
rows          the rows of a variant, checked               vacuum         files made smaller after a removal
schema        the tables                                   codec          positions as bytes, and back
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamesman.db.store import Store
    from gamesman.model.ports import CompileImages


def open_store(location: str | None = None, compile_images: "CompileImages | None" = None) -> "Store":
    """Return the store of a folder or of an SQLAlchemy URL; without one that of $GAMESMAN_DB, or the user's folder.

    What compiles images is for variants of which one position of each class is stored; without it they are made in
    plain Python.
    """
    # lazy: start-up time
    from gamesman.db.store import Store

    return Store(location, compile_images)

"""Sizes in bytes are put into words, in units of 1024, as options like --memory 500M read them."""


def size_text(size: float) -> str:
    """Return a size for a person.

    >>> size_text(1), size_text(999), size_text(1000), size_text(6 << 30)
    ('1 byte', '999 bytes', '1.0 KB', '6.0 GB')
    """
    if size < 1000:
        return "1 byte" if size == 1 else f"{size:.0f} bytes"
    units = ["TB", "GB", "MB", "KB"]
    while size >= 1000 and units:  # so that no number has four digits where there is a larger unit
        size, unit = size / 1024, units.pop()
    return f"{size:,.1f} {unit}"

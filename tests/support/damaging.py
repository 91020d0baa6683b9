"""Files as a broken disk leaves them."""

import random


def damage(content: bytes, dice: random.Random) -> bytes:
    """Flip bits, overwrite a stretch, or cut the end off."""
    found = bytearray(content)
    kind = dice.choice(["flip", "flip", "flips", "zeros", "noise", "cut"])
    at = dice.randrange(len(found))
    if kind == "cut":
        return bytes(found[:at])
    if kind in ("zeros", "noise"):
        stretch = min(dice.choice([1, 16, 512, 4096]), len(found) - at)
        found[at : at + stretch] = bytes(stretch) if kind == "zeros" else dice.randbytes(stretch)
        return bytes(found)
    for _ in range(1 if kind == "flip" else dice.randint(2, 20)):
        found[dice.randrange(len(found))] ^= 1 << dice.randrange(8)
    return bytes(found)

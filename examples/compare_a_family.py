# %% [markdown]
# # Compare a family of variants
#
# What does a rule change? Konane on three and on four rows, where who cannot jump has lost or (`misere`) has won,
# and where only the piece that has jumped may jump on or (`any_piece`) any: eight variants, all of them small.

# %%
import gamesman
from gamesman.model.variant import variants

FAMILY = "konane:rows=3..4,misere=*,any_piece=*"

for variant in variants(FAMILY):
    gamesman.solve(variant.name).close()
found = gamesman.compare(FAMILY)

# %% [markdown]
# Each variant in numbers. docs/statistics.md says how each is made, and of which positions.

# %%
print(f"{'variant':40} {'start':>12} {'positions':>10} {'wins':>7} {'mean remoteness':>16} {'only move':>10}")
for each in found["variants"]:
    start = f"{each['value']} in {each['remoteness']}"
    wins, only = each["shares"]["win"], each["only_move_share"]
    remoteness = each["mean_remoteness"]
    print(f"{each['variant']:40} {start:>12} {each['positions']:>10,} {wins:>7.1%} {remoteness:>16.2f} {only:>10.1%}")

# %% [markdown]
# How far do two of them differ? There are no p-values, because these are all positions, not a sample. Of the
# measures the total variation is the easiest to read: the share of positions whose value would have to change to
# make the shares equal.

# %%
pairs = sorted(found["pairs"], key=lambda pair: -pair["effects"]["total_variation"]["value"])
for pair in pairs[:5]:
    effect = pair["effects"]["total_variation"]
    print(f"{effect['value']:.2f} {effect['size']:11} {pair['first']} and {pair['second']}")

# %% [markdown]
# One rule at a time: what turning `misere` on does to the same positions, with everything else as it was. Where
# the boards are the same the positions are, too, so one can see what becomes of each.


# %%
def turned(name: str) -> str:
    """Return the name of the same variant with `misere` turned on."""
    (variant,) = variants(f"{name}{',' if ':' in name else ':'}misere")
    return variant.name


for pair in found["pairs"]:
    if "misere" not in pair["first"] and pair["second"] == turned(pair["first"]):
        shared = pair["shared"]
        kept = shared["same_value"] / shared["positions"]
        print(f"{pair['first']}: of {shared['positions']:,} positions {kept:.1%} keep their value")
        for example in shared["examples"][:1]:
            print(f"    from {example['from']} to {example['to']}, for example: {example['position']}")

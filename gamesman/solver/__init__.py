"""The solver finds every reachable position of a variant, and what each is worth. In the order in which it happens:

upfront      refuses what its numbers alone show to be too large, before anything is loaded
solve        tells the whole of it, and chooses between the next two
dense        holds positions in arrays with a place for every key, where a game's keys follow one another
sparse       holds them in tables and lists of keys, where they are scattered

Enumerating, from the start's tier down: kernels.expand and kernels.hashing (sparse), kernels.places (dense).
keyset       collects the keys of a tier, packs them, and puts them to disk while they are not in use
forecast     looks ahead, and refuses what will not fit the memory: by random games (descend, estimate) from what has
             been found (frontier), how unevenly they spread (evenness), the curve that tiers lie on (curve), and what
             so many positions need (need)
leading      finds whose move leads to a key that something is wrong with

Solving, from the lowest tier up: kernels.acyclic where moves leave the tier; else kernels.beginning, what positions
know from the tiers below, and kernels.retrograde, from decided positions back to those that lead to them.
levels       drives the retrograde kernels, a remoteness after the other

reference    does all of it once more in plain Python, as short as can be: what the rest is held against
"""

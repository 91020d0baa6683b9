"""The prover finds out who wins where solving is too large: it looks only for enough moves to prove it.

tree          the search, compiled: can a player force as much as this?
table         what has been proved, kept in a table of stated size that threads share
prover        asks one question after the other, until the value is certain or the time is up
strategy      walks through a strategy layer by layer: every reply to every move
certificate   strategies in a file, written and checked
proof         holds what has been proved
"""

"""What does not fit memory is enumerated and solved here, in sorted files in the place of sets.

    blocks     files of blocks: keys as sorted differences, or records, each block with a checksum
    pairs      two such files side by side: where something goes, and what it says there
    folder     the work folder: whose it is, what has been done in it, and how it is removed
    cutting    what some files have is cut into shards
    tasks      what is done from files to files: a shard of a tier is expanded, or solved at once
    closing    the same where moves stay in the tier: a shard is closed, as far as it goes without the others
    backwards  and solved level by level: it hears who is decided, and tells the parents, in other shards and its own
    links      who the parents are, where the game does not say it
    mail       what waits to be heard at the next level
    levels     the shards of a tier take turns, level after level
    steps      a step as it may travel to who performs it, and who does; one that has been done is not done again
    cyclic     the steps of a tier with moves inside it
    kinds      all kinds of steps
    stages     what takes batch after batch of steps is noted stage by stage
    rounds     the batches of a tier with moves inside it: rounds that close its shards
    strategy   all the steps of a solve, batch after batch
    beyond     whether a variant can be solved so, and what it says then

A tier is cut into *shards*, ranges of keys, each so small that it fits memory. Expanding a shard writes a *run* for
each tier that moves lead to: the children, sorted, each once. All runs to a tier, merged, are that tier; they are cut
into its shards when all of them are there. Solving a shard lists its children again, with whose they are, sorts them,
and reads along with them the blocks of the children's tier that they are in.

Where moves stay in a tier, runs lead back into it: each round merges them into the shards, which are cut when they have
grown, until none is left. Then levels go back from what is decided, as in memory, but nobody is looked up: a shard that
decides positions sends messages to their parents, and each shard hears those that go to it, sorted, at the next level.
"""

BEGUN = "begun.json"  # the note by which a work folder is known

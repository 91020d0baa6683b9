"""What does not fit memory is enumerated and solved here, in sorted files in the place of sets.

    blocks     files of blocks: keys as sorted differences, or records, each block with a checksum
    folder     the work folder: whose it is, what has been done in it, and how it is removed
    tasks      a step from files to files: a shard of a tier is expanded, or solved
    strategy   all the steps of a solve, in their order; one that has been done is not done again
    beyond     whether a variant can be solved so, and what it says then

A tier is cut into *shards*, ranges of keys, each so small that it fits memory. Expanding a shard writes a *run* for
each tier that moves lead to: the children, sorted, each once. All runs to a tier, merged, are that tier; they are cut
into its shards when all of them are there. Solving a shard lists its children again, with whose they are, sorts them,
and reads along with them the blocks of the children's tier that they are in.
"""

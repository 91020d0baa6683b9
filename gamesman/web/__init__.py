"""The server: pages and an HTTP API over the same functions as the command line's, for browsers and programs.

What is solved is looked up here, in the event loop, which takes less than a millisecond. Everything else (variants that
are not solved, searches, statistics) is asked of worker processes, each with so many seconds: whatever the network asks
for, a worker that takes too long is ended, and nobody else waits for it.

    application   puts all together: routes, headers, what an error becomes
    settings      what the server was started with, and its limits
    catalogue     which games the network may name, and by what names
    site          what requests share: open databases, prepared answers, workers, solves
    stored        solved variants that are kept open, and answers that are kept ready
    pool, worker  processes that work with a time limit, and what they do
    api           /api/v1/
    universal     GamesmanUni's contract; autogui has its words
    solves        variants that visitors have solved; solving is how they ask for it
    pages         what people look at: the play page, and pages_home those around it; pages_frame is what all have
    pages_node    what the play page is told of a position; picture and boards, how it is drawn and clicked
    pages_work    what workers do for the play page; pages_tables, for those around it
    problems      where an error becomes a status and a problem+json
"""

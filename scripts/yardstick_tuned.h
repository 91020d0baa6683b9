/* One board, as a C programmer would tie a program to it by hand: its sizes are fixed when this is compiled.

   So loops are unrolled, whether a direction leads up or down is known before the program runs, and moves that push or
   capture are found apart from those that do neither, so that nothing need be asked about them. */

#ifndef ROWS
#error "expected -DROWS=4 -DCOLS=4 -DCAPTURES=2 beside -DTUNED"
#endif
enum { rows = ROWS, cols = COLS, cells = ROWS * COLS };
enum { full = ROWS + COLS - 3, least = full - CAPTURES, spread = CAPTURES + 1 };
enum { width = cells <= 16 ? cells : cells <= 20 ? (cells + 1) / 2 : 8, chunks = (cells + width - 1) / width };
enum { longest = rows > cols ? rows : cols }; /* cells of the longest line */
_Static_assert(rows >= 3 && cols >= 3 && cells <= 25 && CAPTURES >= 1 && least >= 0, "a board of 9 to 25 cells");

/* Directions: four that go to higher cells, then their opposites. Four sets of cells, one a direction, make a Lanes. */
#if ROWS * COLS <= 16
typedef u64 Lanes;
enum { LANE = 16 };
#define lowest_lane __builtin_ctzll
#else
typedef unsigned __int128 Lanes;
enum { LANE = 32 };
ALWAYS int lowest_lane(Lanes l) { return (u64)l ? __builtin_ctzll((u64)l) : 64 + __builtin_ctzll((u64)(l >> 64)); }
#endif

static const u32 board = (1u << cells) - 1;
#define ROW_1 ((1u << cols) - 1)
#define COLUMN_A (((1u << cells) - 1) / ROW_1)
#define INSIDE(up, right)                                                                                             \
    (((1u << cells) - 1) & ~((up) > 0 ? ROW_1 << (cells - cols) : (up) < 0 ? ROW_1 : 0) &                             \
     ~((right) > 0 ? COLUMN_A << (cols - 1) : (right) < 0 ? COLUMN_A : 0))
static const u32 inside[8] = {INSIDE(0, 1),  INSIDE(1, -1), INSIDE(1, 0),  INSIDE(1, 1),
                              INSIDE(0, -1), INSIDE(-1, 1), INSIDE(-1, 0), INSIDE(-1, -1)};
static const int distance[4] = {1, cols - 1, cols, cols + 1};

static u32 ray[8][LANE]; /* the cells ahead of a cell */

ALWAYS u32 step(u32 set, int d) {
    set &= inside[d];
    return d < 4 ? set << distance[d] : set >> distance[d - 4];
}
ALWAYS u32 nearest(u32 set, int goes_up) { return goes_up ? set & -set : set ? 0x80000000u >> __builtin_clz(set) : 0; }

static void set_up(int count, char **arguments) {
    (void)count, (void)arguments;
    for (int d = 0; d < 8; d++)
        for (u32 cell = 0; cell < cells; cell++)
            for (u32 ahead = step(1u << cell, d); ahead; ahead = step(ahead, d))
                ray[d][cell] |= ahead;
}

/* The pieces that can be taken to move without pushing: those behind an empty cell, and those in line behind these. */
ALWAYS Lanes quiet(u32 own, u32 empty, int up) {
    Lanes found = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int behind = up ? i + 4 : i;
        u32 line = own & step(empty, behind), all = line;
#pragma GCC unroll 8
        for (int length = 2; length < longest; length++)
            all |= line = own & step(line, behind);
        found |= (Lanes)all << LANE * i;
    }
    return found;
}

/* The pieces that can be taken to push: lines of more than j pieces behind j opposing ones, to capture or not. */
ALWAYS Lanes pushing(u32 own, u32 other, u32 empty, int up, int capturing) {
    Lanes found = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int ahead = up ? i : i + 4, behind = up ? i + 4 : i;
        u32 pushed = other & (capturing ? ~inside[ahead] : step(empty, behind)), all = 0;
#pragma GCC unroll 8
        for (int j = 1; 2 * j + 1 + !capturing <= longest; j++) {
            u32 line = own & step(pushed, behind);
#pragma GCC unroll 8
            for (int length = 2; length + j + !capturing <= longest; length++) {
                line = own & step(line, behind);
                if (length > j)
                    all |= line;
            }
            pushed = other & step(pushed, behind);
        }
        found |= (Lanes)all << LANE * i;
    }
    return found;
}

/* The board after a move of the piece that a bit of Lanes names. */
ALWAYS Board moved(Board b, int bit, int up, int pushes) {
    const u32 *ahead = ray[bit / LANE + (up ? 0 : 4)];
    u32 front = nearest(ahead[bit % LANE] & ~b.own, up);
    if (pushes)
        b.other ^= front | nearest(ahead[bit % LANE] & ~(b.own | b.other), up);
    return (Board){b.own ^ front ^ 1u << bit % LANE, b.other};
}

ALWAYS void each_move(Board b, int only_captures, Visit visit, void *to) {
    u32 empty = board & ~(b.own | b.other);
#pragma GCC unroll 2
    for (int up = 0; up < 2; up++) {
        if (!only_captures) {
            for (Lanes l = quiet(b.own, empty, up); l; l &= l - 1)
                visit(to, moved(b, lowest_lane(l), up, 0), 0);
            for (Lanes l = pushing(b.own, b.other, empty, up, 0); l; l &= l - 1)
                visit(to, moved(b, lowest_lane(l), up, 1), 0);
        }
        for (Lanes l = pushing(b.own, b.other, empty, up, 1); l; l &= l - 1)
            visit(to, moved(b, lowest_lane(l), up, 1), 1);
    }
}

ALWAYS void each_parent(Board b, Visit visit, void *to) {
    u32 empty = board & ~(b.own | b.other);
#pragma GCC unroll 2
    for (int up = 0; up < 2; up++) { /* whether the line steps back upwards */
        Lanes fronts = quiet(b.own, empty, up), pushed = 0;
        for (Lanes l = fronts; l; l &= l - 1)
            visit(to, moved(b, lowest_lane(l), up, 0), 0);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            int back = up ? i : i + 4, ahead = up ? i + 4 : i;
            pushed |= (Lanes)(step(b.own, ahead) & step(b.other, back)) << LANE * i;
        }
        /* The line may have pushed up to one piece fewer than it has: these stand before its front. */
        for (Lanes l = fronts & pushed; l; l &= l - 1) {
            int bit = lowest_lane(l), cell = bit % LANE;
            u32 before = moved(b, bit, up, 0).own, front = 1u << cell, last = front;
            const u32 *back = ray[bit / LANE + (up ? 0 : 4)], *ahead = ray[bit / LANE + (up ? 4 : 0)];
            int length = __builtin_popcount(back[cell] & ~back[__builtin_ctz(before & ~b.own)]);
            for (int j = 1; j < length; j++) {
                last = nearest(ahead[__builtin_ctz(last)], !up);
                if (!(last & b.other))
                    break;
                visit(to, (Board){before, b.other ^ last ^ front}, 0);
            }
        }
    }
}

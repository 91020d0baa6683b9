/* What C does in the time: Abalone on a rectangle, every reachable position solved as the engine solves it.

   cc -O3 -march=native -DROWS=4 -DCOLS=4 -DCAPTURES=2 scripts/yardstick.c -o yardstick && ./yardstick

   scripts/bench builds and runs this beside the engine, and checks that both find the same numbers. It is written to
   be hard to beat: the board is fixed when it is compiled, ranks are looked up, moves of four directions are found in
   one word, and who is to move is a constant of each inner loop.

   The method is the engine's. Keys are dense, tier by tier: a tier holds the positions with the same numbers of pieces.
       sweep   marks in a byte a key; rows of keys with new marks are expanded until there are none
       begin   what each position knows from the tiers below, which are solved
       spread  from positions decided at remoteness r back to their parents: a counter of moves not yet known to lose
   A record has two bytes: the value above (0 lose, 1 draw, 3 win), 14 bits of remoteness below.

   Black's cells are ranked among all cells, white's among those that are left; a row is all keys with the same black. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifndef ROWS
#define ROWS 4
#endif
#ifndef COLS
#define COLS 4
#endif
#ifndef CAPTURES
#define CAPTURES 2
#endif

enum { CELLS = ROWS * COLS, FULL = ROWS + COLS - 3, LEAST = FULL - CAPTURES, SPREAD = CAPTURES + 1 };
enum { LONG = ROWS > COLS ? ROWS : COLS }; /* cells of the longest line */
_Static_assert(CELLS <= 25 && LEAST >= 0, "a board of at most 25 cells, and no more captures than pieces");

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define ALWAYS static inline __attribute__((always_inline))

#ifdef __BMI2__
#include <immintrin.h>
#define gather _pext_u32
#define scatter _pdep_u32
#else
static u32 gather(u32 bits, u32 mask) {
    u32 found = 0;
    for (int i = 0; mask; mask &= mask - 1, i++)
        found |= (bits & mask & -mask ? 1u : 0) << i;
    return found;
}
static u32 scatter(u32 bits, u32 mask) {
    u32 found = 0;
    for (; mask; mask &= mask - 1, bits >>= 1)
        found |= bits & 1 ? mask & -mask : 0;
    return found;
}
#endif

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

#define BOARD ((1u << CELLS) - 1)
#define ROW_1 ((1u << COLS) - 1)
#define COLUMN_A (BOARD / ROW_1)
#define INSIDE(up, right)                                                                                             \
    (BOARD & ~((up) > 0 ? ROW_1 << (CELLS - COLS) : (up) < 0 ? ROW_1 : 0) &                                           \
     ~((right) > 0 ? COLUMN_A << (COLS - 1) : (right) < 0 ? COLUMN_A : 0))
static const u32 inside[8] = {INSIDE(0, 1),  INSIDE(1, -1), INSIDE(1, 0),  INSIDE(1, 1),
                              INSIDE(0, -1), INSIDE(-1, 1), INSIDE(-1, 0), INSIDE(-1, -1)};
static const int distance[4] = {1, COLS - 1, COLS, COLS + 1};

static u32 ray[8][LANE]; /* the cells ahead of a cell */

ALWAYS u32 step(u32 set, int d) {
    set &= inside[d];
    return d < 4 ? set << distance[d] : set >> distance[d - 4];
}
ALWAYS u32 nearest(u32 set, int goes_up) { return goes_up ? set & -set : set ? 0x80000000u >> __builtin_clz(set) : 0; }

/* A tier: its first key, the numbers of pieces and of ways to place them. */
typedef struct { u32 first, black, white, rows, ways; } Tier;
static Tier tiers[SPREAD * SPREAD + 1];

static u32 choose[CELLS + 1][CELLS + 1];
static u32 *rank_of;                /* of each set of cells, among the sets of as many, ascending */
static u32 *sets[FULL + 1];         /* and back */
static u8 *known;                   /* a byte a key: see below; while a tier is solved, `left` */
static u16 *records;
static u8 *dirty;                   /* rows that have new marks, all tiers' rows one after the other */
static u32 dirty_from[SPREAD * SPREAD];
static u32 *now, *following, *due;  /* queues of places; due: by the level that lower tiers decide them at */

/* known: a position expanded has its number of moves within the tier added to INNER, and with captures CAPTURING. */
enum { UNKNOWN, NEW, TRAPPED, INNER, CAPTURING = 128 };
/* left: as in gamesman/engine/retrograde.py */
enum { DECIDED, WON, SAFE };
enum { LOSE = 0, DRAW = 1 << 14, WIN = 3 << 14, REMOTENESS = (1 << 14) - 1, OPEN = DRAW | 2, UNREACHED = DRAW | 1 };

static u64 moves_counted, primitives;
static u64 histogram[1 << 16];

/* The place in its tier of a position with player `who` to move; `row` is black's rank. */
ALWAYS u32 place(const Tier *t, u32 own, u32 other, const u32 who, u32 *row) {
    u32 black = who ? other : own, white = who ? own : other;
    *row = rank_of[black];
    return 2 * (*row * t->ways + rank_of[gather(white, BOARD & ~black)]) + who;
}

/* The pieces that can be taken to move without pushing: those behind an empty cell, and those in line behind these. */
ALWAYS Lanes quiet(u32 own, u32 empty, int up) {
    Lanes found = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int behind = up ? i + 4 : i;
        u32 line = own & step(empty, behind), all = line;
#pragma GCC unroll 8
        for (int length = 2; length < LONG; length++)
            all |= line = own & step(line, behind);
        found |= (Lanes)all << LANE * i;
    }
    return found;
}

/* The pieces that can be taken to push: lines of more than j pieces behind j opposing ones, with a capture or without. */
ALWAYS Lanes pushing(u32 own, u32 other, u32 empty, int up, int captures) {
    Lanes found = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        int ahead = up ? i : i + 4, behind = up ? i + 4 : i;
        u32 pushed = other & (captures ? ~inside[ahead] : step(empty, behind)), all = 0;
#pragma GCC unroll 8
        for (int j = 1; 2 * j + 1 + !captures <= LONG; j++) {
            u32 line = own & step(pushed, behind);
#pragma GCC unroll 8
            for (int length = 2; length + j + !captures <= LONG; length++) {
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
typedef struct { u32 own, other; } Board;
ALWAYS Board moved(u32 own, u32 other, int bit, int up, int pushes) {
    const u32 *ahead = ray[bit / LANE + (up ? 0 : 4)];
    u32 front = nearest(ahead[bit % LANE] & ~own, up);
    if (pushes)
        other ^= front | nearest(ahead[__builtin_ctz(front)] & ~other, up);
    return (Board){own ^ front ^ 1u << bit % LANE, other};
}

/* Where the rows of a tier and all that is known about its keys begin. */
typedef struct { const Tier *tier; u8 *known, *dirty; } Marks;

ALWAYS void mark(Marks m, Board child, const u32 who) {
    u32 row, k = place(m.tier, child.other, child.own, !who, &row);
    if (!m.known[k])
        m.known[k] = NEW, m.dirty[row] = 1;
}

/* Mark the children of a position; what is known about it then. */
ALWAYS u8 expand(Marks here, Marks lower, u32 own, u32 other, const u32 who) {
    u32 empty = BOARD & ~(own | other), inner = 0, captures = 0;
#pragma GCC unroll 2
    for (int up = 0; up < 2; up++) {
        for (Lanes l = quiet(own, empty, up); l; l &= l - 1, inner++)
            mark(here, moved(own, other, lowest_lane(l), up, 0), who);
        for (Lanes l = pushing(own, other, empty, up, 0); l; l &= l - 1, inner++)
            mark(here, moved(own, other, lowest_lane(l), up, 1), who);
        for (Lanes l = pushing(own, other, empty, up, 1); l; l &= l - 1, captures++)
            mark(lower, moved(own, other, lowest_lane(l), up, 1), who);
    }
    moves_counted += inner + captures;
    return inner + captures ? INNER + inner + (captures ? CAPTURING : 0) : TRAPPED;
}

static const Tier *below(const Tier *t, int who) { return t - (who ? SPREAD : 1); }

static Marks marks_of(const Tier *t) { return (Marks){t, known + t->first, dirty + dirty_from[t - tiers]}; }

static void sweep(const Tier *t) {
    if (t->black == LEAST || t->white == LEAST)
        return;
    Marks here = marks_of(t), lower[2] = {marks_of(below(t, 0)), marks_of(below(t, 1))};
    for (int again = 1; again;) {
        again = 0;
        for (u32 row = 0; row < t->rows; row++) {
            if (!here.dirty[row])
                continue;
            here.dirty[row] = 0, again = 1;
            u32 black = sets[t->black][row];
            u8 *two = here.known + 2 * row * t->ways;
            for (u32 i = 0; i < t->ways; i++, two += 2) {
                u32 white = scatter(sets[t->white][i], BOARD & ~black);
                if (two[0] == NEW)
                    two[0] = expand(here, lower[0], black, white, 0);
                if (two[1] == NEW)
                    two[1] = expand(here, lower[1], white, black, 1);
            }
        }
    }
}

/* The record that the captures of a position, which lead to tier t, are worth: the best of them. */
ALWAYS u16 captures_worth(const Tier *t, u32 own, u32 other, const u32 who) {
    u32 empty = BOARD & ~(own | other), soonest = REMOTENESS, latest = 0, is_safe = 0, row;
#pragma GCC unroll 2
    for (int up = 0; up < 2; up++)
        for (Lanes l = pushing(own, other, empty, up, 1); l; l &= l - 1) {
            Board child = moved(own, other, lowest_lane(l), up, 1);
            u16 record = records[t->first + place(t, child.other, child.own, !who, &row)];
            u32 r = (record & REMOTENESS) + 1;
            if (record >= WIN)
                latest = r > latest ? r : latest;
            else if (record >= DRAW)
                is_safe = 1;
            else
                soonest = r < soonest ? r : soonest;
        }
    return soonest < REMOTENESS ? WIN | soonest : is_safe ? OPEN : LOSE | latest;
}

/* Begin to solve a tier: `known` turns into `left`; what is decided later goes to `due`, sorted by level. */
static void begin(const Tier *t, u32 *due_from) {
    u32 waiting = 0, at_level[REMOTENESS + 2] = {0};
    u8 *left = known + t->first;
    u16 *record = records + t->first;
    int is_over = t->black == LEAST || t->white == LEAST;
    for (u32 row = 0, k = 0; row < t->rows; row++) {
        u32 black = sets[t->black][row];
        for (u32 i = 0; i < t->ways; i++) {
            u32 white = scatter(sets[t->white][i], BOARD & ~black);
#pragma GCC unroll 2
            for (int who = 0; who < 2; who++, k++) {
                u8 what = left[k];
                u16 is = OPEN;
                if (what == UNKNOWN)
                    left[k] = DECIDED, is = UNREACHED;
                else if (is_over)
                    primitives++, left[k] = DECIDED, is = (who ? t->white : t->black) == LEAST ? LOSE : WIN;
                else if (what == TRAPPED)
                    primitives++, left[k] = DECIDED, is = LOSE, following[waiting++] = k;
                else if (what < CAPTURING)
                    left[k] = what - INNER + 2;
                else {
                    const Tier *lower = below(t, who);
                    is = who ? captures_worth(lower, white, black, 1) : captures_worth(lower, black, white, 0);
                    left[k] = is == OPEN ? SAFE : is >= WIN ? WON : what - CAPTURING - INNER + 3;
                    if (is != OPEN)
                        following[waiting++] = k;
                }
                record[k] = is;
            }
        }
    }
    for (u32 i = 0; i < waiting; i++)
        at_level[(record[following[i]] & REMOTENESS) + 1]++;
    for (u32 r = 0; r <= REMOTENESS; r++)
        at_level[r + 1] += at_level[r], due_from[r] = at_level[r];
    due_from[REMOTENESS + 1] = waiting;
    for (u32 i = 0; i < waiting; i++)
        due[at_level[record[following[i]] & REMOTENESS]++] = following[i];
}

/* The tier being solved, and the end of the queue of the places that are decided. */
typedef struct { const Tier *tier; u8 *left; u16 *record; u32 *end; } Solving;

/* Tell a parent of a child decided one level before: whether the child wins. */
ALWAYS void tell(Solving *s, u32 own, u32 other, const u32 who, int wins, u16 level) {
    u32 row, k = place(s->tier, own, other, who, &row);
    u8 left = s->left[k];
    if (wins) {
        if (left > SAFE) {
            s->left[k] = --left == SAFE ? DECIDED : left;
            if (left == SAFE)
                s->record[k] = LOSE | level, *s->end++ = k;
        }
    } else if (left != DECIDED && (left != WON || (s->record[k] & REMOTENESS) > level))
        s->left[k] = DECIDED, s->record[k] = WIN | level, *s->end++ = k;
}

/* Take back the moves without capture that lead to a position; `who` made them. */
ALWAYS void tell_parents(Solving *s, u32 own, u32 other, const u32 who, int wins, u16 level) {
    u32 empty = BOARD & ~(own | other);
#pragma GCC unroll 2
    for (int up = 0; up < 2; up++) { /* whether the line steps back upwards */
        Lanes fronts = quiet(own, empty, up), pushed = 0;
        for (Lanes l = fronts; l; l &= l - 1)
            tell(s, moved(own, other, lowest_lane(l), up, 0).own, other, who, wins, level);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            int back = up ? i : i + 4, ahead = up ? i + 4 : i;
            pushed |= (Lanes)(step(own, ahead) & step(other, back)) << LANE * i;
        }
        /* The line may have pushed up to one piece fewer than it has: these stand before its front. */
        for (Lanes l = fronts & pushed; l; l &= l - 1) {
            int bit = lowest_lane(l), cell = bit % LANE;
            u32 before = moved(own, other, bit, up, 0).own, front = 1u << cell, last = front;
            const u32 *back = ray[bit / LANE + (up ? 0 : 4)], *ahead = ray[bit / LANE + (up ? 4 : 0)];
            int length = __builtin_popcount(back[cell] & ~back[__builtin_ctz(before & ~own)]);
            for (int j = 1; j < length; j++) {
                last = nearest(ahead[__builtin_ctz(last)], !up);
                if (!(last & other))
                    break;
                tell(s, before, other ^ last ^ front, who, wins, level);
            }
        }
    }
}

static void spread(const Tier *t, const u32 *due_from) {
    u8 *left = known + t->first;
    u16 *record = records + t->first;
    Solving s = {t, left, record, NULL};
    u32 *end = now;
    for (u32 r = 0; r < REMOTENESS && (end > now || due_from[r] < due_from[REMOTENESS + 1]); r++) {
        for (u32 i = due_from[r]; i < due_from[r + 1]; i++) {
            u32 k = due[i];
            if (record[k] >= WIN ? left[k] == WON : left[k] > SAFE && --left[k] == SAFE)
                left[k] = DECIDED, *end++ = k;
            else if (r == 0)
                *end++ = k; /* trapped: decided from the beginning */
        }
        s.end = following;
        for (u32 *q = now; q < end; q++) {
            u32 row = *q / 2 / t->ways, black = sets[t->black][row];
            u32 white = scatter(sets[t->white][*q / 2 - row * t->ways], BOARD & ~black);
            int wins = record[*q] >= WIN;
            if (*q & 1)
                tell_parents(&s, black, white, 0, wins, r + 1);
            else
                tell_parents(&s, white, black, 1, wins, r + 1);
        }
        u32 *emptied = now;
        now = following, following = emptied, end = s.end;
    }
    for (u32 k = 0; k < 2 * t->rows * t->ways; k++) {
        if (left[k] != DECIDED)
            record[k] = DRAW;
        histogram[record[k]]++;
    }
}

static void *room(size_t bytes) {
    void *found = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) {
        perror("yardstick: memory");
        exit(1);
    }
#ifdef MADV_HUGEPAGE
    madvise(found, bytes, MADV_HUGEPAGE);
#endif
    return found;
}

static u32 tables(void) {
    for (int n = 0; n <= CELLS; n++)
        for (int k = 0; k <= n; k++)
            choose[n][k] = k ? choose[n - 1][k - 1] + (k < n ? choose[n - 1][k] : 0) : 1;
    u32 counts[CELLS + 1] = {0};
    rank_of = room(sizeof(u32) << CELLS);
    for (int k = 0; k <= FULL; k++)
        sets[k] = room(sizeof(u32) * choose[CELLS][k]);
    for (u32 set = 0; set <= BOARD; set++) {
        int k = __builtin_popcount(set);
        if (k <= FULL)
            sets[k][counts[k]] = set;
        rank_of[set] = counts[k]++;
    }
    for (int d = 0; d < 8; d++)
        for (u32 cell = 0; cell < CELLS; cell++)
            for (u32 ahead = step(1u << cell, d); ahead; ahead = step(ahead, d))
                ray[d][cell] |= ahead;
    u32 rows = 0, most = 0;
    u64 keys = 0;
    for (int i = 0; i < SPREAD * SPREAD; i++) {
        Tier *t = tiers + i;
        t->black = LEAST + i / SPREAD, t->white = LEAST + i % SPREAD, t->first = keys;
        if (i) /* tier 0, where both have lost, cannot arise */
            t->rows = choose[CELLS][t->black], t->ways = choose[CELLS - t->black][t->white];
        keys += 2ull * t->rows * t->ways;
        dirty_from[i] = rows, rows += t->rows;
        most = most > 2 * t->rows * t->ways ? most : 2 * t->rows * t->ways;
    }
    if (keys >> 32) {
        fputs("yardstick: too many positions for keys of 32 bits\n", stderr);
        exit(1);
    }
    known = room(keys), records = room(2 * keys), dirty = room(rows);
    now = room(4ull * most), following = room(4ull * most), due = room(4ull * most);
    return most;
}

int main(void) {
    static u32 due_from[REMOTENESS + 2];
    tables();
    u32 row_1 = ROW_1, between = COLUMN_A & ~(row_1 | row_1 << (CELLS - COLS));
    u32 black = row_1 >> 1 | between, white = (row_1 & ~1u) << (CELLS - COLS) | between << (COLS - 1);
    const Tier *top = tiers + SPREAD * SPREAD - 1;
    u32 row, start = place(top, black, white, 0, &row);
    known[top->first + start] = NEW, dirty[dirty_from[top - tiers] + row] = 1;
    for (const Tier *t = top; t > tiers; t--)
        sweep(t);
    for (const Tier *t = tiers + 1; t <= top; t++) {
        begin(t, due_from);
        spread(t, due_from);
    }
    u64 counts[4] = {0}, most = 0;
    for (u32 record = 0; record < 1 << 16; record++)
        if (record != UNREACHED && histogram[record]) {
            counts[record >> 14] += histogram[record];
            if (record >> 14 != 1 && (record & REMOTENESS) > most)
                most = record & REMOTENESS;
        }
    static const char *names[] = {"lose", "draw", "tie", "win"};
    u16 record = records[top->first + start];
    char remoteness[8] = "null";
    if (record >> 14 != 1)
        snprintf(remoteness, sizeof remoteness, "%d", record & REMOTENESS);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("{\"value\": \"%s\", \"remoteness\": %s, \"positions\": %lu, "
           "\"counts\": {\"win\": %lu, \"lose\": %lu, \"tie\": 0, \"draw\": %lu}, \"primitives\": %lu, \"moves\": %lu, "
           "\"max_remoteness\": %lu, \"cpu_seconds\": %.3f, \"peak_memory\": %lu}\n",
           names[record >> 14], remoteness, counts[0] + counts[1] + counts[3], counts[3], counts[0], counts[1],
           primitives, moves_counted, most,
           used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec),
           used.ru_maxrss * 1024ul);
    return 0;
}

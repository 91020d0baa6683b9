/* What C does in the time: Abalone on a rectangle, every reachable position solved as the engine solves it.

   cc -O3 -march=native scripts/yardstick.c -o yardstick && ./yardstick 4 4 2
   cc -O3 -march=native -DTUNED -DROWS=4 -DCOLS=4 -DCAPTURES=2 scripts/yardstick.c -o tuned && ./tuned

   scripts/bench builds and runs both beside the engine, and checks that all find the same numbers. They differ in the
   board, and in how its moves are found:

       yardstick_general.h   like for like: rows, columns and captures are read at the start, as our game reads them,
                             and moves are found as our game finds them; so what is measured is the language
       yardstick_tuned.h     tied by hand to one board, fixed when it is compiled: what generality costs as well

   The solver is the same for both, and written to be hard to beat: ranks are looked up, who is to move is a constant of
   each inner loop, and all is inlined. The method is the engine's. Keys are dense, tier by tier: a tier holds the
   positions with the same numbers of pieces.

       sweep         marks in a byte a key; rows of keys with new marks are expanded until there are none
       begin         what each position knows from the tiers below, which are solved
       spread_back   from positions decided at remoteness r to their parents: a counter of moves not yet known to lose

   A record has two bytes: the value above (0 lose, 1 draw, 3 win), 14 bits of remoteness below.
   Black's cells are ranked among all cells, white's among those that are left; a row is all keys with one black. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

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

/* As the player who is to move, or has moved, sees it. */
typedef struct { u32 own, other; } Board;
/* What is done with each board that a move leads to, or comes from; whether the move captures. */
typedef void Visit(void *to, Board board, int is_capture);

enum { MOST_CELLS = 25, MOST_PIECES = 8 };

/* Either has, as variables or constants: rows, cols, cells, full, least, spread, board, width and chunks, as the rules
   of our game; and
       set_up        once, before anything is asked of it
       each_move     visits the board after each move of `own`, or after those only that capture
       each_parent   visits the board before each move of `own` that may have led here without a capture */
#ifdef TUNED
#include "yardstick_tuned.h"
#else
#include "yardstick_general.h"
#endif

/* A tier: its first key, the numbers of pieces and of ways to place them. */
typedef struct { u32 first, black, white, rows, ways; } Tier;
static Tier tiers[(MOST_PIECES + 1) * (MOST_PIECES + 1)];

static u32 choose[MOST_CELLS + 8][MOST_CELLS + 8];
static u32 *ranks;                  /* see rank */
static u32 *sets[MOST_PIECES + 1];  /* of so many cells, ascending */
static u8 *known;                   /* a byte a key: see below; while a tier is solved, `left` */
static u16 *records;
static u8 *dirty;                   /* rows that have new marks, all tiers' rows one after the other */
static u32 dirty_from[(MOST_PIECES + 1) * (MOST_PIECES + 1)];
static u32 *now, *following, *due;  /* queues of places; due: by the level that lower tiers decide them at */

/* known: a position expanded has its number of moves within the tier added to INNER, and with captures CAPTURING. */
enum { UNKNOWN, NEW, TRAPPED, INNER, CAPTURING = 128 };
/* left: as in gamesman/solver/kernels/retrograde.py */
enum { DECIDED, WON, SAFE };
enum { LOSE = 0, DRAW = 1 << 14, WIN = 3 << 14, REMOTENESS = (1 << 14) - 1, OPEN = DRAW | 2, UNREACHED = DRAW | 1 };

static u64 moves_counted, primitives;
static u64 histogram[1 << 16];

/* How many sets of as many cells are smaller: looked up for `width` cells at once, by the number of those below. */
ALWAYS u32 rank(u32 set) {
    u32 ones = (1u << width) - 1, low = set & ones, number = ranks[low], row = 1 + __builtin_popcount(low);
    for (u32 i = 1; i < chunks; i++) {
        set >>= width, low = set & ones;
        number += ranks[row << width | low];
        row += __builtin_popcount(low) + full + 1;
    }
    return number;
}

/* The place in its tier of a position with player `who` to move; `row` is black's rank. */
ALWAYS u32 place(const Tier *t, Board b, const u32 who, u32 *row) {
    u32 black = who ? b.other : b.own, white = who ? b.own : b.other;
    *row = rank(black);
    return 2 * (*row * t->ways + rank(gather(white, board & ~black))) + who;
}

/* Where the rows of a tier and all that is known about its keys begin. */
typedef struct { const Tier *tier; u8 *known, *dirty; } Marks;

/* A position being expanded; `who` is to move. */
typedef struct { Marks here, lower; u32 who, inner, captures; } Expanding;

ALWAYS void mark(void *to, Board after, int is_capture) {
    Expanding *e = to;
    Marks m = is_capture ? e->lower : e->here;
    u32 row, k = place(m.tier, (Board){after.other, after.own}, !e->who, &row);
    is_capture ? e->captures++ : e->inner++;
    if (!m.known[k])
        m.known[k] = NEW, m.dirty[row] = 1;
}

/* Mark the children of a position; what is known about it then. */
ALWAYS u8 expand(Marks here, Marks lower, Board b, const u32 who) {
    Expanding e = {here, lower, who, 0, 0};
    each_move(b, 0, mark, &e);
    moves_counted += e.inner + e.captures;
    return e.inner + e.captures ? INNER + e.inner + (e.captures ? CAPTURING : 0) : TRAPPED;
}

static const Tier *below(const Tier *t, int who) { return t - (who ? spread : 1); }

static Marks marks_of(const Tier *t) { return (Marks){t, known + t->first, dirty + dirty_from[t - tiers]}; }

static void sweep(const Tier *t) {
    if (t->black == least || t->white == least)
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
                u32 white = scatter(sets[t->white][i], board & ~black);
                if (two[0] == NEW)
                    two[0] = expand(here, lower[0], (Board){black, white}, 0);
                if (two[1] == NEW)
                    two[1] = expand(here, lower[1], (Board){white, black}, 1);
            }
        }
    }
}

/* The captures of a position, which lead to a tier that is solved. */
typedef struct { const Tier *tier; u32 who, soonest, latest, is_safe; } Captures;

ALWAYS void weigh(void *to, Board after, int is_capture) {
    (void)is_capture;
    Captures *c = to;
    u32 row, k = place(c->tier, (Board){after.other, after.own}, !c->who, &row);
    u16 record = records[c->tier->first + k];
    u32 r = (record & REMOTENESS) + 1;
    if (record >= WIN)
        c->latest = r > c->latest ? r : c->latest;
    else if (record >= DRAW)
        c->is_safe = 1;
    else
        c->soonest = r < c->soonest ? r : c->soonest;
}

/* The record that the captures of a position are worth: the best of them. */
ALWAYS u16 captures_worth(const Tier *t, Board b, const u32 who) {
    Captures c = {t, who, REMOTENESS, 0, 0};
    each_move(b, 1, weigh, &c);
    return c.soonest < REMOTENESS ? WIN | c.soonest : c.is_safe ? OPEN : LOSE | c.latest;
}

/* Begin to solve a tier: `known` turns into `left`; what is decided later goes to `due`, sorted by level. */
static void begin(const Tier *t, u32 *due_from) {
    u32 waiting = 0, at_level[REMOTENESS + 2] = {0};
    u8 *left = known + t->first;
    u16 *record = records + t->first;
    int is_over = t->black == least || t->white == least;
    for (u32 row = 0, k = 0; row < t->rows; row++) {
        u32 black = sets[t->black][row];
        for (u32 i = 0; i < t->ways; i++) {
            u32 white = scatter(sets[t->white][i], board & ~black);
#pragma GCC unroll 2
            for (int who = 0; who < 2; who++, k++) {
                u8 what = left[k];
                u16 is = OPEN;
                if (what == UNKNOWN)
                    left[k] = DECIDED, is = UNREACHED;
                else if (is_over)
                    primitives++, left[k] = DECIDED, is = (who ? t->white : t->black) == least ? LOSE : WIN;
                else if (what == TRAPPED)
                    primitives++, left[k] = DECIDED, is = LOSE, following[waiting++] = k;
                else if (what < CAPTURING)
                    left[k] = what - INNER + 2;
                else {
                    Board b = who ? (Board){white, black} : (Board){black, white};
                    is = captures_worth(below(t, who), b, who);
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

/* The tier being solved, what was decided one level before, and the end of the queue of the places that are now. */
typedef struct { const Tier *tier; u8 *left; u16 *record; u32 *end, who; int wins; u16 level; } Solving;

/* Tell a parent of a child that has been decided; `who` has moved. */
ALWAYS void tell(void *to, Board before, int is_capture) {
    (void)is_capture;
    Solving *s = to;
    u32 row, k = place(s->tier, before, s->who, &row);
    u8 left = s->left[k];
    if (s->wins) {
        if (left > SAFE) {
            s->left[k] = --left == SAFE ? DECIDED : left;
            if (left == SAFE)
                s->record[k] = LOSE | s->level, *s->end++ = k;
        }
    } else if (left != DECIDED && (left != WON || (s->record[k] & REMOTENESS) > s->level))
        s->left[k] = DECIDED, s->record[k] = WIN | s->level, *s->end++ = k;
}

ALWAYS u32 *tell_parents(Solving s, Board b, const u32 who) {
    s.who = who;
    each_parent(b, tell, &s);
    return s.end;
}

static void spread_back(const Tier *t, const u32 *due_from) {
    u8 *left = known + t->first;
    u16 *record = records + t->first;
    Solving s = {t, left, record, NULL, 0, 0, 0};
    u32 *end = now;
    for (u32 r = 0; r < REMOTENESS && (end > now || due_from[r] < due_from[REMOTENESS + 1]); r++) {
        for (u32 i = due_from[r]; i < due_from[r + 1]; i++) {
            u32 k = due[i];
            if (record[k] >= WIN ? left[k] == WON : left[k] > SAFE && --left[k] == SAFE)
                left[k] = DECIDED, *end++ = k;
            else if (r == 0)
                *end++ = k; /* trapped: decided from the beginning */
        }
        s.end = following, s.level = r + 1;
        for (u32 *q = now; q < end; q++) {
            u32 row = *q / 2 / t->ways, black = sets[t->black][row];
            u32 white = scatter(sets[t->white][*q / 2 - row * t->ways], board & ~black);
            s.wins = record[*q] >= WIN;
            s.end = *q & 1 ? tell_parents(s, (Board){black, white}, 0) : tell_parents(s, (Board){white, black}, 1);
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

static void tables(void) {
    for (u32 n = 0; n < MOST_CELLS + 8; n++)
        for (u32 k = 0; k <= n; k++)
            choose[n][k] = k ? choose[n - 1][k - 1] + (k < n ? choose[n - 1][k] : 0) : 1;
    ranks = room(sizeof(u32) * (1 + (chunks - 1) * (full + 1)) << width);
    for (u32 chunk = 0, row = 0; chunk < chunks; chunk++)
        for (u32 count = 0; count < (chunk ? full + 1 : 1); count++, row++)
            for (u32 set = 0; set >> width == 0; set++)
                for (u32 bits = set, i = count + 1; bits; bits &= bits - 1, i++)
                    ranks[row << width | set] += choose[chunk * width + __builtin_ctz(bits)][i];
    u32 counts[MOST_CELLS + 1] = {0};
    for (u32 k = 0; k <= full; k++)
        sets[k] = room(sizeof(u32) * choose[cells][k]);
    for (u32 set = 0; set <= board; set++) {
        u32 k = __builtin_popcount(set);
        if (k <= full)
            sets[k][counts[k]++] = set;
    }
    u32 all_rows = 0, most = 0;
    u64 keys = 0;
    for (u32 i = 0; i < spread * spread; i++) {
        Tier *t = tiers + i;
        t->black = least + i / spread, t->white = least + i % spread, t->first = keys;
        if (i) /* tier 0, where both have lost, cannot arise */
            t->rows = choose[cells][t->black], t->ways = choose[cells - t->black][t->white];
        keys += 2ull * t->rows * t->ways;
        dirty_from[i] = all_rows, all_rows += t->rows;
        most = most > 2 * t->rows * t->ways ? most : 2 * t->rows * t->ways;
    }
    if (keys >> 32) {
        fputs("yardstick: too many positions for keys of 32 bits\n", stderr);
        exit(1);
    }
    known = room(keys), records = room(2 * keys), dirty = room(all_rows);
    now = room(4ull * most), following = room(4ull * most), due = room(4ull * most);
}

int main(int count, char **arguments) {
    static u32 due_from[REMOTENESS + 2];
    set_up(count, arguments);
    tables();
    u32 row_1 = (1u << cols) - 1, between = board / row_1 & ~(row_1 | row_1 << (cells - cols));
    u32 black = row_1 >> 1 | between, white = (row_1 & ~1u) << (cells - cols) | between << (cols - 1);
    const Tier *top = tiers + spread * spread - 1;
    u32 row, start = place(top, (Board){black, white}, 0, &row);
    known[top->first + start] = NEW, dirty[dirty_from[top - tiers] + row] = 1;
    for (const Tier *t = top; t > tiers; t--)
        sweep(t);
    for (const Tier *t = tiers + 1; t <= top; t++) {
        begin(t, due_from);
        spread_back(t, due_from);
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

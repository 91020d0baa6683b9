/* Any board: games/abalone.py in C, function by function. What depends on the sizes lies in variables and tables.

   A move is direction << shift | cell: a place in a row of 8 boards, which is looked through a word at a time. */

static u32 rows, cols, cells, full, least, spread, board, width, chunks;
static u32 inside[8], distance[8]; /* d and 7 - d are opposite, and from 4 on a step goes to a higher cell */
static u32 pushable, longest, shift, cell_bits, packed;
static u32 rays[8 << 5]; /* by move, the cells ahead of the piece */

ALWAYS u32 step(u32 set, u32 d) {
    set &= inside[d];
    return d >= 4 ? set << distance[d] : set >> distance[d];
}

static void set_up(int count, char **arguments) {
    rows = count == 4 ? atoi(arguments[1]) : 0, cols = count == 4 ? atoi(arguments[2]) : 0;
    u32 captures = count == 4 ? atoi(arguments[3]) : 0;
    cells = rows * cols, full = rows + cols - 3;
    if (rows < 3 || cols < 3 || rows > 8 || cols > 8 || cells > MOST_CELLS || captures < 1 || captures > full) {
        fputs("yardstick: expected rows, columns and captures of a board of 9 to 25 cells, like 4 4 2\n", stderr);
        exit(2);
    }
    least = full - captures, spread = captures + 1, board = (1u << cells) - 1;
    width = cells <= 16 ? cells : cells <= 20 ? (cells + 1) / 2 : 8, chunks = (cells + width - 1) / width;
    u32 long_side = rows > cols ? rows : cols;
    pushable = (long_side - 1) / 2, longest = long_side - 2;
    shift = cells <= 16 ? 4 : 5, cell_bits = (1u << shift) - 1, packed = 64 >> shift;
    u32 row_1 = (1u << cols) - 1, column_a = board / row_1;
    for (int d = 0; d < 8; d++) {
        int at = d < 4 ? d : d + 1, up = at / 3 - 1, right = at % 3 - 1;
        u32 edge = up ? row_1 << (up > 0 ? cells - cols : 0) : 0;
        u32 side = right ? column_a << (right > 0 ? cols - 1 : 0) : 0;
        inside[d] = board & ~(edge | side), distance[d] = abs(up * (int)cols + right);
        for (u32 cell = 0; cell < cells; cell++)
            for (u32 ahead = step(1u << cell, d); ahead; ahead = step(ahead, d))
                rays[d << shift | cell] |= ahead;
    }
}

/* The pieces that can be taken to push j opposing ones with a line of exactly j + 1, for every j. */
ALWAYS u32 pushers(u32 own, u32 other, u32 room, u32 d) {
    u32 found = 0, pushed = other & (room | ~inside[d]), backed = own;
    for (u32 count = 1; count <= pushable; count++) {
        backed = own & step(backed, d);
        u32 behind = step(pushed, 7 - d), fronts = backed & behind, back = count * distance[d];
        found |= d >= 4 ? fronts >> back : fronts << back;
        pushed = other & behind;
    }
    return found;
}

/* Some own pieces, and those that stand in line behind them. */
ALWAYS u32 in_line(u32 own, u32 heads, u32 d) {
    u32 line = heads, found = heads;
    for (u32 i = 0; i < longest; i++)
        found |= line = own & step(line, 7 - d);
    return found;
}

ALWAYS u32 movers(u32 own, u32 other, u32 empty, u32 d) {
    u32 room = step(empty, 7 - d);
    return in_line(own, (own & room) | pushers(own, other, room, d), d);
}

/* The first cell on the way of a move that is not among some cells; 0 if the way ends before it. */
ALWAYS u32 beyond(u32 set, u32 move) {
    u32 ahead = rays[move] & ~set;
    return move >= 4u << shift ? ahead & -ahead : ahead ? 0x80000000u >> __builtin_clz(ahead) : 0;
}

ALWAYS void each_move(Board b, int only_captures, Visit visit, void *to) {
    u32 own = b.own, other = b.other, empty = board & ~(own | other);
    for (u32 first = 0; first < 8; first += packed) {
        u64 moves = 0;
        for (u32 i = 0; i < packed; i++)
            moves |= (u64)movers(own, other, empty, first + i) << (i << shift);
        for (; moves; moves &= moves - 1) {
            u32 move = (first << shift) + __builtin_ctzll(moves), front = beyond(own, move), left = other;
            if (front & other)
                left ^= front | beyond(own | other, move);
            int is_capture = __builtin_popcount(left) < __builtin_popcount(other);
            if (is_capture || !only_captures)
                visit(to, (Board){own ^ front ^ 1u << (move & cell_bits), left}, is_capture);
        }
    }
}

/* The line steps back from `front` to the empty cell `taken`; it may have pushed as many as stand behind `front`. */
ALWAYS void each_parent(Board b, Visit visit, void *to) {
    u32 own = b.own, other = b.other, empty = board & ~(own | other);
    for (u32 first = 0; first < 8; first += packed) {
        u64 moves = 0, pushes = 0;
        for (u32 i = 0; i < packed; i++) {
            u32 back = first + i, fronts = in_line(own, own & step(empty, 7 - back), back);
            moves |= (u64)fronts << (i << shift);
            pushes |= (u64)(fronts & step(own, 7 - back) & step(other, back)) << (i << shift);
        }
        for (; moves; moves &= moves - 1) {
            u32 move = (first << shift) + __builtin_ctzll(moves), front = 1u << (move & cell_bits);
            visit(to, (Board){own ^ front ^ beyond(own, move), other}, 0);
        }
        for (; pushes; pushes &= pushes - 1) {
            u32 move = (first << shift) + __builtin_ctzll(pushes), front = 1u << (move & cell_bits);
            u32 before = own ^ front ^ beyond(own, move), back = move >> shift;
            u32 rear = step(front, back), last = step(front, 7 - back);
            for (; rear & own && last & other; rear = step(rear, back), last = step(last, 7 - back))
                visit(to, (Board){before, other ^ last ^ front}, 0);
        }
    }
}

// A board as SVG, drawn from what a game declares: cells, pieces, the moves that can be clicked, and what they are worth.

import { arrow, asCells, cellShape, dot, fade, lettersOf, make, pieceShape, tone } from "./words.js";

const UNIT = 60, LARGEST = 2.1;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(svg, picture, { onMove = () => {}, onChange = () => {}, isLive = true } = {}) {
    this.svg = svg;
    this.picture = asCells(picture);
    this.onMove = onMove;
    this.onChange = onChange;
    this.moves = [];
    this.chosen = [];
    this.letters = "-".repeat(this.picture.names.length);
    this.marks = [];
    this.lit = new Set();
    this.pieces = new Map();
    this.names = [];
    this.onCell = null;
    this.measure(isLive);
    this.build(isLive);
  }

  measure(isLive) {
    const { kind, at } = this.picture;
    this.unit = kind === "points" ? 80 : UNIT;
    this.margin = kind === "squares" && isLive ? { left: 26, right: 8, top: 8, bottom: 26 }
      : kind === "points" ? { left: 16, right: 16, top: 14, bottom: 14 } : { left: 8, right: 8, top: 8, bottom: 8 };
    const high = kind === "hexagons" ? this.unit / Math.sqrt(3) : this.unit / 2;
    const wide = this.unit / 2;
    const right = Math.max(...at.map(([x]) => x)), down = Math.max(...at.map(([, y]) => y));
    this.places = at.map(([x, y]) => [this.margin.left + wide + x * this.unit, this.margin.top + high + y * this.unit]);
    this.width = this.margin.left + this.margin.right + 2 * wide + right * this.unit;
    this.height = this.margin.top + this.margin.bottom + 2 * high + down * this.unit;
    this.svg.style.maxWidth = `${Math.round(this.width * LARGEST)}px`;
    this.labelSize = Math.min(14, (14 * 1.3 * this.width) / Math.min(this.width * LARGEST, 560));
    this.svg.setAttribute("viewBox", `0 0 ${this.width.toFixed(1)} ${this.height.toFixed(1)}`);
  }

  build(isLive) {
    this.svg.replaceChildren();
    this.svg.classList.add("board", `board-${this.picture.kind}`);
    const base = make("g", { class: "base", "aria-hidden": "true" });
    this.layers = {};
    for (const [a, b] of this.picture.lines) {
      const [x1, y1] = this.places[a], [x2, y2] = this.places[b];
      base.append(make("line", { x1, y1, x2, y2, class: "edge" }));
    }
    this.places.forEach((place, cell) => base.append(cellShape(this.picture, cell, this.places[cell], this.unit, "cell")));
    if (isLive && this.picture.kind === "squares") this.labels(base);
    else if (isLive) this.places.forEach(([x, y], cell) => {
      const [right, down] = this.picture.kind === "points" ? this.besideLines(cell) : { hexagons: [0, 0.46], piles: [0, 0.06] }[this.picture.kind];
      const name = make("text", { x: x + right * this.unit, y: y + down * this.unit, class: "place", "font-size": (this.labelSize * 0.93).toFixed(1) }, this.picture.names[cell]);
      base.append(name);
      this.names.push(name);
    });
    this.svg.append(base);
    for (const name of ["pieces", "arrows", "ghosts"]) {
      this.layers[name] = make("g", { class: name, "aria-hidden": "true" });
      this.svg.append(this.layers[name]);
    }
    if (!isLive) return;
    this.svg.setAttribute("role", "group");
    this.hits = this.places.map((place, cell) => {
      const hit = make("g", { class: "hit", role: "button", tabindex: -1, "data-cell": cell }, cellShape(this.picture, cell, this.places[cell], this.unit, "area"));
      return hit;
    });
    this.rows().flat().forEach((cell) => this.svg.append(this.hits[cell]));
    this.focusOn(this.rows()[0][0]);
    this.listen();
  }

  // Where the name of a point stands: beyond its piece, as far as can be from the lines that meet there.
  besideLines(cell) {
    const [x, y] = this.places[cell];
    const lines = this.picture.lines.filter((pair) => pair.includes(cell)).map(([a, b]) => {
      const [toX, toY] = this.places[a === cell ? b : a];
      return Math.atan2(toY - y, toX - x);
    });
    const between = (a, b) => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));
    const angles = [...Array(16).keys()].map((i) => ((i - 3) * Math.PI) / 8);
    const room = (angle) => Math.round(100 * Math.min(Math.PI, ...lines.map((line) => between(angle, line))));
    const best = angles.reduce((found, angle) => (room(angle) > room(found) ? angle : found));
    return [0.5 * Math.cos(best), 0.5 * Math.sin(best) + 0.06];
  }

  rows() {
    return this.picture.rows;
  }

  labels(base) {
    const columns = new Map(), rows = new Map();
    this.picture.names.forEach((name, cell) => {
      columns.set(this.places[cell][0], name.replace(/\d+$/, ""));
      rows.set(this.places[cell][1], name.replace(/^\D+/, ""));
    });
    for (const [x, text] of columns) base.append(make("text", { x, y: this.height - 8, class: "label", "font-size": this.labelSize.toFixed(1) }, text));
    for (const [y, text] of rows) base.append(make("text", { x: 13, y: y + 0.35 * this.labelSize, class: "label", "font-size": this.labelSize.toFixed(1) }, text));
  }

  // What stands where, and the moves there are from now on; `from` says that a move has led here, so pieces slide.
  show(placed, { moves = [], marks = [], isMove = false, said = () => "" } = {}) {
    const before = this.letters, after = lettersOf(this.picture, placed) ?? before;
    this.letters = after;
    this.marks = marks;
    this.moves = this.withClicks(moves);
    this.chosen = [];
    this.said = said;
    this.place(before, after, isMove && !still.matches);
    this.light();
  }

  withClicks(moves) {
    if (!this.picture.piles) return moves;
    const letters = this.letters;
    return moves.map((move) => {
      const next = lettersOf(this.picture, move);
      const gone = next ? [...letters].findIndex((letter, cell) => letter !== next[cell]) : -1;
      return { ...move, clicks: gone < 0 ? null : [gone] };
    });
  }

  place(before, after, isSliding) {
    const came = [], went = [];
    [...after].forEach((letter, cell) => {
      if (letter === before[cell]) return;
      if (before[cell] !== "-") went.push(cell);
      if (letter !== "-") came.push(cell);
    });
    this.names.forEach((name, cell) => name.classList.toggle("under", after[cell] !== "-"));
    const layer = this.layers.pieces;
    const old = new Map(this.pieces);
    for (const cell of went) this.pieces.delete(cell);
    for (const cell of came) {
      const from = isSliding ? this.nearest(cell, went.filter((other) => before[other] === after[cell])) : undefined;
      const piece = this.piece(after[cell], cell);
      layer.append(piece);
      this.pieces.set(cell, piece);
      if (from === undefined) {
        if (isSliding) piece.animate([{ opacity: 0 }, { opacity: 1 }], 180);
        continue;
      }
      went.splice(went.indexOf(from), 1);
      old.get(from)?.remove();
      const [x, y] = this.places[from], [toX, toY] = this.places[cell];
      piece.animate(
        [{ transform: `translate(${x}px, ${y}px)` }, { transform: `translate(${toX}px, ${toY}px)` }],
        { duration: 220, easing: "ease-in-out" },
      );
    }
    for (const cell of went) {
      const piece = old.get(cell);
      if (!piece) continue;
      if (isSliding) piece.animate([{ opacity: 1 }, { opacity: 0 }], 260).finished.then(() => piece.remove(), () => piece.remove());
      else piece.remove();
    }
    this.join();
  }

  nearest(cell, others) {
    const distance = (other) => Math.hypot(...[0, 1].map((i) => this.places[cell][i] - this.places[other][i]));
    return others.sort((a, b) => distance(a) - distance(b))[0];
  }

  // Cells of one large piece grow together.
  join() {
    this.layers.pieces.querySelectorAll(".joint").forEach((joint) => joint.remove());
    const half = this.unit / 2;
    this.letters.split("").forEach((letter, cell) => {
      if (this.picture.pieces[letter]?.shape !== "joined") return;
      this.places.forEach(([x, y], other) => {
        const [left, top] = this.places[cell];
        const isNext = Math.abs(x - left - this.unit) + Math.abs(y - top) < 1 || Math.abs(y - top - this.unit) + Math.abs(x - left) < 1;
        if (!isNext || this.letters[other] !== letter) return;
        const along = x > left;
        this.layers.pieces.append(make("rect", {
          class: `joint ${this.colour(letter)}`,
          x: along ? left : left - half * 0.78, y: along ? top - half * 0.78 : top,
          width: along ? this.unit : half * 1.56, height: along ? half * 1.56 : this.unit,
        }));
      });
    });
  }

  colour(letter) {
    const { player } = this.picture.pieces[letter];
    if (player === null) return "c-nobody";
    return `c-${this.picture.players[player].colour || ["first", "second"][player]}`;
  }

  piece(letter, cell) {
    const [x, y] = this.places[cell];
    const look = this.picture.pieces[letter];
    const group = make("g", { class: `piece s-${look.shape} ${this.colour(letter)}`, transform: `translate(${x} ${y})` });
    group.append(...pieceShape(look, this.unit / 2));
    return group;
  }

  // Lights up what can be clicked now: whole moves where there are few, else the cells that moves begin at.
  light() {
    const { arrows, ghosts } = this.layers;
    arrows.replaceChildren();
    ghosts.replaceChildren();
    const ahead = this.ahead();
    const next = new Map();
    for (const move of ahead) {
      const cell = move.clicks[this.chosen.length];
      if (cell === undefined) continue;
      if (!next.has(cell)) next.set(cell, []);
      next.get(cell).push(move);
    }
    const pairs = ahead.filter((move) => move.clicks.length === 2 && this.chosen.length < 2);
    const isDrawn = pairs.length && (this.chosen.length || ahead.length <= 26);
    const ways = new Set(pairs.map((move) => move.clicks.join()));
    if (isDrawn) [...pairs].reverse().forEach((move) => {
      const beside = ways.has([...move.clicks].reverse().join()) ? this.unit * 0.15 : 0;
      arrows.append(arrow(move, ...move.clicks.map((cell) => this.places[cell]), this.unit, beside));
    });
    for (const cell of this.chosen) arrows.append(this.ring(cell, "chosen"));
    for (const cell of this.marks) arrows.append(this.ring(cell, "last"));
    for (const [cell, moves] of next) {
      const best = moves[0];
      const isEnd = moves.some((move) => move.clicks.length === this.chosen.length + 1);
      if (isEnd && !(isDrawn && this.chosen.length === 0)) arrows.append(dot(best, this.places[cell], this.unit * 0.17));
      else if (!isDrawn) arrows.append(this.ring(cell, `source ${tone(best)}`, best));
    }
    this.next = next;
    this.hits?.forEach((hit, cell) => {
      hit.classList.toggle("ready", next.has(cell));
      hit.setAttribute("aria-disabled", String(!next.has(cell) && !this.onCell));
      hit.setAttribute("aria-pressed", String(this.chosen.includes(cell)));
      hit.setAttribute("aria-label", this.label(cell));
    });
    this.onChange(this.complete());
  }

  label(cell) {
    const letter = this.letters[cell];
    const stands = letter === "-" ? "empty" : this.picture.pieces[letter]?.name ?? letter;
    const moves = this.next.get(cell) ?? [];
    const can = moves.length === 1 ? `, ${this.said(moves[0]) || moves[0].move}` : moves.length ? `, ${moves.length} moves` : "";
    return `${this.picture.names[cell]}: ${stands}${can}`;
  }

  ahead() {
    return this.moves.filter((move) => move.clicks?.length && this.chosen.every((cell, i) => move.clicks[i] === cell));
  }

  // The move that the cells clicked so far are, if others go on from there.
  complete() {
    const ahead = this.ahead();
    const whole = ahead.filter((move) => move.clicks.length === this.chosen.length);
    return this.chosen.length && whole.length ? whole : null;
  }

  ring(cell, name, move) {
    const [cx, cy] = this.places[cell];
    const size = this.unit * (this.picture.kind === "points" ? 0.36 : 0.46);
    return make("rect", {
      x: cx - size, y: cy - size, width: 2 * size, height: 2 * size, class: `ring ${name}`,
      rx: this.picture.kind === "squares" || this.picture.kind === "piles" ? 6 : size, opacity: move ? fade(move) : 1,
    });
  }

  // Shows what a move would lead to, while it is pointed at.
  ghost(move) {
    this.layers.ghosts.replaceChildren();
    const next = move && lettersOf(this.picture, move);
    if (!next) return;
    [...next].forEach((letter, cell) => {
      if (letter === this.letters[cell]) return;
      if (letter === "-") this.layers.ghosts.append(this.ring(cell, "gone"));
      else this.layers.ghosts.append(this.piece(letter, cell));
    });
  }

  listen() {
    const cellOf = (target) => {
      const hit = target instanceof Element ? target.closest(".hit") : null;
      return hit && this.svg.contains(hit) ? Number(hit.dataset.cell) : null;
    };
    let drag = null;
    this.svg.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event.target);
      if (cell === null || this.onCell || event.button) return;
      if (this.pieces.has(cell) && this.moves.some((move) => move.clicks?.length > 1 && move.clicks[0] === cell)) {
        drag = { cell, x: event.clientX, y: event.clientY, isMoving: false, id: event.pointerId };
      }
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!drag || event.pointerId !== drag.id) return;
      const scale = this.width / this.svg.getBoundingClientRect().width;
      const dx = (event.clientX - drag.x) * scale, dy = (event.clientY - drag.y) * scale;
      if (!drag.isMoving && Math.hypot(dx, dy) > 8) {
        drag.isMoving = true;
        this.chosen = [drag.cell];
        this.light();
        this.layers.pieces.append(this.pieces.get(drag.cell));
      }
      const [x, y] = this.places[drag.cell];
      if (drag.isMoving) this.pieces.get(drag.cell)?.setAttribute("transform", `translate(${x + dx} ${y + dy})`);
    });
    const drop = (event) => {
      if (!drag) return;
      const { cell, isMoving } = drag;
      drag = null;
      if (!isMoving) return;
      this.justDragged = true;
      setTimeout(() => (this.justDragged = false));
      const [x, y] = this.places[cell];
      this.pieces.get(cell)?.setAttribute("transform", `translate(${x} ${y})`);
      const target = event.type === "pointerup" ? cellOf(document.elementFromPoint(event.clientX, event.clientY)) : null;
      if (target !== null && target !== cell && this.next.has(target)) this.click(target, true);
    };
    this.svg.addEventListener("pointerup", drop);
    this.svg.addEventListener("pointercancel", drop);
    addEventListener("pointerup", (event) => !this.svg.contains(event.target) && drop(event));
    this.svg.addEventListener("click", (event) => {
      const cell = cellOf(event.target);
      if (cell !== null && !this.justDragged) this.click(cell);
    });
    this.svg.addEventListener("pointerover", (event) => {
      const moves = this.next?.get(cellOf(event.target)) ?? [];
      const ends = moves.filter((move) => move.clicks.length === this.chosen.length + 1);
      this.ghost(ends.length === 1 ? ends[0] : null);
      this.onPoint?.(moves);
    });
    this.svg.addEventListener("pointerleave", () => {
      this.ghost(null);
      this.onPoint?.([]);
    });
    this.svg.addEventListener("focusin", (event) => {
      const cell = cellOf(event.target);
      if (cell !== null) this.focusOn(cell);
      this.onPoint?.(this.next?.get(cell) ?? []);
    });
    this.svg.addEventListener("keydown", (event) => this.key(event, cellOf(event.target)));
  }

  focusOn(cell) {
    this.hits.forEach((hit, i) => hit.setAttribute("tabindex", i === cell ? 0 : -1));
  }

  key(event, cell) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    if (event.key === "Escape") {
      this.chosen = [];
      this.light();
    } else if (event.key === "Enter" || event.key === " ") {
      if (cell !== null) this.click(cell, true);
    } else if (ways[event.key] && cell !== null) {
      const [right, down] = ways[event.key];
      const [x, y] = this.places[cell];
      const cost = ([toX, toY]) => {
        const along = (toX - x) * right + (toY - y) * down, aside = Math.abs((toX - x) * down) + Math.abs((toY - y) * right);
        return along > 1 && aside <= along * 1.8 ? along + 2 * aside : Infinity;
      };
      const best = this.places.map((place, i) => [cost(place), i]).sort((a, b) => a[0] - b[0])[0];
      if (best[0] < Infinity) this.hits[best[1]].focus();
    } else return;
    event.preventDefault();
  }

  click(cell) {
    if (this.onCell) return this.onCell(cell);
    if (!this.moves.length) return undefined;
    const whole = this.complete();
    if (whole && cell === this.chosen[this.chosen.length - 1] && !this.next.has(cell)) return this.finish(whole);
    if (!this.next.has(cell)) {
      const isSame = this.chosen.includes(cell);
      this.chosen = [];
      this.light();
      if (isSame || !this.next.has(cell)) return undefined;
    }
    this.chosen = [...this.chosen, cell];
    const ahead = this.ahead();
    if (ahead.length && ahead.every((move) => move.clicks.length === this.chosen.length)) return this.finish(ahead);
    return this.light();
  }

  // Several moves with the same cells are told apart by their names: the page asks.
  finish(moves) {
    if (moves.length > 1) {
      this.light();
      return this.onChange(moves);
    }
    this.layers.ghosts.replaceChildren();
    return this.onMove(moves[0].move);
  }
}

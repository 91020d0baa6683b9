// The vocabulary of all pages: what is said of values, the signs they have on a board, elements, how the server is asked.

export const VERBS = { win: "wins", lose: "loses", tie: "ties", draw: "draws" };
export const NOUNS = { win: "win", lose: "loss", tie: "tie", draw: "draw" };
export const VALUES = ["win", "lose", "tie", "draw"];

export const root = document.documentElement.dataset.root;
export const data = JSON.parse(document.getElementById("data")?.textContent ?? "null");
export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export function count(number, one) {
  return `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
}

export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one != null && one !== "") query.append(key, one);
  }
  return `${root}${path}${query.size ? `?${query}` : ""}`;
}

// Names of variants stay readable in addresses.
export function variantPath(page, variant) {
  return `/${page}/${encodeURIComponent(variant).replaceAll("%3A", ":").replaceAll("%3D", "=").replaceAll("%2C", ",")}`;
}

// Returns the JSON that the server answers; throws what it says is wrong.
export async function ask(path, parameters = {}, options = {}) {
  let answer;
  try {
    answer = await fetch(address(path, parameters), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is gamesman serve still running?");
  }
  const text = await answer.text();
  let said;
  try {
    said = JSON.parse(text);
  } catch {
    throw new Error(`expected an answer in JSON, got status ${answer.status}`);
  }
  if (!answer.ok) throw Object.assign(new Error(said.detail ?? `status ${answer.status}`), { problem: said });
  return said;
}

// A move's value in words, with the best one where it is another: wins in 5, best is 3.
export function worth(move, best) {
  if (!move.value || move.isHidden) return "";
  const own = spoken(move);
  if (!best || best === move || spoken(best) === own) return own;
  return `${own}, best ${best.value === move.value ? `is ${best.remoteness + 1}` : spoken(best)}`;
}

// Moves with what the page says of them: whether values are hidden, and how much later than the best of that value.
export function ranked(moves, isHidden) {
  const best = {};
  for (const move of moves) best[move.value] ??= move.remoteness;
  return moves.map((move) => ({ ...move, isHidden, late: Math.abs((move.remoteness ?? 0) - (best[move.value] ?? 0)) }));
}

// What pointing at some moves tells of the first of them.
export function told(moves, best) {
  const shown = moves.slice(0, 3).map((move) => `${move.move} ${worth(move, best)}`.trimEnd());
  return shown.join(" · ") + (moves.length > 3 ? ` · and ${moves.length - 3} more` : "");
}

export function spoken(move) {
  const some = move.remoteness == null ? VERBS[move.value] : `${VERBS[move.value]} in ${move.remoteness + 1}`;
  return move.isEstimate ? `${some} (seen by search)` : move.sure === false ? `${some}, if no board came back` : some;
}

// A verb as it follows a player's name: Hare wins, Hounds win.
export function does(player, verb) {
  if (!player.isPlural) return verb;
  return verb === "has" ? "have" : verb.replace(/s$/, "");
}

// What follows in a position, if nobody errs: texts and elements.
export function predicted(players, { turn, value, remoteness, isEstimate }) {
  const [who, other] = [players[turn], players[1 - turn]];
  const many = remoteness == null ? "" : ` in ${count(remoteness, "move")}`;
  const strong = (text) => element("strong", { class: `v-${value}` }, text);
  const said = {
    win: () => [`${who.name}, to move, `, strong(`${does(who, "wins")}${many}`)],
    lose: () => [`${who.name}, to move, `, strong(`${does(who, "loses")}${many}`), `: ${other.name} ${does(other, "wins")}`],
    tie: () => ["This ends in ", strong(`a tie${many}`)],
    draw: () => ["This is ", strong("a draw"), ": neither side can force an end"],
  }[value]();
  return [isEstimate ? "Estimated by search: " : "", ...said, value === "draw" ? "." : ", if nobody errs."];
}

// What a search thinks of a position for the player to move, where it has seen no end.
export function scored(players, { turn, score }) {
  if (Math.abs(score) < 15) return "about even";
  const better = players[score > 0 ? turn : 1 - turn];
  return `${better.name} ${does(better, "stands")} better by ${Math.abs(score).toLocaleString("en")}`;
}

// How a game has ended, in a sentence.
export function ended(players, { winner, reason }) {
  const said = reason.charAt(0).toUpperCase() + reason.slice(1);
  if (winner === null || reason.endsWith(" won")) return `${said}.`;
  return `${said}: ${players[winner].name} ${does(players[winner], "has")} won.`;
}

// A variant's name that may be broken after its commas.
export function breakable(name) {
  return element("span", {}, ...name.split(/(?<=,)/).flatMap((part) => [part, element("wbr")]));
}

export const nothing = () => {};

const SVG = "http://www.w3.org/2000/svg";

export function make(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function tone(move) {
  return move.isHidden || !move.value ? "v-none" : `v-${move.value}`;
}

export function fade(move) {
  return move.isHidden || !move.value ? 0.85 : [1, 0.75, 0.55, 0.4][Math.min(3, move.late ?? 0)];
}

// A value, or what a search thinks, in a few letters: W 5, +120.
export function chip(move) {
  if (move.value) {
    const many = move.remoteness == null ? "" : ` ${move.remoteness + 1}`;
    return element("span", { class: `chip ${tone(move)}`, "aria-hidden": "true" }, `${NOUNS[move.value].charAt(0).toUpperCase()}${many}`);
  }
  return move.score === undefined ? "" : element("span", { class: "chip v-none" }, `${move.score > 0 ? "+" : ""}${move.score}`);
}

// The sign of a move from one place to another, in the colour of its value, fainter the worse it is; perhaps beside the
// straight line, so that the way back can be told from it.
export function arrow(move, from, to, unit, beside = 0) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
  const way = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const near = unit * 0.18, far = length - unit * 0.14;
  const at = (along, aside = 0) => {
    const off = aside + beside;
    return [from[0] + way[0] * along - way[1] * off, from[1] + way[1] * along + way[0] * off];
  };
  const [x1, y1] = at(near), [x2, y2] = at(far - 11);
  const head = [at(far), at(far - 15, 9), at(far - 15, -9)].map((point) => point.map((n) => n.toFixed(1)).join(",")).join(" ");
  const group = make("g", { class: `arrow ${tone(move)}`, "data-move": move.move });
  for (const layer of ["rim", "ink"]) {
    group.append(make("line", { x1, y1, x2, y2, class: `shaft ${layer}` }), make("polygon", { points: head, class: layer }));
  }
  group.setAttribute("opacity", fade(move));
  return group;
}

// Values differ in form as well: a full disc wins, a square ties, a ring draws, a cross loses.
export function dot(move, [cx, cy], r) {
  const kind = tone(move);
  const group = make("g", { class: `dot ${kind}`, opacity: fade(move) });
  if (kind === "v-tie") group.append(make("rect", { x: cx - r, y: cy - r, width: 2 * r, height: 2 * r, class: "ink" }));
  else if (kind === "v-lose") {
    const d = `M${cx - r} ${cy - r}L${cx + r} ${cy + r}M${cx + r} ${cy - r}L${cx - r} ${cy + r}`;
    group.append(make("path", { d, class: "stroke rim" }), make("path", { d, class: "stroke" }));
  } else group.append(make("circle", { cx, cy, r, class: kind === "v-draw" ? "hollow" : "ink" }));
  return group;
}

// Piles become cells in rows of five, or of ten where there are many, so that all else need not know of them.
export function asCells(picture) {
  if (picture.kind !== "piles") return picture;
  const names = [], at = [], rows = [];
  let down = 0;
  picture.piles.forEach((count, pile) => {
    const wide = count > 20 ? 10 : 5;
    for (let i = 0; i < count; i++) {
      if (i % wide === 0) rows.push([]);
      rows[rows.length - 1].push(names.length);
      at.push([i % wide, down + Math.floor(i / wide)]);
      names.push(picture.piles.length > 1 ? `${pile + 1}.${i + 1}` : `${i + 1}`);
    }
    down += Math.ceil(count / wide);
  });
  const stone = { shape: "disc", player: null, name: "one", letter: "" };
  return { ...picture, names, at, rows, lines: [], pieces: { o: stone }, fields: [] };
}

export function lettersOf(picture, placed) {
  if (placed.piles) return placed.piles.map((count, i) => "o".repeat(count).padEnd(picture.piles[i], "-")).join("");
  return placed.board;
}

export function cellShape(picture, cell, [x, y], unit, name) {
  const half = unit / 2;
  if (picture.kind === "hexagons") {
    const radius = unit / Math.sqrt(3);
    const corners = [...Array(6).keys()].map((i) => {
      const turn = (Math.PI / 3) * i + Math.PI / 6;
      return `${(x + radius * Math.cos(turn)).toFixed(1)},${(y + radius * Math.sin(turn)).toFixed(1)}`;
    });
    return make("polygon", { points: corners.join(" "), class: name });
  }
  if (picture.kind === "points") {
    return make("circle", { cx: x, cy: y, r: name === "area" ? half * 0.85 : half * 0.3, class: name });
  }
  const [column, row] = picture.at[cell];
  const shade = (column + Math.round(row)) % 2 ? "dark" : "light";
  return make("rect", { x: x - half, y: y - half, width: unit, height: unit, class: `${name} ${shade}` });
}

export function pieceShape(look, half) {
  const r = half * 0.74;
  const name = (text) => make("text", { class: "letter", y: r * 0.36 }, text);
  if (look.shape === "cross") {
    const s = r * 0.72;
    return [make("path", { d: `M${-s} ${-s}L${s} ${s}M${s} ${-s}L${-s} ${s}`, class: "line" })];
  }
  if (look.shape === "ring") return [make("circle", { r: r * 0.74, class: "line" })];
  if (look.shape === "block" || look.shape === "joined") {
    const s = half * (look.shape === "joined" ? 0.78 : 0.94);
    return [make("rect", { x: -s, y: -s, width: 2 * s, height: 2 * s, rx: look.shape === "joined" ? 10 : 5, class: "body" })];
  }
  if (look.shape === "flag") {
    return [
      make("circle", { r, class: "body" }),
      make("path", { d: `M${-r * 0.3} ${r * 0.55}V${-r * 0.6}L${r * 0.55} ${-r * 0.27}L${-r * 0.3} ${r * 0.06}`, class: "emblem" }),
    ];
  }
  const turns = { up: 0, right: 90, down: 180, left: 270 };
  if (look.shape in turns) {
    const d = `M0 ${-r}L${r * 0.82} ${-r * 0.1}V${r * 0.85}H${-r * 0.82}V${-r * 0.1}Z`;
    return [make("path", { d, class: "body", transform: `rotate(${turns[look.shape]})` })];
  }
  const parts = [make("circle", { r, class: "body" }), make("circle", { r: r * 0.7, class: "relief" })];
  return look.letter ? [...parts, name(look.letter.toUpperCase())] : parts;
}

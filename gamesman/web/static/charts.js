// Charts of counts: bars divided by value, and lines; pointing at a bar tells its count and an example that opens.

import { NOUNS, VALUES, address, ask, breakable, element, make, variantPath } from "./words.js";

export const many = (number) => number.toLocaleString("en");
export const percent = (share) => `${(100 * share).toFixed(share && share < 0.001 ? 3 : 1)} %`;

// columns: [{name, counts: {win: n, ...}}]; onBar(column, value) when one is pointed at, true if it was clicked.
export function bars(svg, columns, { label, onBar = () => {} }) {
  const high = 220, low = 24, left = 52;
  const wide = Math.max(7, Math.min(34, 900 / columns.length));
  const total = (column) => VALUES.reduce((sum, value) => sum + (column.counts[value] ?? 0), 0);
  const most = Math.max(1, ...columns.map(total));
  svg.setAttribute("viewBox", `0 0 ${left + wide * columns.length + 8} ${high + low}`);
  svg.setAttribute("width", left + wide * columns.length + 8);
  svg.setAttribute("height", high + low);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const parts = [0, 0.5, 1].flatMap((share) => {
    const y = high - share * (high - 12);
    return [make("line", { x1: left, x2: left + wide * columns.length, y1: y, y2: y, class: "axis" }),
      make("text", { x: left - 6, y: y + 4, class: "tick end" }, many(Math.round(share * most)))];
  });
  const step = Math.ceil(columns.length / Math.max(1, Math.floor((wide * columns.length) / 44)));
  columns.forEach((column, i) => {
    let y = high;
    for (const value of VALUES) {
      const count = column.counts[value] ?? 0;
      if (!count) continue;
      const tall = Math.max(1, (count / most) * (high - 12));
      y -= tall;
      const bar = make("rect", { x: left + wide * i + 1, y, width: wide - 2, height: tall, class: `bar v-${value}` });
      bar.addEventListener("pointerenter", () => onBar(column, value, false));
      bar.addEventListener("click", () => onBar(column, value, true));
      parts.push(bar);
    }
    if (i % step === 0) parts.push(make("text", { x: left + wide * (i + 0.5), y: high + 16, class: "tick" }, column.tick ?? column.name));
  });
  svg.replaceChildren(...parts);
}

// A bar for each variant, divided into the shares of the values.
export function shares(box, rows, onBar) {
  box.replaceChildren(...rows.map((row) => {
    const total = VALUES.reduce((sum, value) => sum + row.counts[value], 0) || 1;
    const svg = make("svg", { viewBox: "0 0 1000 36", preserveAspectRatio: "none", class: "shares", role: "img", "aria-label": VALUES.map((value) => `${NOUNS[value]} ${percent(row.counts[value] / total)}`).join(", ") });
    let x = 0;
    for (const value of VALUES) {
      const width = (1000 * row.counts[value]) / total;
      if (!width) continue;
      const bar = make("rect", { x, y: 0, width, height: 36, class: `bar v-${value}` });
      for (const kind of ["pointerenter", "click"]) bar.addEventListener(kind, () => onBar(row, value, kind === "click"));
      svg.append(bar);
      x += width;
    }
    return element("div", { class: "share" }, element("span", { class: "share-name" }, row.name && breakable(row.name)), svg);
  }));
}

// Seven for six colours: as many lines as can be compared look each its own way.
const DASHES = ["", "8 4", "3 3", "10 3 2 3", "14 4", "2 6", "12 3 5 3"];

// A piece of a variant's line, as the key beside the chart shows it.
export function lineKey(number) {
  return make("svg", { class: "line-key", viewBox: "0 0 40 6", "aria-hidden": "true" }, make("line", { x1: 0, x2: 40, y1: 3, y2: 3, class: `series n-${number % 6}`, "stroke-dasharray": DASHES[number % DASHES.length] }));
}

// Lines over remoteness, one for each variant; they differ in dashes as well as in colour.
export function lines(svg, series, { label, onPoint = () => {} }) {
  const high = 240, low = 24, left = 48, right = 900;
  const last = Math.max(1, ...series.map((one) => one.points.length - 1));
  const most = Math.max(1e-9, ...series.flatMap((one) => one.points));
  const x = (i) => left + (i / last) * (right - left - 10), y = (value) => high - (value / most) * (high - 12);
  svg.setAttribute("viewBox", `0 0 ${right} ${high + low}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const parts = [0, 0.5, 1].flatMap((share) => [
    make("line", { x1: left, x2: right - 10, y1: y(share * most), y2: y(share * most), class: "axis" }),
    make("text", { x: left - 6, y: y(share * most) + 4, class: "tick end" }, percent(share * most))]);
  for (let i = 0; i <= last; i += Math.ceil(last / 15)) parts.push(make("text", { x: x(i), y: high + 16, class: "tick" }, `${i}`));
  series.forEach((one, number) => {
    const points = one.points.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    parts.push(make("polyline", { points, class: `series n-${number % 6}`, "stroke-dasharray": DASHES[number % DASHES.length] }));
    one.points.forEach((value, i) => {
      const dot = make("circle", { cx: x(i), cy: y(value), r: 5, class: `spot n-${number % 6}` });
      for (const kind of ["pointerenter", "click"]) dot.addEventListener(kind, () => onPoint(one, i, kind === "click"));
      parts.push(dot);
    });
  });
  svg.replaceChildren(...parts);
}

// Says what a bar counts, with an example that opens on the board; a bar that is left meanwhile says nothing any more.
export function examples(box) {
  let latest = 0;
  const known = new Map();
  return async (said, variant, wanted) => {
    const token = ++latest;
    box.replaceChildren(said, " ");
    const key = JSON.stringify([variant, wanted]);
    if (!known.has(key)) {
      // Not for every bar that the pointer crosses on its way.
      await new Promise((done) => setTimeout(done, 120));
      if (token !== latest) return;
      known.set(key, ask("/play/random", { variant, ...wanted }).catch((error) => ({ error: error.message })));
    }
    const found = await known.get(key);
    if (token !== latest) return;
    if (found.error) return void box.append(found.error);
    const href = address(variantPath("game", variant), { p: found.position });
    box.append(element("a", { href }, `for example ${found.position}`));
  };
}

export function table(head, rows, caption) {
  const cell = (name, text, i) => element(name, { class: i ? "number" : null, scope: name === "th" ? "col" : null }, text);
  return element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, element("table", {},
    element("caption", { class: "hidden" }, caption),
    element("thead", {}, element("tr", {}, ...head.map((text, i) => cell("th", text, i)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((text, i) => cell("td", text, i)))))));
}

const NAMED = {
  positions: "positions", classes: "positions up to symmetry", primitives: "positions where the game is over", moves: "moves", branching_factor: "moves of a position, on average",
  max_remoteness: "longest remoteness", mean_remoteness: "mean remoteness", median_remoteness: "median remoteness", never_end: "positions that never end",
  decisiveness: "decisiveness", only_moves: "positions with one move that keeps the value", only_move_share: "share of these", tiers: "tiers",
  single_moves: "positions with a single move", seconds: "seconds to solve", database_bytes: "bytes stored",
};
const SHARES = new Set(["decisiveness", "only_move_share"]);

// Returns every single number of a variant's statistics, as [name, text].
export function measures(fields) {
  const rows = Object.entries(fields).filter(([name, value]) => typeof value === "number" && !["remoteness", "cpu_seconds", "peak_memory"].includes(name));
  return rows.map(([name, value]) => [NAMED[name] ?? name.replaceAll("_", " "), SHARES.has(name) ? percent(value) : Number.isInteger(value) ? many(value) : value.toFixed(2), name]);
}

// Returns the counts by remoteness as columns.
export function byRemoteness(fields) {
  const numbers = Object.values(fields.by_remoteness).flatMap((found) => Object.keys(found).map(Number));
  const last = Math.max(0, ...numbers);
  return [...Array(last + 1).keys()].map((i) => ({
    name: `${i}`, remoteness: i, counts: Object.fromEntries(VALUES.map((value) => [value, fields.by_remoteness[value]?.[i] ?? 0])),
  }));
}

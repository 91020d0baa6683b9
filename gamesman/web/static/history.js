// The history of a game as a chart that can be clicked: who was winning after each move, and how near the end was.

import { VERBS, does, element, make } from "./words.js";

const HIGH = 150, STEP = 26, LEFT = 12;

export function draw(svg, list, { line, moves, at, players, areValues, colours, go }) {
  const wide = Math.max(280, LEFT * 2 + STEP * (line.length - 1));
  const most = Math.max(1, ...line.map((one) => one.remoteness ?? 0));
  svg.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
  svg.setAttribute("width", wide);
  svg.setAttribute("height", HIGH);
  const middle = HIGH / 2;
  // Above the line the first player wins, below it the second; the nearer to the end, the farther out.
  const height = (one) => {
    if (!one.value || one.value === "tie" || one.value === "draw") return middle;
    const isFirst = (one.value === "win") === (one.turn === 0);
    const far = 1 - (0.75 * (one.remoteness ?? 0)) / most;
    return middle + (isFirst ? -1 : 1) * far * (middle - 14);
  };
  const x = (i) => LEFT + STEP * i;
  const parts = [make("line", { x1: 0, x2: wide, y1: middle, y2: middle, class: "axis" })];
  const known = line.map((one, i) => [x(i), height(one)]);
  if (areValues) parts.push(make("polyline", { points: known.map((point) => point.join(",")).join(" "), class: "run" }));
  line.forEach((one, i) => {
    const [cx, cy] = areValues ? known[i] : [x(i), middle];
    const said = `${i ? `${i}. ${moves[i - 1]}` : "Start"}${areValues && one.value ? `: ${told(one, players)}` : ""}`;
    const dot = make("g", { class: `point ${areValues && one.value ? sign(one, colours) : "v-none"}${i === at ? " here" : ""}`, "data-at": i }, make("title", {}, said));
    dot.append(make("rect", { x: cx - STEP / 2, y: 0, width: STEP, height: HIGH, class: "area" }));
    if (one.value === "tie" && areValues) dot.append(make("rect", { x: cx - 6, y: cy - 6, width: 12, height: 12, class: "ink" }));
    else if (one.value === "draw" && areValues) dot.append(make("circle", { cx, cy, r: 6, class: "hollow" }));
    else dot.append(make("circle", { cx, cy, r: 6, class: "ink" }));
    dot.addEventListener("click", () => go(i));
    parts.push(dot);
  });
  svg.replaceChildren(...parts);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `History of values, ${line.length} positions; the list of moves says the same`);
  const box = svg.parentElement;
  box.scrollLeft = x(at) - box.clientWidth + 3 * STEP;
  list.replaceChildren(...line.map((one, i) => {
    const button = element("button", { type: "button", class: `turn${i === at ? " here" : ""}`, "aria-current": i === at ? "step" : null, title: areValues && one.value ? told(one, players) : null },
      i ? `${i}. ${moves[i - 1]}` : "Start");
    button.addEventListener("click", () => go(i));
    return element("li", {}, button);
  }));
}

// The value for the first player, which a chart of one game is coloured by.
function sign(one, colours) {
  if (one.value === "tie" || one.value === "draw") return `v-${one.value}`;
  return (one.value === "win") === (one.turn === 0) ? colours[0] : colours[1];
}

function told(one, players) {
  if (one.value === "draw") return "a draw";
  const many = one.remoteness == null ? "" : ` in ${one.remoteness}`;
  if (one.value === "tie") return `a tie${many}`;
  return `${players[one.turn].name} to move ${does(players[one.turn], VERBS[one.value])}${many}`;
}

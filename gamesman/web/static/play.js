// The play page: a game is played and analysed here. What is known of each position comes from the server, once.

import { Board } from "./board.js";
import { address, ask, byId, chip, data, does, element, ended, predicted, ranked, root, scored, told, variantPath, worth } from "./words.js";

const { variant, picture, players } = data;
const names = players.map((player) => player.name);
const colours = players.map((player, turn) => `c-${player.colour || ["first", "second"][turn]}`);
const still = matchMedia("(prefers-reduced-motion: reduce)");

// The game: line[i] is a position, moves[i] leads from it to line[i + 1]; `at` is where we look.
const game = { line: data.line, moves: data.moves, at: data.line.length - 1 };
const hows = [...data.hows];
let areValues = data.values;
let isPaused = false;
let node = data.node;
let turnToken = 0;
const nodes = new Map();
nodes.set(keyOf(game.at), Promise.resolve(node));
for (const one of data.ahead) nodes.set(one.position, Promise.resolve(one));
let isFirst = true;

export const page = { game, picture, variant, names, say, fail, go, take, current: () => node, here, board: null, show, history, stop };

page.board = picture.kind === "text" ? null : new Board(byId("board"), picture, { onMove: person, onChange: confirmable });
if (page.board) page.board.onPoint = tip;

function here() {
  return game.line[game.at];
}

function history(at = game.at) {
  return { from: game.line[0].position === data.start ? null : game.line[0].position, m: game.moves.slice(0, at), been: data.been };
}

function keyOf(at) {
  return data.noRepetition ? [...game.line.slice(0, at + 1).map((one) => one.position)].join("|") : game.line[at].position;
}

function past(at) {
  return data.noRepetition ? history(at) : {};
}

function get(at) {
  const key = keyOf(at);
  if (!nodes.has(key)) {
    const asked = ask("/play/position", { variant, p: game.line[at].position, ...past(at) });
    nodes.set(key, asked);
    asked.catch(() => nodes.delete(key));
  }
  return nodes.get(key);
}

// Asks for the positions that the best moves lead to, all in one request, while nobody waits.
function prefetch() {
  // What is likely at first has come with the page.
  if (isFirst || data.noRepetition || data.source !== "solved" || node.end) return void (isFirst = false);
  const wanted = node.moves.slice(0, 6).map((move) => move.position).filter((position) => !nodes.has(position));
  if (!wanted.length) return;
  const asked = ask("/play/positions", { variant, p: wanted });
  wanted.forEach((position, i) => {
    const one = asked.then((found) => found.nodes[i]);
    one.catch(() => nodes.delete(position));
    nodes.set(position, one);
  });
}

// Shows the position we look at; `isMove` says that a move has just led here.
async function show({ isMove = false } = {}) {
  const token = ++turnToken;
  document.body.dataset.busy = "yes";
  try {
    const found = await get(game.at);
    if (token !== turnToken) return;
    node = found;
  } catch (error) {
    if (token !== turnToken) return;
    fail(error);
    document.body.dataset.busy = "no";
    return;
  }
  fail(null);
  Object.assign(here(), { turn: node.turn, value: node.value, remoteness: node.remoteness });
  draw(isMove);
  remember();
  if (!node.value && !node.end && areValues) estimate(token);
  const how = hows[node.turn];
  if (end()) finished();
  else byId("scorecard").hidden = true;
  if (!end() && how !== "person" && !isPaused) {
    await program(token, how);
    return;
  }
  document.body.dataset.busy = "no";
  if (token === turnToken) (window.requestIdleCallback ?? setTimeout)(() => token === turnToken && prefetch());
}

function end() {
  if (node.end) return node.end;
  const same = game.line.slice(0, game.at + 1).filter((one) => one.position === node.position).length;
  if (!data.noRepetition && same >= 3) return { winner: null, reason: "a draw: the position is there for the third time" };
  return null;
}

function draw(isMove) {
  const moves = end() ? [] : ranked(node.moves, !areValues);
  const isOurs = hows[node.turn] === "person" || isPaused;
  const best = moves[0];
  if (page.board && !node.text) {
    const marks = (node.fields ?? []).filter((value, i) => picture.fields[i].kind === "cell" && value !== null);
    const last = game.at ? game.lastClicks?.[game.at - 1] : null;
    page.board.show(node, {
      moves: isOurs ? moves : [], marks: marks.length ? marks : last?.slice(-1) ?? [], isMove,
      said: (move) => (areValues ? `${move.move} ${worth(move, best)}` : move.move),
    });
    byId("board").setAttribute("aria-label", `Board: ${node.position}`);
  }
  byId("board").toggleAttribute("hidden", !page.board || Boolean(node.text));
  byId("text").hidden = page.board && !node.text;
  byId("text").textContent = node.text ?? "";
  byId("prediction").replaceChildren(...prediction());
  list(moves, isOurs);
  tip([]);
  names.forEach((name, turn) => {
    byId(`player-${turn}`).classList.toggle("active", turn === node.turn && !end());
    byId(`player-${turn}`).querySelector(".to-move").textContent = turn === node.turn && !end() ? "to move" : "";
  });
  byId("undo").disabled = game.at === 0;
  byId("redo").disabled = game.at === game.line.length - 1;
  byId("pause").hidden = hows.every((how) => how === "person");
  byId("pause").textContent = isPaused ? "Go on" : "Pause";
  byId("position").value = node.position;
  trace();
}

function prediction() {
  const over = end();
  if (over) return [element("strong", {}, ended(players, over))];
  if (!areValues) return [`${names[node.turn]} to move.`];
  const why = [];
  if (node.source === "unreachable") why.push("This position cannot arise from the start, so it is not among the solved ones. ");
  else if (node.source === "unsolved" && !data.isSolvable) why.push(`${variant} is too large to be solved. `);
  else if (node.source === "unsolved") why.push(`${variant} is not solved yet. `, element("a", { href: `${root}${variantPath("solve", variant)}` }, "Solve it"), " ");
  if (node.value) return [...why, ...predicted(players, node)];
  const seen = node.score === undefined ? (node.moves.length ? "Searching…" : "") : `Estimated by search: ${scored(players, node)}.`;
  return [`${names[node.turn]} to move. `, ...why, element("span", { class: "estimate" }, seen)];
}

// The list of moves: what the board shows, for the keyboard, for screen readers and for games without a board.
function list(all, isOurs) {
  const moves = page.board && !node.text ? page.board.withClicks(all) : all;
  const best = moves[0];
  const items = moves.map((move) => {
    const said = worth(move, best);
    const button = element("button", {
      type: "button", class: "move", disabled: !isOurs, "data-move": move.move, "data-clicks": JSON.stringify(move.clicks ?? []), title: said || null,
    }, areValues ? chip(move) : "", element("span", { class: "name" }, move.move), said ? element("span", { class: "hidden" }, `, ${said}`) : "");
    button.addEventListener("click", () => person(move.move));
    for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, () => point(move));
    for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => point(null));
    return element("li", {}, button);
  });
  for (const name of node.barred ?? []) {
    const why = "would bring back a board that has been";
    items.push(element("li", {}, element("button", { type: "button", class: "move", disabled: true, title: why }, element("s", {}, name))));
  }
  byId("moves").replaceChildren(...items);
  byId("moves-none").hidden = items.length > 0;
}

function point(move) {
  page.board?.ghost(move);
  tip(move ? [move] : []);
}

// What pointing at a cell or a move tells.
function tip(moves) {
  if (!moves.length) return void (byId("tip").textContent = hint());
  byId("tip").textContent = told(moves, node.moves[0]);
}

// What there is to do, said until somebody has moved.
function hint() {
  if (page.board?.onCell) return "Click a cell to put the chosen piece there, and again to take it away.";
  if (game.at || end() || (hows[node.turn] !== "person" && !isPaused)) return "";
  const clicks = page.board && !node.text && page.board.moves.find((move) => move.clicks?.length)?.clicks;
  if (!clicks) return "Choose a move from the list.";
  if (clicks.length === 1) return "Click a marked cell to move.";
  return page.board.letters[clicks[0]] === "-" ? "Click the cells of a move one after the other." : "Click a piece and then where it goes, or drag it.";
}

function confirmable(whole) {
  const found = whole ?? [];
  byId("confirm").replaceChildren(...found.map((move) => {
    const button = element("button", { type: "button", class: "primary" }, `Play ${move.move}`);
    button.addEventListener("click", () => person(move.move));
    return button;
  }));
}

function person(name) {
  if (end() || (hows[node.turn] !== "person" && !isPaused)) return;
  const move = node.moves.find((one) => one.move === name);
  if (hows[node.turn] === "person") isPaused = false;
  if (move) make(move);
}

function make(move, said = "") {
  const made = `${names[node.turn]} ${does(players[node.turn], "plays")} ${move.move}${said ? `, ${said}` : ""}.`;
  game.line.splice(game.at + 1);
  game.moves.splice(game.at);
  (game.lastClicks ??= [])[game.at] = move.clicks;
  game.moves.push(move.move);
  game.line.push({ position: move.position, turn: move.turn });
  game.at++;
  confirmable(null);
  // The board does not wait for the server: where the pieces stand then is known.
  if (page.board && !move.text) page.board.show(move, { isMove: true, marks: (move.clicks ?? []).slice(-1) });
  say(made);
  show({ isMove: false }).then(() => say(`${made} ${byId("prediction").textContent}`));
}

async function program(token, how) {
  byId("thinking").hidden = false;
  try {
    const began = performance.now();
    const chosen = await ask("/play/choose", { variant, p: node.position, how, ...past(game.at) });
    const pause = still.matches ? 0 : Math.max(0, 350 - (performance.now() - began));
    await new Promise((done) => setTimeout(done, pause));
    if (token !== turnToken) return;
    const move = node.moves.find((one) => one.move === chosen.move);
    const child = data.noRepetition ? `${keyOf(game.at)}|${move.position}` : move.position;
    if (!nodes.has(child)) nodes.set(child, Promise.resolve(chosen.node));
    make(move, areValues ? chosen.remark : "");
  } catch (error) {
    if (token !== turnToken) return;
    stop();
    fail(error);
    document.body.dataset.busy = "no";
    draw(false);
  } finally {
    byId("thinking").hidden = true;
  }
}

async function estimate(token) {
  if (node.score !== undefined || node.isEstimate || !node.moves.length) return;
  const asked = [variant, node, past(game.at)];
  const tools = await import("./tools.js");
  const fault = await tools.estimate(...asked);
  if (token !== turnToken) return;
  draw(false);
  if (fault) byId("tip").textContent = `No estimate: ${fault}`;
}

function stop() {
  isPaused = hows.some((how) => how !== "person");
  turnToken++;
  byId("thinking").hidden = true;
}

// Goes to a position of the game that has been; programs wait then.
function go(at) {
  game.at = Math.max(0, Math.min(game.line.length - 1, at));
  stop();
  show();
}

// Takes up another game: its positions and moves, and where to look.
function take(line, moves = [], at = line.length - 1) {
  Object.assign(game, { line, moves, at, lastClicks: [] });
  stop();
  isPaused = false;
  return show();
}

function undo() {
  let at = game.at - 1;
  const isMixed = hows.some((how) => how === "person") && hows.some((how) => how !== "person");
  // Against a program one's own last move is taken back, with the answer to it.
  while (isMixed && at > 0 && hows[game.line[at].turn] !== "person") at--;
  go(at);
  if (isMixed && hows[game.line[at]?.turn] === "person") isPaused = false;
  say("Taken back.");
}

function say(text) {
  byId("said").textContent = text;
}

function fail(error) {
  byId("error").textContent = error ? `${error.message ?? error}` : "";
  byId("error").hidden = !error;
}

// The address always is one that leads here again.
function remember() {
  const hidden = areValues ? null : "hidden";
  const [first, second] = hows.map((how) => (how === "person" ? null : how));
  const isStart = game.at === 0 && here().position === data.start;
  const way = game.at ? history() : {};
  const state = { p: isStart ? null : node.position, first, second, values: hidden };
  const whole = address(variantPath("game", variant), { ...state, ...way });
  // Of a very long game the position alone: servers and proxies take no address of any length.
  window.history.replaceState(null, "", whole.length < 8000 ? whole : address(variantPath("game", variant), state));
  byId("share").href = location.href;
}

async function trace() {
  byId("history").hidden = game.line.length < 2;
  if (game.line.length < 2) return;
  const { draw: chart } = await import("./history.js");
  chart(byId("chart"), byId("turns"), { ...game, players, areValues, colours, go });
}

async function finished() {
  const over = end();
  byId("result").textContent = ended(players, over);
  byId("scorecard").hidden = false;
  const { scorecard } = await import("./tools.js");
  scorecard(page, byId("card"));
}

function chooseHow(turn) {
  const select = byId(`how-${turn}`), amount = byId(`amount-${turn}`);
  const limits = { depth: [1, 64, 1, 4, "moves ahead"], time: [0.1, 10, 0.1, 1, "seconds"], mistakes: [0, 1, 0.05, 0.2, "of its moves"] };
  const dress = (value) => {
    const limit = limits[select.value];
    byId(`amount-box-${turn}`).hidden = !limit;
    if (!limit) return;
    [amount.min, amount.max, amount.step] = limit;
    amount.value = value ?? limit[3];
    byId(`unit-${turn}`).textContent = limit[4];
  };
  const choose = () => {
    const [kind, given] = hows[turn].split("=");
    select.value = kind;
    dress(given);
  };
  choose();
  const change = () => {
    hows[turn] = limits[select.value] ? `${select.value}=${amount.value}` : select.value;
    isPaused = false;
    show();
  };
  select.addEventListener("change", () => (dress(), change()));
  amount.addEventListener("change", () => amount.reportValidity() && change());
  return choose;
}

function listen() {
  const choose = names.map((name, turn) => chooseHow(turn));
  byId("undo").addEventListener("click", undo);
  byId("redo").addEventListener("click", () => go(game.at + 1));
  byId("restart").addEventListener("click", () => {
    isPaused = false;
    take([game.line[0]]);
    say("The game begins anew.");
  });
  byId("swap").addEventListener("click", () => {
    hows.reverse();
    choose.forEach((show) => show());
    isPaused = false;
    show();
    say("Sides are swapped.");
  });
  byId("pause").addEventListener("click", () => {
    if (isPaused) isPaused = false;
    else stop();
    show();
  });
  byId("values").checked = areValues;
  byId("values").addEventListener("change", () => {
    areValues = byId("values").checked;
    show();
  });
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
    const act = { z: undo, y: () => go(game.at + 1) }[event.key.toLowerCase()];
    if (act) event.preventDefault(), act();
  });
  const tools = () => import("./tools.js");
  byId("share").addEventListener("click", async (event) => {
    event.preventDefault();
    (await tools()).share(page);
  });
  for (const [id, name] of [["setup", "setUp"], ["notation", "notation"], ["random", "random"]]) {
    byId(id).addEventListener("toggle", async () => byId(id).open && (await tools())[name](page), { once: true });
  }
}

listen();
show();

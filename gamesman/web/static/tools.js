// What the play page has besides playing: the scorecard, estimates, setting up a position, notation, random positions.

import { VALUES, NOUNS, address, ask, byId, count, data, element, nothing } from "./words.js";

// Who gave what away, where, and what was better.
export async function scorecard({ game, variant, names, history, go }, box) {
  if (!game.moves.length || data.source !== "solved") {
    box.replaceChildren(element("p", {}, game.moves.length ? `The game had ${count(game.moves.length, "move")}; the variant is not solved, so nobody knows what each was worth.` : "No move was made."));
    return;
  }
  const { from, m } = history();
  let steps;
  try {
    ({ steps } = await ask("/play/scorecard", { variant, from, m, been: data.been }));
  } catch (error) {
    box.replaceChildren(element("p", {}, `No scorecard: ${error.message}`));
    return;
  }
  const sums = names.map((name, turn) => {
    const own = steps.filter((step) => step.player === turn), wrong = own.filter((step) => step.comment);
    const grave = wrong.filter((step) => step.comment.startsWith("gives up"));
    const said = !own.length ? "made no move" : !wrong.length ? `made ${count(own.length, "move")}, ${own.length === 1 ? "the best" : "each of them best"}`
      : `made ${count(own.length, "move")}, ${own.length - wrong.length} of them best${grave.length ? `; gave the value away ${grave.length === 1 ? "once" : `${grave.length} times`}` : ""}`;
    return element("li", {}, element("strong", {}, name), ` ${said}.`);
  });
  const rows = steps.map((step) => {
    const jump = element("button", { type: "button", class: "turn" }, step.move);
    jump.addEventListener("click", () => go(step.number - 1));
    const value = element("span", { class: `chip v-${step.value}` }, NOUNS[step.value] + (step.remoteness == null ? "" : ` in ${step.remoteness}`));
    return element("tr", { class: step.comment.startsWith("gives up") ? "grave" : step.comment ? "wrong" : null },
      element("td", {}, `${step.number}`), element("td", {}, names[step.player]), element("td", {}, jump), element("td", {}, value),
      element("td", {}, step.comment || "best"));
  });
  const head = element("tr", {}, ...["", "player", "move", "value", "given away"].map((text) => element("th", { scope: "col" }, text)));
  box.replaceChildren(element("ul", { class: "sums" }, ...sums),
    element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Every move of the game" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
}

// Has the moves of a position searched and puts what is found into it, best first; returns what went wrong, if anything.
export async function estimate(variant, node, past) {
  try {
    const found = await ask("/play/estimate", { variant, p: node.position, ...past });
    const of = new Map(found.moves.map((move) => [move.move, move]));
    node.moves = node.moves.map((move) => ({ ...move, ...of.get(move.move), isEstimate: true }));
    node.moves.sort((a, b) => b.score - a.score || (a.move < b.move ? -1 : 1));
    const best = node.moves[0];
    node.score = best.score;
    if (best.value && (best.value === "win" || node.moves.every((move) => move.value))) {
      Object.assign(node, { value: best.value, remoteness: best.remoteness == null ? null : best.remoteness + 1, isEstimate: true });
    }
    return "";
  } catch (error) {
    node.score = 0;
    return error.message;
  }
}

// The address of this very state, to be given to somebody.
export async function share({ say }) {
  await navigator.clipboard?.writeText(location.href).catch(nothing);
  say("The address of this page is this state: it is copied.");
  byId("tip").textContent = "Copied: the address leads to this very state.";
}

async function jump(page, position) {
  await page.take([{ position }]);
  page.say(`The board shows ${position}`);
}

// Sets up any position by hand: pieces are put on cells, and the server says whether the game allows it.
export function setUp(page) {
  const box = byId("setup-tools");
  const { picture, variant } = page;
  const error = element("p", { class: "error", role: "alert" });
  if (!page.board || picture.kind === "piles") {
    box.replaceChildren(element("p", {}, "Write the position below, under “Notation”."));
    return;
  }
  let letters = "", piece = Object.keys(picture.pieces)[0];
  const begin = element("button", { type: "button" }, "Set up");
  const done = element("button", { type: "button", class: "primary", hidden: true }, "Done");
  const cancel = element("button", { type: "button", hidden: true }, "Cancel");
  const empty = element("button", { type: "button", hidden: true }, "Clear the board");
  const turn = element("select", { id: "setup-turn" }, ...picture.players.map((player) => element("option", { value: player.letter }, player.name)));
  const fields = picture.fields.map((field, i) => element("input", { id: `setup-field-${i}`, size: 4, autocomplete: "off" }));
  const labels = fields.map((field, i) => element("label", { for: field.id }, picture.fields[i].kind === "cell" ? "last cell (or nothing) " : `${picture.fields[i].name} `, field));
  const palette = element("div", { class: "palette", role: "group", "aria-label": "Piece to put", hidden: true }, ...[...Object.keys(picture.pieces), "-"].map((letter) => {
    const button = element("button", { type: "button", "aria-pressed": String(letter === piece) }, letter === "-" ? "empty" : picture.pieces[letter].name);
    button.addEventListener("click", () => {
      piece = letter;
      [...palette.children].forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    });
    return button;
  }));
  const more = element("p", { hidden: true }, element("label", { for: "setup-turn" }, "To move: ", turn), " ", ...labels);
  const shown = (isOn) => {
    for (const part of [done, cancel, empty, palette, more]) part.hidden = !isOn;
    begin.hidden = isOn;
    byId("play").classList.toggle("setting", isOn);
    page.board.onPoint([]);
  };
  const put = (text) => {
    letters = text;
    page.board.show({ board: letters });
  };
  begin.addEventListener("click", () => {
    page.stop();
    const node = page.current();
    turn.value = picture.players[node.turn].letter;
    fields.forEach((field, i) => {
      const value = node.fields?.[i];
      field.value = value == null ? "" : picture.fields[i].kind === "cell" ? picture.names[value] : value;
    });
    page.board.onCell = (cell) => put(letters.slice(0, cell) + (letters[cell] === piece ? "-" : piece) + letters.slice(cell + 1));
    shown(true);
    put(node.board);
  });
  const leave = () => {
    page.board.onCell = null;
    error.textContent = "";
    shown(false);
  };
  empty.addEventListener("click", () => put("-".repeat(letters.length)));
  cancel.addEventListener("click", () => (leave(), page.go(page.game.at)));
  done.addEventListener("click", async () => {
    try {
      const found = await ask("/play/setup", { variant, board: letters, turn: turn.value, field: fields.map((field) => field.value || '""') });
      leave();
      await jump(page, found.position);
    } catch (problem) {
      error.textContent = problem.message;
    }
  });
  box.replaceChildren(element("p", {}, begin, " ", done, " ", cancel, " ", empty), palette, more, error);
}

// Notation in and out: a position as text, a game as `gamesman play` saves it.
export function notation(page) {
  const error = byId("notation-error");
  const tried = (act) => async (event) => {
    event.preventDefault();
    error.textContent = "";
    try {
      await act();
    } catch (problem) {
      error.textContent = problem.message;
    }
  };
  byId("position-form").addEventListener("submit", tried(async () => {
    const found = await ask("/play/position", { variant: page.variant, p: byId("position").value });
    await jump(page, found.position);
  }));
  const saved = () => ask("/play/save", { variant: page.variant, ...page.history(page.game.moves.length) }).then((found) => `${JSON.stringify(found, null, 1)}\n`);
  byId("save-text").addEventListener("click", tried(async () => {
    byId("saved").value = await saved();
    await navigator.clipboard?.writeText(byId("saved").value).catch(nothing);
  }));
  byId("save-file").addEventListener("click", tried(async () => {
    const link = element("a", { href: URL.createObjectURL(new Blob([await saved()], { type: "application/json" })), download: `${page.variant.replace(/[^\w-]+/g, "-")}.json` });
    link.click();
    URL.revokeObjectURL(link.href);
  }));
  const load = async (text) => {
    const found = await ask("/play/load", { variant: page.variant }, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) });
    if (found.variant !== page.variant || found.been.length || data.been.length) {
      location.href = found.address;
      return;
    }
    await page.take(found.line, found.moves);
    page.say(`${count(found.moves.length, "move")} loaded.`);
  };
  byId("load").addEventListener("click", tried(() => load(byId("saved").value)));
  byId("load-file").addEventListener("change", tried(async () => load(await byId("load-file").files[0].text())));
}

// A random position of a value, out of all that are solved.
export function random(page) {
  const box = byId("random-tools");
  if (data.source !== "solved") {
    box.replaceChildren(element("p", {}, "There are random positions by value once the variant is solved."));
    return;
  }
  const error = element("p", { class: "error", role: "alert" });
  const buttons = VALUES.map((value) => {
    const button = element("button", { type: "button", class: `v-${value} chip` }, NOUNS[value]);
    button.addEventListener("click", async () => {
      error.textContent = "";
      try {
        const found = await ask("/play/random", { variant: page.variant, value });
        await jump(page, found.position);
      } catch (problem) {
        error.textContent = problem.message;
      }
    });
    return button;
  });
  box.replaceChildren(element("p", {}, "For the player to move: ", ...buttons.flatMap((button) => [button, " "])), error);
}

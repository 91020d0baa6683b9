// Thumbnails of boards; and a game's variants by its options, with what each is worth.

import { Board } from "./board.js";
import { ask, byId, count, data, does, element, root, variantPath } from "./words.js";

export function thumbnail(svg, { picture, placed }) {
  if (picture.kind === "text" || placed.text) return false;
  const board = new Board(svg, picture, { isLive: false });
  board.show(placed);
  return true;
}

for (const game of data.games ?? []) {
  const svg = byId(`thumb-${game.name}`);
  if (svg && (!game.picture || !thumbnail(svg, game))) svg.replaceWith(element("pre", { class: "thumb" }, game.placed?.text ?? ""));
}

// The variant that the options of the form name.
function chosen() {
  const given = [];
  for (const option of data.options) {
    const input = byId(`option-${option.name}`);
    const value = input.type === "checkbox" ? (input.checked ? "yes" : "no") : input.value.trim();
    if (input.dataset.touched && value !== "") given.push(`${option.name}=${value}`);
  }
  return [data.game, given.join(",")].filter(Boolean).join(":");
}

let token = 0;
async function show() {
  const mine = ++token;
  let about;
  try {
    about = await ask("/play/about", { variant: chosen() });
  } catch (error) {
    if (mine === token) byId("error").textContent = error.message, (byId("error").hidden = false);
    return;
  }
  if (mine !== token) return;
  byId("error").hidden = true;
  for (const option of about.options) {
    const input = byId(`option-${option.name}`);
    if (!input.dataset.touched) input.type === "checkbox" ? (input.checked = option.value === "yes") : (input.value = option.value);
    byId(`range-${option.name}`).textContent = option.range;
  }
  byId("variant").textContent = about.variant;
  const board = byId("variant-board");
  board.replaceChildren();
  board.toggleAttribute("hidden", !thumbnail(board, about));
  byId("variant-text").textContent = about.placed.text ?? "";
  const many = about.remoteness == null ? "" : ` in ${count(about.remoteness, "move")}`;
  const { player } = about, begins = `${player.name}, who ${does(player, "begins")}, `;
  const said = { win: `${begins}${does(player, "wins")}${many}`, lose: `${begins}${does(player, "loses")}${many}`, tie: `A tie${many}`, draw: "A draw: neither side can force an end" };
  byId("worth").textContent = about.value ? `${said[about.value]}, if nobody errs. ${count(about.positions, "position")}.` : "Not solved yet.";
  byId("worth").className = about.value ? `v-text v-${about.value}` : "";
  byId("links").replaceChildren(element("a", { class: "button primary", href: `${root}${variantPath("game", about.variant)}` }, "Play"), " ",
    about.value ? element("a", { class: "button", href: `${root}${variantPath("stats", about.variant)}` }, "Statistics") : element("a", { class: "button", href: `${root}${variantPath("solve", about.variant)}` }, "Solve"));
}

if (data.options) {
  byId("options").addEventListener("input", (event) => {
    event.target.dataset.touched = "yes";
    show();
  });
  byId("options").addEventListener("submit", (event) => event.preventDefault());
  show();
}

// The statistics of a variant: bars that tell their counts, and examples that open on the board.

import { bars, byRemoteness, examples, many, measures, percent, shares, table } from "./charts.js";
import { NOUNS, VALUES, VERBS, address, ask, byId, data, element, variantPath } from "./words.js";

const { variant } = data;

function worth(fields) {
  if (fields.value === "draw") return "a draw";
  return `${fields.value === "tie" ? "a tie" : `${VERBS[fields.value]}`} in ${fields.remoteness}`;
}

function draw(fields) {
  const tell = examples(byId("told"));
  byId("summary").textContent = `${many(fields.positions)} positions; the start is ${fields.value === "tie" || fields.value === "draw" ? worth(fields) : `one that the player to move ${worth(fields)}`}.`;
  const told = (count, value, where) => element("strong", { class: `v-${value} v-text` }, `${many(count)} ${count === 1 ? NOUNS[value] : `${NOUNS[value]}${value === "lose" ? "es" : "s"}`} ${where}.`);
  shares(byId("shares"), [{ name: "", counts: fields.counts }], (row, value) => tell(told(row.counts[value], value, `(${percent(row.counts[value] / fields.positions)})`), variant, { value }));
  const columns = byRemoteness(fields);
  bars(byId("remoteness"), columns, {
    label: "Positions by remoteness; a table below says the same",
    onBar: (column, value) => tell(told(column.counts[value], value, `with remoteness ${column.remoteness}`), variant, { value, remoteness: column.remoteness }),
  });
  const tiers = fields.by_tier.map((tier) => ({ name: `${tier.name}`, tick: `${tier.tier}`, ...tier }));
  byId("tier-box").hidden = tiers.length < 2;
  bars(byId("tiers"), tiers, {
    label: "Positions by tier; a table below says the same",
    onBar: (column, value) => tell(told(column.counts[value], value, `in tier ${column.tier} (${column.name})`), variant, { value, tier: column.tier }),
  });
  byId("measures").replaceChildren(table(["measure", "value"], [...measures(fields).map((row) => row.slice(0, 2)), ...players(fields)], "Measures"));
  byId("remoteness-table").replaceChildren(table(["remoteness", ...VALUES.map((value) => NOUNS[value])], columns.map((column) => [column.name, ...VALUES.map((value) => many(column.counts[value]))]), "Positions by remoteness"));
  byId("tier-table").replaceChildren(table(["tier", ...VALUES.map((value) => NOUNS[value])], tiers.map((tier) => [tier.name, ...VALUES.map((value) => many(tier.counts[value] ?? 0))]), "Positions by tier"));
  longest(fields.longest_wins);
  play(fields.play);
  byId("stats").hidden = false;
  byId("every").hidden = fields.positions > data.most;
}

function players(fields) {
  return [["first player wins, of his turns", fields.first_player], ["second player wins, of his turns", fields.second_player]].filter(([, one]) => one?.share != null).map(([said, one]) => [said, percent(one.share)]);
}

// The positions in which a win takes longest: each opens on the board.
function longest(found) {
  byId("longest-box").hidden = !found?.length;
  byId("longest").replaceChildren(...(found ?? []).map((one) => element("li", {}, `in ${one.remoteness}, ${many(one.positions)} of them: `,
    element("a", { href: address(variantPath("game", variant), { p: one.position }) }, one.position))));
}

// What becomes of games where players err, if the server has worked that out.
function play(found) {
  byId("play-box").hidden = !found;
  if (!found) return;
  const row = (name, one) => [name, ...["first", "second", "tie", "unfinished"].map((field) => percent(one[field] ?? 0)), one.length == null ? "" : one.length.toFixed(1)];
  const named = { random: "both at random", first_perfect: "first perfect, second at random", second_perfect: "second perfect, first at random" };
  const rows = Object.entries(named).filter(([name]) => found[name]).map(([name, said]) => row(said, found[name]));
  for (const one of found.errors ?? []) rows.push(row(`both err in ${Math.round(100 * one.rate)} % of moves`, one));
  byId("play-table").replaceChildren(table(["play", "first wins", "second wins", "tie", "never ends", "moves"], rows, "What becomes of games"));
}

ask("/api/v1/stats", { variant }).then(draw, (error) => {
  byId("error").textContent = error.message;
  byId("error").hidden = false;
}).finally(() => (byId("waiting").hidden = true));

// Variants side by side: they are chosen here, and their statistics drawn upon each other.

import { byRemoteness, examples, lineKey, lines, many, measures, percent, shares, table } from "./charts.js";
import { NOUNS, VALUES, address, ask, breakable, byId, count, data, element, variantPath } from "./words.js";

const EFFECTS = { cramers_v: "Cramér’s V", total_variation: "total variation", kolmogorov_smirnov: "Kolmogorov–Smirnov", cliffs_delta: "Cliff’s delta" };

// More than these are folded away.
const MOST_PAIRS = 30;

function words(value) {
  if (value && typeof value === "object") return value.size ? `${words(value.value)}, ${value.size}` : words(value.value);
  return typeof value === "number" ? value.toFixed(3) : `${value ?? ""}`;
}

function draw(found) {
  const tell = examples(byId("told"));
  const { variants } = found;
  shares(byId("shares"), variants.map((one) => ({ name: one.variant, counts: one.counts, positions: one.positions })), (row, value) =>
    tell(element("strong", {}, `${row.name}: ${many(row.counts[value])} ${NOUNS[value]}, ${percent(row.counts[value] / row.positions)}.`), row.name, { value }));
  const series = variants.map((one) => {
    const columns = byRemoteness(one);
    const totals = columns.map((column) => VALUES.reduce((sum, value) => sum + column.counts[value], 0));
    return { name: one.variant, columns, totals, points: totals.map((count) => count / one.positions) };
  });
  lines(byId("remoteness"), series, {
    label: "Share of the positions by remoteness, a line for each variant",
    onPoint: (one, i) => {
      const value = VALUES.find((each) => one.columns[i].counts[each]);
      if (value) tell(element("strong", {}, `${one.name}: ${many(one.totals[i])} positions with remoteness ${i}, ${percent(one.points[i])}.`), one.name, { value, remoteness: i });
    },
  });
  byId("key").replaceChildren(...series.map((one, i) => element("li", {}, lineKey(i), ` ${one.name}`)));
  const names = [...new Map(variants.flatMap((one) => measures(one).map(([said, , name]) => [name, said])))];
  const rows = names.map(([name, said]) => [said, ...variants.map((one) => measures(one).find((row) => row[2] === name)?.[1] ?? "")]);
  const starts = ["start", ...variants.map((one) => `${NOUNS[one.value]}${one.remoteness == null ? "" : ` in ${one.remoteness}`}`)];
  byId("measures").replaceChildren(table(["measure", ...variants.map((one) => breakable(one.variant))], [starts, ...rows], "Measures"));
  const pairs = found.pairs.map((pair) => [`${pair.first} and ${pair.second}`, ...Object.values(pair.effects).map(words), many(pair.shared?.positions ?? 0), pair.shared?.positions ? percent(pair.shared.same_value / pair.shared.positions) : ""]);
  const head = ["pair", ...Object.keys(found.pairs[0]?.effects ?? {}).map((name) => EFFECTS[name] ?? name.replaceAll("_", " ")), "positions in common", "of the same value"];
  byId("pairs").replaceChildren(table(head, pairs, "How far every two differ"));
  byId("pairs-box").open = pairs.length <= MOST_PAIRS;
  byId("pairs-count").textContent = count(pairs.length, "pair");
  changes(found.pairs);
  effects(found.effects);
  byId("comparison").hidden = false;
}

// Positions that two variants have in common and that are worth something else in the other.
function changes(pairs) {
  const opens = (variant, position, said) => element("a", { href: address(variantPath("game", variant), { p: position }) }, said);
  const rows = pairs.flatMap((pair) => (pair.shared?.examples ?? []).map((one) => element("li", {},
    `${many(one.positions)} × a ${NOUNS[one.from]} in `, opens(pair.first, one.position, pair.first), `, a ${NOUNS[one.to]} in `, opens(pair.second, one.position, pair.second), `, for example ${one.position}`)));
  byId("changes").replaceChildren(...rows.slice(0, 40));
}

// What each option does, where the variants are a full grid.
function effects(found) {
  byId("effects-box").hidden = !found?.length;
  if (!found?.length) return;
  const rows = found.flatMap((measure) => measure.options.map((one) => [measure.measure, `${one.option}: ${one.from} → ${one.to}`, words(one.effect), one.share == null ? "" : percent(one.share)]));
  byId("effects").replaceChildren(table(["measure", "option", "effect", "share of the differences"], rows, "What each option does"));
}

function choose() {
  const list = byId("chosen");
  const offered = [...byId("offered").querySelectorAll("button")];
  for (const one of offered) one.addEventListener("click", () => {
    data.chosen.push(one.value);
    show();
  });
  const show = () => {
    for (const one of offered) one.parentElement.hidden = data.chosen.includes(one.value);
    byId("offered-box").hidden = offered.length > 0 && offered.every((one) => one.parentElement.hidden);
    byId("go").disabled = !data.chosen.length;
    list.replaceChildren(...data.chosen.map((name, i) => {
      const gone = element("button", { type: "button", "aria-label": `Leave out ${name}` }, `${name} ✕`);
      gone.addEventListener("click", () => {
        data.chosen.splice(i, 1);
        show();
      });
      return element("li", {}, gone);
    }));
  };
  byId("add-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId("add").value.trim();
    if (name && !data.chosen.includes(name)) data.chosen.push(name);
    byId("add").value = "";
    show();
  });
  byId("go").addEventListener("click", () => (location.href = address("/compare", { v: data.chosen })));
  show();
}

choose();
byId("waiting").hidden = data.chosen.length === 0;
if (data.chosen.length) {
  ask("/api/v1/compare", { v: data.chosen }).then(draw, (error) => {
    byId("error").textContent = error.message;
    byId("error").hidden = false;
  }).finally(() => (byId("waiting").hidden = true));
}

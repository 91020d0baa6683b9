// What is said of values, and how the page asks the server: shared by all pages.

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

export function spoken(move) {
  const some = move.remoteness == null ? VERBS[move.value] : `${VERBS[move.value]} in ${move.remoteness + 1}`;
  return move.isEstimate ? `${some} (seen by search)` : move.sure === false ? `${some}, if no board came back` : some;
}

// A variant's name that may be broken after its commas.
export function breakable(name) {
  return element("span", {}, ...name.split(/(?<=,)/).flatMap((part) => [part, element("wbr")]));
}

export const nothing = () => {};

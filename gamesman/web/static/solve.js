// A variant is solved while one watches: how far it is, how long it will take, and a button that cancels.

import { Pace } from "./pace.js";
import { address, ask, byId, count, data, element, root, variantPath } from "./words.js";

const pace = new Pace();
let running = null;

function show(solve) {
  const { progress, status } = solve;
  const isOver = ["solved", "failed", "cancelled"].includes(status);
  byId("begin").hidden = !isOver && status !== undefined;
  byId("cancel").hidden = isOver;
  byId("progress").hidden = isOver;
  const bar = byId("bar");
  if (progress?.total) {
    bar.max = progress.total;
    bar.value = Math.min(progress.done, progress.total);
  } else bar.removeAttribute("value");
  const left = progress && pace.left(progress);
  const far = progress ? `${progress.phase}${progress.done ? `: ${count(progress.done, "position")}${progress.total ? ` of ${progress.total.toLocaleString("en")}` : ""}` : ""}${left > 1 ? `, about ${Math.ceil(left)} seconds more` : ""}${progress.note ? ` (${progress.note})` : ""}` : "";
  byId("phase").textContent = status === "queued" ? "Waiting for its turn…" : isOver ? "" : far || "Starting…";
  if (status === "solved") {
    const { result } = solve;
    byId("done").replaceChildren(`Solved: ${count(result.positions, "position")}${result.status === "already solved" ? ", already before" : ` in ${result.seconds} s`}. `,
      element("a", { href: `${root}${variantPath("game", solve.variant)}`, class: "button primary" }, "Play"), " ",
      element("a", { href: `${root}${variantPath("stats", solve.variant)}`, class: "button" }, "Statistics"));
    byId("begin").hidden = true;
  } else if (status === "cancelled") byId("done").textContent = "Cancelled: what is stored of it stays, and solving goes on from there.";
  else if (status === "failed") byId("error").textContent = solve.problem?.detail ?? "It failed.";
  byId("error").hidden = status !== "failed";
}

function watch(solve) {
  running = solve;
  show(solve);
  const events = new EventSource(address(`/api/v1/solves/${solve.id}/events`));
  for (const status of ["queued", "running", "solved", "failed", "cancelled"]) {
    events.addEventListener(status, (event) => {
      const told = JSON.parse(event.data);
      show(told);
      if (["solved", "failed", "cancelled"].includes(told.status)) events.close();
    });
  }
}

function tried(act) {
  return async () => {
    byId("error").hidden = true;
    byId("done").textContent = "";
    try {
      await act();
    } catch (error) {
      byId("error").textContent = error.message;
      byId("error").hidden = false;
    }
  };
}

byId("begin").addEventListener("click", tried(async () => {
  const headers = { "content-type": "application/json" };
  watch(await ask("/api/v1/solves", {}, { method: "POST", headers, body: JSON.stringify({ variant: data.variant }) }));
}));
// What has become of it the events tell: the answer to this may come after them.
byId("cancel").addEventListener("click", tried(() => ask(`/api/v1/solves/${running.id}`, {}, { method: "DELETE" })));

// Somebody may be at it already.
ask("/api/v1/solves").then((all) => {
  const going = all.find((solve) => solve.variant === data.variant && ["queued", "running"].includes(solve.status));
  if (going) watch(going);
}, () => {});

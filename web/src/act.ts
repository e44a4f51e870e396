// What the page can do: every verb once, for buttons, keys and menus alike.

import { batch } from "@preact/signals";
import * as api from "./api";
import type { Arrangement } from "./arrange";
import * as address from "./address";
import * as host from "./host";
import type { Chart } from "./map/chart";
import { only, turn, without, type Choice } from "./scope";
import { listen, type Wire } from "./live";
import { id } from "./sheet";
import * as s from "./state";
import type { Order, Word } from "./worker";
import type { WireEvent } from "./wire";
import { nice } from "./words";
import workerUrl from "./worker.ts?worker&url";

let chart: Chart | null = null;
export const theChart = () => chart;
export const setChart = (c: Chart | null) => (chart = c);

// The page's policy lets no text become a script, but for this one address.
const policy = window.trustedTypes?.createPolicy("skill-map", { createScriptURL: (url) => (url === workerUrl ? url : "") });
const worker = new Worker((policy ? policy.createScriptURL(workerUrl) : workerUrl) as string, { type: "module", name: "map" });
const order = (o: Order) => worker.postMessage(o);

let wire: Wire | null = null;
let loading = false;
let again = false;
let fresh = true; // the next map is the first

// timings of the first picture, for the bench
export const took: Record<string, number> = {};

// begin reads the address, asks the server for all, and listens to a live one.
export function begin() {
  address.read();
  address.follow();
  load();
  void learn();
  if (host.isForge) return; // a commit does not change
  wire = listen(hear, (state, retryAt, back) => {
    s.line.value = state;
    s.retryAt.value = retryAt;
    if (back) {
      s.tellUser("The server is back.", "good");
      load();
      void learn();
    }
  });
}

// load fetches the map; a load that is asked for while one runs follows it.
export function load() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  order({ do: "load", address: host.mapAddress, scope: s.scope, arrangement: s.arrangement.value, pins: [...s.pins.value] });
}

worker.onmessage = (e: MessageEvent<Word>) => {
  const word = e.data;
  switch (word.say) {
    case "sheet":
      loading = false;
      receive(word);
      break;
    case "layout":
      batch(() => {
        s.at.value = word.layout.at;
        s.discs.value = word.layout.discs;
        s.arranging.value = word.done < 1 ? word.done : null;
      });
      chart?.place(word.layout.at, word.layout.discs, rebound);
      if (rebound) chart?.fit(null, true);
      if (word.done === 1) rebound = false;
      return;
    case "fault":
      loading = false;
      refused(word.status, word.message);
      break;
  }
  if (again) {
    again = false;
    load();
  }
};
worker.onerror = (e) => {
  e.preventDefault();
  loading = false;
  refused(0, "The page's own worker stopped. Reload the page; if it stops again, look at the browser's console.");
};

function receive(word: Extract<Word, { say: "sheet" }>) {
  Object.assign(took, word.took, { bytes: word.bytes });
  const before = s.sheet.value;
  const changed = fresh ? [] : changes(before, word.sheet);
  const draw = performance.now();
  batch(() => {
    s.sheet.value = word.sheet;
    s.at.value = word.layout.at;
    s.discs.value = word.layout.discs;
    s.fault.value = "";
    s.phase.value = word.sheet.nodes > 0 ? "ready" : s.health.value?.db === "missing" ? "missing" : "empty";
  });
  took.draw = performance.now() - draw;
  if (fresh) {
    fresh = false;
    if (word.sheet.nodes === 0) void learn();
  } else if (changed.length > 0) {
    chart?.spark(changed, s.isStill());
    const names = changed.slice(0, 3).map((k) => s.itemOf(k)?.name ?? k);
    s.spoken.value = `The map changed: ${names.join(", ")}${changed.length > 3 ? ` and ${changed.length - 3} more` : ""}.`;
  }
}

// changes lists what is new or differs.
function changes(before: typeof s.sheet.value, after: typeof s.sheet.value): string[] {
  const had = new Map(before.items.map((item) => [id(item), item]));
  const out: string[] = [];
  for (const item of after.items) {
    const old = had.get(id(item));
    if (!old) {
      if (!item.ghost) out.push(id(item));
    } else if (old.bodyHash !== item.bodyHash || old.tokens !== item.tokens || old.out !== item.out || old.in !== item.in || old.errors !== item.errors || old.warns !== item.warns || old.name !== item.name || old.about !== item.about || old.drift !== item.drift) {
      out.push(id(item));
    }
  }
  return out;
}

function refused(status: number, message: string) {
  if (s.phase.value === "ready") {
    s.tellUser(message, "bad", { label: "Try again", run: load });
    return;
  }
  batch(() => {
    s.fault.value = message;
    s.phase.value = !host.isForge && (status === 404 || s.health.value?.db === "missing") ? "missing" : "fault";
  });
}

// learn asks for what stands beside the map. Nothing of it is worth an error.
export async function learn() {
  const quietly = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch {
      // The part of the page that needs it says so.
    }
  };
  await Promise.all([
    quietly(api.health().then((v) => (s.health.value = v))),
    quietly(api.registries().then((v) => (s.registries.value = { kindRegistry: v.kindRegistry, providerRegistry: v.providerRegistry }))),
    quietly(api.lens().then((v) => (s.lens.value = v))),
    quietly(api.presence().then((v) => (s.presence.value = v))),
    quietly(api.activity().then((v) => (s.activity.value = v))),
    quietly(api.config().then((v) => (s.wantsMcp.value = v.value?.mcp?.server?.enabled === true))),
    loadJobs(),
  ]);
  if (s.phase.value === "empty" && s.health.value?.db === "missing") s.phase.value = "missing";
}

export async function loadJobs() {
  try {
    s.jobs.value = (await api.jobs()).items;
  } catch (err) {
    if (api.isAbsent(err)) s.jobs.value = "absent";
  }
}

// touched counts what happened to jobs and findings of nodes, so that an open
// inspector asks again.
function hear(e: WireEvent) {
  const d = e.data ?? {};
  if (e.type === "scan.completed") load();
  else if (e.type.startsWith("job.")) {
    void loadJobs();
    void api.presence().then((v) => (s.presence.value = v)).catch(() => {});
    s.pulse.value++;
    const word = e.type.slice(4);
    const path = typeof d.nodePath === "string" ? d.nodePath : typeof d.nodeId === "string" ? d.nodeId : undefined;
    if (word !== "callback.received") happened(`${typeof d.extensionId === "string" ? nice(d.extensionId) : "A job"} ${word}${path ? `, ${path}` : ""}`, e.timestamp, path);
    if (path) chart?.spark([path], s.isStill());
  } else if (e.type === "action.applied") {
    s.pulse.value++;
    load();
  } else if (e.type === "node.activity") busy(d, e.timestamp);
  else if (e.type === "agent.spawn") {
    happened(`${d.parentNodePath ?? "An agent"} ${d.phase === "start" ? "started" : "ended"} ${d.childName ?? d.childNodePath ?? "a helper"}`, e.timestamp, d.childNodePath);
    if (typeof d.childNodePath === "string") chart?.spark([d.childNodePath], s.isStill());
  } else if (e.type === "watcher.error") s.tellUser(`Files are not followed: ${String(d.message ?? "")}`, "bad");
  else if (e.type === "watcher.started") void api.config().then((v) => (s.wantsMcp.value = v.value?.mcp?.server?.enabled === true)).catch(() => {});
}

function happened(text: string, at: number, path?: string) {
  s.happenings.value = [{ at, text, path }, ...s.happenings.value].slice(0, 60);
}

// busy keeps what agents work on lit, until they say they are done.
function busy(d: Record<string, any>, at: number) {
  const next = new Map(s.busy.value);
  const path: unknown = d.nodePath;
  if (typeof path === "string") {
    if (d.phase === "start") {
      next.set(path, 1);
      happened(`${d.access ?? "Run"}: ${path}${d.detail ? ` (${d.detail})` : ""}`, at, path);
      chart?.spark([path], s.isStill());
      if (!d.sticky) setTimeout(() => done(path), 6000);
    } else next.delete(path);
  } else if (d.phase === "end") next.clear();
  s.busy.value = next;
}

function done(path: string) {
  if (!s.busy.value.has(path)) return;
  const next = new Map(s.busy.value);
  next.delete(path);
  s.busy.value = next;
}

export const reconnect = () => wire?.retry();

export async function rescan() {
  try {
    await api.rescan();
    s.tellUser("Scanned again.", "good");
  } catch (err) {
    s.tellUser(api.textOf(err), "bad");
  }
}

// --- the map

let rebound = false;

export function arrange(how: Arrangement, anew = false) {
  rebound = true;
  s.arrangement.value = how;
  if (anew) s.pins.value = new Map();
  s.arranging.value = 0;
  order({ do: "arrange", scope: s.scope, arrangement: how, anew, pins: [...s.pins.value] });
}

export function pin(key: string, x: number, y: number) {
  s.pins.value = new Map(s.pins.value).set(key, [x, y]);
  relayout([]);
}

export function togglePin(key: string) {
  const next = new Map(s.pins.value);
  if (next.has(key)) {
    // Where it lies becomes its place, so that letting go moves nothing.
    const at = next.get(key)!;
    next.delete(key);
    s.pins.value = next;
    relayout([[key, at]]);
    s.tellUser("Unpinned.");
    return;
  }
  const i = s.index.value.get(key);
  if (i === undefined) return;
  next.set(key, [s.at.value[2 * i], s.at.value[2 * i + 1]]);
  s.pins.value = next;
  relayout([]);
  s.tellUser("Pinned where it is. Rearranging will not move it.");
}

function relayout(places: [string, [number, number]][]) {
  order({ do: "move", scope: s.scope, arrangement: s.arrangement.value, places, pins: [...s.pins.value] });
}

export function choose(key: string | null, open = true) {
  s.select(key, open);
  if (key === null) return;
  const item = s.itemOf(key);
  if (!item) return;
  s.spoken.value = item.ghost
    ? `${item.name}, named by ${item.in} and missing`
    : `${item.kind} ${item.name}, ${item.tokens} tokens, ${item.in} links in, ${item.out} out${item.errors + item.warns ? `, ${item.errors} errors, ${item.warns} warnings` : ""}`;
}

// reveal chooses a node and brings it into view, whatever hides it.
export function reveal(key: string) {
  const i = s.index.value.get(key);
  if (i === undefined) {
    s.tellUser("That is not on the map.", "bad");
    return;
  }
  batch(() => {
    s.view.value = "map";
    if (!s.shown.value[i]) {
      const item = s.sheet.value.items[i];
      s.overrides.value = turn(s.overrides.value, item.path, "include");
      if (!s.passes(s.filters.value, item)) s.filters.value = s.noFilters;
    }
    if (s.lit.value && !s.lit.value[i]) {
      s.focus.value = null;
      s.ends.value = null;
      if (s.found.value && !s.found.value.all[i]) s.query.value = "";
    }
  });
  choose(key);
  chart?.goTo(key, s.isStill());
}

export function toggle(path: string, choice: Choice) {
  s.overrides.value = turn(s.overrides.value, path, choice);
}

export function hide(keys: Iterable<string>) {
  const paths = [...keys].map((k) => s.itemOf(k)).filter((item) => item && !item.ghost).map((item) => item!.path);
  if (paths.length === 0) return;
  const before = s.overrides.value;
  batch(() => {
    s.overrides.value = without(before, paths);
    s.select(null);
  });
  s.tellUser(paths.length === 1 ? "Hidden." : `${paths.length} hidden.`, "plain", { label: "Undo", run: () => (s.overrides.value = before) });
}

export function isolate(keys: Iterable<string>) {
  const paths = [...keys].map((k) => s.itemOf(k)?.path ?? k);
  const before = s.overrides.value;
  s.overrides.value = only(paths);
  requestAnimationFrame(() => chart?.fit(null, s.isStill()));
  s.tellUser("Only these are shown.", "plain", { label: "Undo", run: () => (s.overrides.value = before) });
}

export function showAll() {
  batch(() => {
    s.overrides.value = new Map();
    s.filters.value = s.noFilters;
    s.query.value = "";
    s.focus.value = null;
    s.ends.value = null;
  });
}

export function focusOn(key: string, depth = 1) {
  batch(() => {
    s.ends.value = null;
    s.focus.value = { on: key, depth, direction: s.focus.value?.direction ?? "both" };
    s.view.value = "map";
  });
  frameLit();
}

export function deepen(by: number) {
  const f = s.focus.value;
  if (!f) return;
  s.focus.value = { ...f, depth: Math.min(6, Math.max(1, f.depth + by)) };
  frameLit();
}

export function frameLit() {
  requestAnimationFrame(() => {
    const lit = s.lit.value;
    if (!lit) return;
    const which: number[] = [];
    for (let i = 0; i < lit.length; i++) if (lit[i] && s.shown.value[i]) which.push(i);
    if (which.length > 0) chart?.fit(which, s.isStill());
  });
}

// startPath waits for the other end.
export function startPath(from: string | null) {
  batch(() => {
    s.tool.value = "path";
    s.pathFrom.value = from;
    s.ends.value = null;
    s.view.value = "map";
    if (s.narrow.value) s.sheetlet.value = null;
  });
}

export function endPath(to: string) {
  const from = s.pathFrom.value;
  if (from === null) {
    s.pathFrom.value = to;
    return;
  }
  if (from === to) return;
  batch(() => {
    s.select(null);
    s.ends.value = { from, to };
    s.focus.value = null;
    s.tool.value = "move";
    s.pathFrom.value = null;
  });
  const w = s.way.value;
  if (w === "none" || w === null) s.spoken.value = "No way leads from one to the other.";
  else {
    s.spoken.value = `A way of ${w.items.length - 1} steps.`;
    frameLit();
  }
}

// back undoes the nearest mode: a tool, a path, a focus, a selection.
export function back() {
  if (s.tool.value !== "move") {
    s.tool.value = "move";
    s.pathFrom.value = null;
  } else if (s.ends.value) s.ends.value = null;
  else if (s.focus.value) s.focus.value = null;
  else if (s.marked.value.size > 0) s.marked.value = new Set();
  else if (s.selected.value !== null || s.strand.value) s.select(null);
  else if (s.query.value) s.query.value = "";
}

export async function copy(text: string, what: string) {
  try {
    await navigator.clipboard.writeText(text);
    s.tellUser(`${what} copied.`, "good");
  } catch {
    s.tellUser("The browser does not allow copying here.", "bad");
  }
}

export function copyLink() {
  const eye = chart && s.view.value === "map" ? chart.eye : null;
  void copy(location.origin + location.pathname + address.write(eye), "Link to this view");
}

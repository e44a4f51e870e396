// The state of the page, in one place: signals that are set, and values that
// follow from them. Nothing here draws or fetches.

import { batch, computed, effect, signal } from "@preact/signals";
import type { Arrangement, Disc } from "./arrange";
import { isEmpty, parse, search } from "./find";
import { admits, everything, type Overrides } from "./scope";
import { id, linkKinds, nothing, worst, type Item, type Sheet } from "./sheet";
import * as host from "./host";
import { keep, recall } from "./shelf";
import { near, route, webOf, type Direction, type Route } from "./trace";
import type { ActivitySummary, Health, Job, LensInfo, McpStatus, Presence, Registries, Severity } from "./wire";

// --- what the server said

export type Phase = "loading" | "ready" | "empty" | "missing" | "fault";
export const phase = signal<Phase>("loading");
export const fault = signal("");
export const sheet = signal<Sheet>(nothing);
export const at = signal<Float32Array>(new Float32Array());
export const discs = signal<Disc[]>([]);
export const arranging = signal<number | null>(null); // share done, null when still
export const registries = signal<Registries>({ kindRegistry: {}, providerRegistry: {} });
export const health = signal<Health | null>(null);
export const lens = signal<LensInfo | null>(null);
export const mcp = signal<McpStatus | null>(null);
export const wantsMcp = signal<boolean | null>(null); // as the settings have it
export const presence = signal<Presence | null>(null);
export const activity = signal<ActivitySummary | null>(null);

// jobs is null until asked for, and "absent" on a server without a queue.
export const jobs = signal<Job[] | null | "absent">(null);

export interface Happening {
  at: number;
  text: string;
  path?: string;
}
export const happenings = signal<Happening[]>([]);

// pulse counts what happened to jobs and findings, so that an open panel asks
// again.
export const pulse = signal(0);
// busy is what agents work on, by path.
export const busy = signal<ReadonlyMap<string, number>>(new Map());

export type Line = "connecting" | "live" | "lost";
export const line = signal<Line>("connecting");
export const retryAt = signal(0);

export const scope = host.scope;

// --- what the person chose

export type Theme = "system" | "light" | "dark";
// On a forge its pages say which; here somebody chooses.
export const theme = signal<Theme>(host.isForge ? ((host.theme || "system") as Theme) : recall<Theme>("theme", "system"));
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemDark = signal(dark.matches);
dark.addEventListener("change", () => (systemDark.value = dark.matches));
export const isDark = computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark"));
effect(() => {
  if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme.value);
  if (!host.isForge) keep("theme", theme.value);
});
const still = matchMedia("(prefers-reduced-motion: reduce)");
export const isStill = () => still.matches;

export type View = "map" | "health";
export const view = signal<View>("map");
export type Drawer = "jobs" | "start" | null;
export const drawer = signal<Drawer>(null);
export const narrow = signal(matchMedia("(max-width: 820px)").matches);
matchMedia("(max-width: 820px)").addEventListener("change", (e) => (narrow.value = e.matches));
// Inside another page there is less room: the sides come when they are asked for.
export const leftOpen = signal(!host.isFramed && recall("left", true) && !narrow.value);
export const rightOpen = signal(!host.isFramed && recall("right", true) && !narrow.value);
export type Sheetlet = "files" | "details" | null; // the one panel of a narrow page
export const sheetlet = signal<Sheetlet>(null);

export const arrangement = signal<Arrangement>(recall<Arrangement>("arrangement:" + scope, "folders"));
export const overrides = signal<Overrides>(everything);
export const pins = signal<ReadonlyMap<string, [number, number]>>(new Map(recall<[string, [number, number]][]>("pins:" + scope, [])));
effect(() => keep("pins:" + scope, [...pins.value]));
effect(() => keep("arrangement:" + scope, arrangement.value));

export type Only = "all" | "unreferenced" | "orphan" | "broken" | "drifted";
export interface Filters {
  hiddenKinds: ReadonlySet<string>;
  hiddenProviders: ReadonlySet<string>;
  hiddenLinks: ReadonlySet<string>; // link kinds, and "broken"
  severity: Severity | "any" | ""; // at least
  only: Only;
}
export const noFilters: Filters = { hiddenKinds: new Set(), hiddenProviders: new Set(), hiddenLinks: new Set(), severity: "", only: "all" };
export const filters = signal<Filters>(noFilters);

export const query = signal("");
export const selected = signal<string | null>(null); // an id
export const marked = signal<ReadonlySet<string>>(new Set()); // several
export const strand = signal<{ source: string; target: string } | null>(null); // a link

export interface Focus {
  on: string;
  depth: number;
  direction: Direction;
}
export const focus = signal<Focus | null>(null);
export const ends = signal<{ from: string; to: string } | null>(null); // of a path
export type Tool = "move" | "lasso" | "path";
export const tool = signal<Tool>("move");
export const pathFrom = signal<string | null>(null); // while the other end is chosen

// --- what follows

export const index = computed(() => {
  const found = new Map<string, number>();
  sheet.value.items.forEach((item, i) => found.set(id(item), i));
  return found;
});
export const web = computed(() => webOf(sheet.value.lines, sheet.value.items.length));

export const selectedItem = computed<Item | null>(() => {
  const i = selected.value === null ? undefined : index.value.get(selected.value);
  return i === undefined ? null : sheet.value.items[i];
});

// shown says which items are on the map. A ghost is there as long as somebody
// shown names it.
export const shown = computed(() => {
  const { items, nodes, lines } = sheet.value;
  const f = filters.value;
  const o = overrides.value;
  const mask = new Uint8Array(items.length);
  for (let i = 0; i < nodes; i++) if (admits(o, items[i].path) && passes(f, items[i])) mask[i] = 1;
  if (!f.hiddenKinds.has("ghost")) {
    for (let i = 0; i < lines.source.length; i++) {
      const to = lines.target[i];
      if (to >= nodes && mask[lines.source[i]] && linkPasses(f, lines.kind[i], lines.broken[i])) mask[to] = 1;
    }
  }
  return mask;
});

export function passes(f: Filters, item: Item): boolean {
  if (f.hiddenKinds.has(item.kind) || f.hiddenProviders.has(item.provider)) return false;
  switch (f.severity) {
    case "error":
      if (!item.errors) return false;
      break;
    case "warn":
      if (!item.errors && !item.warns) return false;
      break;
    case "info":
    case "any":
      if (!worst(item)) return false;
  }
  switch (f.only) {
    case "unreferenced":
      return item.in === 0;
    case "orphan":
      return item.in === 0 && item.out === 0;
    case "broken":
      return item.broken > 0;
    case "drifted":
      return item.drift !== "" && item.drift !== "fresh";
  }
  return true;
}

export function linkPasses(f: Filters, kind: number, broken: number): boolean {
  return !f.hiddenLinks.has(broken ? "broken" : linkKinds[kind]);
}

export const shownCount = computed(() => {
  let n = 0;
  for (let i = 0; i < sheet.value.nodes; i++) n += shown.value[i];
  return n;
});

export const isFiltered = computed(() => {
  const f = filters.value;
  return f.hiddenKinds.size + f.hiddenProviders.size + f.hiddenLinks.size > 0 || f.severity !== "" || f.only !== "all";
});

export const found = computed(() => {
  const q = parse(query.value);
  return isEmpty(q) ? null : search(q, sheet.value.items, 60);
});

export const neighbourhood = computed(() => {
  const f = focus.value;
  const start = f && index.value.get(f.on);
  if (!f || start === undefined || start === null) return null;
  const mask = shown.value;
  return near(sheet.value.lines, web.value, start, f.depth, f.direction, (i) => mask[i] === 1);
});

export const way = computed<Route | "none" | null>(() => {
  const e = ends.value;
  if (!e) return null;
  const from = index.value.get(e.from);
  const to = index.value.get(e.to);
  if (from === undefined || to === undefined) return "none";
  return route(sheet.value.lines, web.value, from, to, () => true) ?? "none";
});

// lit is what stands out; null when all do. A path outweighs a focus, a focus
// a search.
export const lit = computed<Uint8Array | null>(() => {
  const n = sheet.value.items.length;
  const w = way.value;
  if (w && w !== "none") {
    const mask = new Uint8Array(n);
    for (const i of w.items) mask[i] = 1;
    return mask;
  }
  if (neighbourhood.value) {
    const mask = new Uint8Array(n);
    for (const i of neighbourhood.value.keys()) mask[i] = 1;
    return mask;
  }
  return found.value?.all ?? null;
});

export const kinds = computed(() => {
  const count = new Map<string, number>();
  for (let i = 0; i < sheet.value.nodes; i++) {
    const k = sheet.value.items[i].kind;
    count.set(k, (count.get(k) ?? 0) + 1);
  }
  return [...count].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
});

export const providers = computed(() => {
  const count = new Map<string, number>();
  for (let i = 0; i < sheet.value.nodes; i++) {
    const p = sheet.value.items[i].provider;
    count.set(p, (count.get(p) ?? 0) + 1);
  }
  return [...count].sort((a, b) => b[1] - a[1]);
});

export const totals = computed(() => {
  let errors = 0;
  let warns = 0;
  let infos = 0;
  for (const p of sheet.value.problems) {
    if (p.severity === "error") errors++;
    else if (p.severity === "warn") warns++;
    else infos++;
  }
  let tokens = 0;
  for (let i = 0; i < sheet.value.nodes; i++) tokens += sheet.value.items[i].tokens;
  return { errors, warns, infos, tokens };
});

export const liveJobs = computed(() => (Array.isArray(jobs.value) ? jobs.value.filter((j) => j.status === "queued" || j.status === "running").length : 0));

// scene changes with everything that changes how the map looks.
export const scene = computed(() => [
  shown.value, lit.value, way.value, selected.value, strand.value, marked.value, pins.value, filters.value, busy.value, isDark.value, registries.value,
]);

// needsRestart: the settings want something else than what runs. A server that
// was started with MCP by a flag wants nothing, until the setting itself moves.
const wantedMcp = signal<boolean | null>(null);
effect(() => {
  if (wantedMcp.peek() === null && wantsMcp.value !== null) wantedMcp.value = wantsMcp.value;
});
export const needsRestart = computed(() => {
  if (health.value === null || wantsMcp.value === null || wantsMcp.value === health.value.mcp) return false;
  return wantsMcp.value || wantedMcp.value === true;
});

// --- small moves

export function select(which: string | null, open = true) {
  batch(() => {
    selected.value = which;
    strand.value = null;
    if (marked.value.size > 0) marked.value = new Set();
    if (which !== null && open) {
      if (narrow.value) sheetlet.value = "details";
      else rightOpen.value = true;
    }
  });
}

export function mark(which: Iterable<string>) {
  batch(() => {
    marked.value = new Set(which);
    strand.value = null;
    if (marked.value.size > 0) {
      selected.value = null;
      if (narrow.value) sheetlet.value = "details";
      else rightOpen.value = true;
    }
  });
}

export function itemOf(which: string): Item | undefined {
  const i = index.value.get(which);
  return i === undefined ? undefined : sheet.value.items[i];
}

// notes are short sentences that come and go.
export interface Note {
  n: number;
  text: string;
  tone: "plain" | "good" | "bad";
  act?: { label: string; run: () => void };
}
export const notes = signal<Note[]>([]);
let counter = 0;
export function tellUser(text: string, tone: Note["tone"] = "plain", act?: Note["act"]) {
  const n = ++counter;
  notes.value = [...notes.value.slice(-3), { n, text, tone, act }];
  setTimeout(() => dropNote(n), tone === "bad" ? 9000 : 5000);
}
export function dropNote(n: number) {
  notes.value = notes.value.filter((note) => note.n !== n);
}

// spoken is what a screen reader is told of the map.
export const spoken = signal("");

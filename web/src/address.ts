// The address says what is looked at, so that a link shows another person the
// same: the view, the selection, the filters, where the map stands.

import { batch, effect } from "@preact/signals";
import type { Arrangement } from "./arrange";
import type { Choice } from "./scope";
import * as s from "./state";
import type { Direction } from "./trace";

export interface Eye {
  x: number;
  y: number;
  scale: number; // pixels of the page to one of the map
}

// eye is where the map was looked at when the page opened, null for the whole.
export let eye: Eye | null = null;

export function read() {
  const q = new URLSearchParams(location.hash.slice(1));
  batch(() => {
    s.view.value = q.get("view") === "health" ? "health" : "map";
    s.query.value = q.get("q") ?? "";
    s.filters.value = {
      hiddenKinds: set(q.get("nokinds")),
      hiddenProviders: set(q.get("noproviders")),
      hiddenLinks: set(q.get("nolinks")),
      severity: oneOf(q.get("severity"), ["error", "warn", "info", "any"], ""),
      only: oneOf(q.get("only"), ["unreferenced", "orphan", "broken", "drifted"], "all"),
    };
    s.overrides.value = new Map(q.getAll("scope").map(choice));
    const on = q.get("focus");
    s.focus.value = on ? { on, depth: clamp(Number(q.get("depth")) || 1, 1, 6), direction: oneOf<Direction>(q.get("way"), ["both", "in", "out"], "both") } : null;
    const from = q.get("from");
    const to = q.get("to");
    s.ends.value = from && to ? { from, to } : null;
    if (q.has("by")) s.arrangement.value = oneOf<Arrangement>(q.get("by"), ["folders", "links"], "folders");
    const drawer = q.get("panel");
    s.drawer.value = drawer === "jobs" || drawer === "start" ? drawer : null;
  });
  const at = q.get("at")?.split(",").map(Number);
  eye = at?.length === 3 && at.every(Number.isFinite) && at[2] > 0 ? { x: at[0], y: at[1], scale: at[2] } : null;
  if (!q.has("node") && s.sheetlet.value === "details") s.sheetlet.value = null;
  s.select(q.get("node"), q.has("node"));
}

// write is the state as a fragment, without what is as usual.
export function write(withEye: Eye | null): string {
  const q = new URLSearchParams();
  const put = (name: string, value: string) => value && q.set(name, value);
  if (s.view.value === "health") q.set("view", "health");
  put("node", s.selected.value ?? "");
  put("q", s.query.value);
  const f = s.filters.value;
  put("nokinds", [...f.hiddenKinds].sort().join(","));
  put("noproviders", [...f.hiddenProviders].sort().join(","));
  put("nolinks", [...f.hiddenLinks].sort().join(","));
  put("severity", f.severity);
  put("only", f.only === "all" ? "" : f.only);
  for (const [path, choice] of s.overrides.value) q.append("scope", (choice === "include" ? "+" : "-") + path);
  if (s.focus.value) {
    q.set("focus", s.focus.value.on);
    q.set("depth", String(s.focus.value.depth));
    put("way", s.focus.value.direction === "both" ? "" : s.focus.value.direction);
  }
  if (s.ends.value) {
    q.set("from", s.ends.value.from);
    q.set("to", s.ends.value.to);
  }
  if (s.arrangement.value !== "folders") q.set("by", s.arrangement.value);
  if (s.drawer.value) q.set("panel", s.drawer.value);
  if (withEye) q.set("at", `${Math.round(withEye.x)},${Math.round(withEye.y)},${withEye.scale.toFixed(3)}`);
  const text = q.toString();
  return text ? "#" + text : "";
}

// follow keeps the address as the state is. A step in the history is a
// selection or a view; the rest is written over.
export function follow() {
  let last = "";
  let step = "";
  let reading = false; // the state follows the address, not the other way round
  effect(() => {
    const text = write(null);
    const now = `${s.view.value} ${s.selected.value ?? ""} ${s.focus.value?.on ?? ""}`;
    if (reading) step = now;
    if (reading || text === last) return;
    const url = location.pathname + location.search + text;
    if (last !== "" && now !== step) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
    last = text || " ";
    step = now;
  });
  window.addEventListener("popstate", () => {
    reading = true;
    read();
    reading = false;
    last = write(null) || " ";
  });
}

function choice(text: string): [string, Choice] {
  return [text.slice(1), text[0] === "-" ? "exclude" : "include"];
}

function set(text: string | null): ReadonlySet<string> {
  return new Set(text ? text.split(",").filter(Boolean) : []);
}

function oneOf<T extends string>(text: string | null, allowed: readonly T[], usual: T | ""): T {
  return allowed.includes(text as T) ? (text as T) : (usual as T);
}

function clamp(n: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.round(n)));
}

// Saved views: what is shown and what is pinned, under a name. They are kept in
// the project where the server takes them, else in this browser, and the panel
// says which.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as act from "./act";
import * as api from "./api";
import type { Choice } from "./scope";
import { keep, recall } from "./shelf";
import * as s from "./state";
import { Blank, Button, Icon } from "./ui";
import { plural } from "./words";
import type { MapView } from "./wire";

interface Saved {
  slug: string;
  view: MapView;
  here: boolean; // only in this browser
}

const views = signal<Saved[]>([]);
const skipped = signal<{ slug: string; reason: string }[]>([]);
const current = signal<string | null>(null);
const inProject = signal<boolean | null>(null); // whether the server takes views; null until tried

const shelf = () => "views:" + s.scope;

async function load() {
  const here = recall<{ slug: string; view: MapView }[]>(shelf(), []).map((v) => ({ ...v, here: true }));
  try {
    const got = await api.mapViews();
    skipped.value = got.skipped;
    views.value = order([...got.views.filter((v) => isView(v.view)).map((v) => ({ ...v, here: false })), ...here]);
  } catch {
    views.value = order(here);
  }
}

function isView(v: unknown): v is MapView {
  const view = v as MapView;
  return typeof view === "object" && view !== null && typeof view.name === "string" && Array.isArray(view.overrides) && typeof view.pins === "object" && view.pins !== null;
}

function order(list: Saved[]): Saved[] {
  return list.sort((a, b) => (a.view.order ?? 999) - (b.view.order ?? 999) || (a.view.name < b.view.name ? -1 : 1));
}

function slugOf(name: string): string {
  const base = name.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).replace(/-+$/, "") || "view";
  let slug = base;
  for (let n = 2; views.value.some((v) => v.slug === slug); n++) slug = `${base}-${n}`;
  return slug;
}

function viewNow(name: string): MapView {
  const pins: MapView["pins"] = {};
  for (const [path, [x, y]] of [...s.pins.value].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    if (!path.startsWith("\u0000")) pins[path] = { x: Math.round(x), y: Math.round(y) };
  }
  return { schemaVersion: 1, kind: "map-view", name, order: views.value.length + 1, overrides: [...s.overrides.value].map(([p, c]) => [p, c]), pins };
}

async function save(slug: string, view: MapView) {
  try {
    await api.saveView(slug, view);
    inProject.value = true;
  } catch (err) {
    if (!api.isAbsent(err)) {
      s.tellUser(api.textOf(err), "bad");
      return;
    }
    inProject.value = false;
    const here = recall<{ slug: string; view: MapView }[]>(shelf(), []).filter((v) => v.slug !== slug);
    keep(shelf(), [...here, { slug, view }]);
  }
  current.value = slug;
  await load();
  s.tellUser(inProject.value ? "View saved in the project." : "View saved in this browser.", "good");
}

async function drop(v: Saved) {
  try {
    if (v.here) {
      keep(
        shelf(),
        recall<{ slug: string }[]>(shelf(), []).filter((other) => other.slug !== v.slug),
      );
    } else await api.deleteView(v.slug);
    if (current.value === v.slug) current.value = null;
    await load();
  } catch (err) {
    s.tellUser(api.isAbsent(err) ? "This server cannot delete views. Remove the file in .skill-map/views." : api.textOf(err), "bad");
  }
}

export function open(v: Saved) {
  s.overrides.value = new Map(v.view.overrides.filter((o) => Array.isArray(o) && o.length === 2 && (o[1] === "include" || o[1] === "exclude")) as [string, Choice][]);
  s.pins.value = new Map(
    Object.entries(v.view.pins)
      .filter(([, p]) => Number.isFinite(p?.x) && Number.isFinite(p?.y))
      .map(([path, p]) => [path, [p.x, p.y]]),
  );
  current.value = v.slug;
  act.arrange(s.arrangement.value);
}

// openNth is for the digits of the keyboard.
export function openNth(n: number) {
  const v = views.value[n - 1];
  if (v) open(v);
}

// lost counts what a view speaks of and the map no longer has.
function lost(view: MapView): number {
  const known = s.index.value;
  const has = (path: string) => path === "" || known.has(path) || s.sheet.value.items.some((item) => item.path.startsWith(path + "/"));
  return view.overrides.filter(([path]) => !has(path)).length + Object.keys(view.pins).filter((path) => !known.has(path)).length;
}

export function Views() {
  const name = useSignal("");
  useEffect(() => void load(), []);
  const changed = s.overrides.value.size > 0 || s.pins.value.size > 0;
  return (
    <div class="views">
      <form
        class="views-new"
        onSubmit={(e) => {
          e.preventDefault();
          const text = name.value.trim();
          if (!text) return;
          name.value = "";
          void save(slugOf(text), viewNow(text.slice(0, 80)));
        }}
      >
        <label for="view-name">Save what is shown and pinned now</label>
        <div class="with-button">
          <input id="view-name" type="text" maxLength={80} placeholder="Name of the view" value={name.value} onInput={(e) => (name.value = (e.currentTarget as HTMLInputElement).value)} />
          <Button tone="main" disabled={!name.value.trim()} onClick={(e) => (e.currentTarget as HTMLButtonElement).form?.requestSubmit()}>
            Save
          </Button>
        </div>
        {!changed && <p class="hint">Everything is shown and nothing is pinned. Hide folders with the eye in Files, or drag nodes, first.</p>}
      </form>
      {views.value.length === 0 ? (
        <Blank icon="bookmark" title="No views yet">
          <p>A view remembers which folders are shown and where you put things. The digits 1 to 9 open the first ones.</p>
        </Blank>
      ) : (
        <ul class="views-list">
          {views.value.map((v, k) => {
            const gone = lost(v.view);
            return (
              <li key={v.slug + v.here} class={current.value === v.slug ? "is-current" : ""}>
                <button type="button" class="views-open" onClick={() => open(v)}>
                  <span class="views-name">{v.view.name}</span>
                  <span class="views-about">
                    {plural(v.view.overrides.length, "choice")}, {plural(Object.keys(v.view.pins).length, "pin")}
                    {gone > 0 && `, ${gone} no longer there`}
                    {v.here && " · this browser"}
                  </span>
                </button>
                {k < 9 && <kbd>{k + 1}</kbd>}
                <Button icon="refresh" label={`Save what is shown now as ${v.view.name}`} tone="quiet" small onClick={() => void save(v.slug, { ...viewNow(v.view.name), order: v.view.order })} />
                <Button icon="trash" label={`Delete ${v.view.name}`} tone="quiet" small onClick={() => void drop(v)} />
              </li>
            );
          })}
        </ul>
      )}
      {(inProject.value === false || views.value.some((v) => v.here)) && (
        <p class="absent">
          <Icon name="info" />
          <span>This server does not store views, so yours are kept in this browser only.</span>
        </p>
      )}
      {skipped.value.length > 0 && (
        <p class="hint">
          Not read: {skipped.value.map((v) => `${v.slug} (${v.reason})`).join(", ")}
        </p>
      )}
    </div>
  );
}

// The page's second thread: fetches the map, packs it and finds places for it.

import { byFolder, byLink, discsOf, settle, type Arrangement, type Disc, type Places } from "./arrange";
import { id, sheetOf, type Sheet } from "./sheet";
import { readPlaces, writePlaces } from "./shelf";
import type { ScanResult } from "./wire";

export type Order =
  | { do: "load"; address: string; scope: string; arrangement: Arrangement; pins: [string, [number, number]][] }
  | { do: "arrange"; scope: string; arrangement: Arrangement; anew: boolean; pins: [string, [number, number]][] }
  | { do: "move"; scope: string; arrangement: Arrangement; places: [string, [number, number]][]; pins: [string, [number, number]][] };

export interface Layout {
  at: Float32Array; // x and y of each item
  discs: Disc[];
}

export type Word =
  | { say: "sheet"; sheet: Sheet; layout: Layout; took: { fetch: number; pack: number; place: number }; bytes: number }
  | { say: "layout"; layout: Layout; done: number }
  | { say: "fault"; message: string; status: number };

let sheet: Sheet | null = null;
let places: Places = new Map();
let arranged: Arrangement = "folders";

const tell = (word: Word, moved: Transferable[] = []) => (self as unknown as Worker).postMessage(word, moved);
const keyOf = (scope: string, arrangement: Arrangement) => scope + "\n" + arrangement;

self.onmessage = async (e: MessageEvent<Order>) => {
  const order = e.data;
  try {
    if (order.do === "load") await load(order);
    else if (order.do === "arrange") await arrange(order);
    else await move(order);
  } catch (err) {
    tell({ say: "fault", message: err instanceof Error ? err.message : String(err), status: 0 });
  }
};

async function load(order: Extract<Order, { do: "load" }>) {
  const start = performance.now();
  const answer = await fetch(order.address);
  const body = await answer.text();
  if (!answer.ok) {
    let message = `The server answered ${answer.status}.`;
    try {
      message = JSON.parse(body).error.message;
    } catch {
      // The status says enough.
    }
    tell({ say: "fault", message, status: answer.status });
    return;
  }
  const fetched = performance.now();
  const next = sheetOf(JSON.parse(body) as ScanResult);
  const packed = performance.now();
  const first = sheet === null;
  sheet = next;
  if (first || arranged !== order.arrangement) {
    arranged = order.arrangement;
    places = await readPlaces(keyOf(order.scope, arranged));
  }
  const known = next.items.some((item) => places.has(id(item)));
  if (!known) {
    places = byFolder(next);
    if (arranged === "links") places = byLink(next, () => {});
    void writePlaces(keyOf(order.scope, arranged), places);
  } else {
    const settled = settle(next, places);
    // What went away keeps its place for a while: a branch switched back finds
    // its map as it was.
    if (settled.fresh > 0) {
      places = new Map([...places, ...settled.places]);
      void writePlaces(keyOf(order.scope, arranged), places);
    }
  }
  const layout = layoutOf(next, places, new Map(order.pins));
  tell({ say: "sheet", sheet: next, layout, took: { fetch: fetched - start, pack: packed - fetched, place: performance.now() - packed }, bytes: body.length });
}

async function arrange(order: Extract<Order, { do: "arrange" }>) {
  if (!sheet) return;
  const now = sheet;
  const pins = new Map(order.pins);
  arranged = order.arrangement;
  places = order.anew ? new Map() : await readPlaces(keyOf(order.scope, arranged));
  if (now.items.some((item) => places.has(id(item)))) places = new Map([...places, ...settle(now, places).places]);
  else if (arranged === "folders") places = byFolder(now);
  else places = byLink(now, (p, done) => tell({ say: "layout", layout: layoutOf(now, p, pins), done }));
  void writePlaces(keyOf(order.scope, arranged), places);
  tell({ say: "layout", layout: layoutOf(now, places, pins), done: 1 });
}

async function move(order: Extract<Order, { do: "move" }>) {
  if (!sheet) return;
  for (const [path, at] of order.places) places.set(path, at);
  await writePlaces(keyOf(order.scope, order.arrangement), places);
  tell({ say: "layout", layout: layoutOf(sheet, places, new Map(order.pins)), done: 1 });
}

// layoutOf is the places as numbers, pins over all.
function layoutOf(s: Sheet, from: Places, pins: Places): Layout {
  const at = new Float32Array(s.items.length * 2);
  s.items.forEach((item, i) => at.set(pins.get(id(item)) ?? from.get(id(item)) ?? [0, 0], 2 * i));
  const discs = arranged === "folders" ? discsOf(s, from, (item) => pins.has(id(item))) : [];
  return { at, discs };
}

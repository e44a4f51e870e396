// Where things lie. Two arrangements: by folder, where each folder is a disc
// with its files in a honeycomb and its subfolders packed around them; and by
// link, where what speaks of each other draws together. Both give the same
// picture for the same map, and what is placed stays where it is: a new file
// takes a free place near its folder.
//
// Unit of length is the pixel at which cards are drawn, so a cell is as wide as
// a card.

import { packEnclose, packSiblings } from "d3-hierarchy";
import iterate from "graphology-layout-forceatlas2/iterate.js";
import { id, type Item, type Lines, type Sheet } from "./sheet";

export type Arrangement = "folders" | "links";

// cell is half the distance between neighbours.
export const cell = 96;

export type Places = Map<string, [number, number]>;

// Disc is the ground of one folder.
export interface Disc {
  path: string;
  name: string;
  x: number;
  y: number;
  r: number;
  depth: number;
  count: number;
}

interface Folder {
  path: string;
  name: string;
  leaves: number[];
  children: Folder[];
  size: number;
}

// segments of a path; the scheme of a virtual node is its folder.
export function segments(path: string): string[] {
  const scheme = path.indexOf("://");
  return scheme < 0 ? path.split("/") : [path.slice(0, scheme + 2), path.slice(scheme + 3)];
}

// forest is the folders of a map. A folder that holds one thing is not worth a
// ground of its own, and one that holds one folder is one with it.
function forest(sheet: Sheet): Folder {
  const root: Folder = { path: "", name: "", leaves: [], children: [], size: 0 };
  const known = new Map<string, Folder>([["", root]]);
  const folderOf = (path: string): Folder => {
    const parts = segments(path);
    let at = root;
    let name = "";
    for (const part of parts.slice(0, -1)) {
      name = name ? name + "/" + part : part;
      let next = known.get(name);
      if (!next) {
        next = { path: name, name: part, leaves: [], children: [], size: 0 };
        known.set(name, next);
        at.children.push(next);
      }
      at = next;
    }
    return at;
  };
  for (let i = 0; i < sheet.nodes; i++) folderOf(sheet.items[i].path).leaves.push(i);
  const owner = ghostOwners(sheet);
  for (let i = sheet.nodes; i < sheet.items.length; i++) {
    folderOf(owner[i] === undefined ? "" : sheet.items[owner[i]].path).leaves.push(i);
  }
  count(root);
  return simplify(root, true);
}

// ghostOwners says which item first names each ghost.
function ghostOwners(sheet: Sheet): number[] {
  const owner: number[] = [];
  for (let i = 0; i < sheet.lines.source.length; i++) {
    const to = sheet.lines.target[i];
    if (to >= sheet.nodes && owner[to] === undefined) owner[to] = sheet.lines.source[i];
  }
  return owner;
}

function count(f: Folder): number {
  f.size = f.leaves.length;
  for (const c of f.children) f.size += count(c);
  return f.size;
}

function simplify(f: Folder, isRoot: boolean): Folder {
  const children: Folder[] = [];
  for (const c of f.children) {
    const s = simplify(c, false);
    if (s.size === 1) f.leaves.push(...leavesOf(s));
    else children.push(s);
  }
  f.children = children.sort((a, b) => (a.path < b.path ? -1 : 1));
  f.leaves.sort((a, b) => a - b);
  if (!isRoot && f.leaves.length === 0 && children.length === 1) {
    return { ...children[0], name: f.name + "/" + children[0].name };
  }
  return f;
}

function leavesOf(f: Folder): number[] {
  return f.children.reduce((all, c) => all.concat(leavesOf(c)), f.leaves.slice());
}

// honeycomb gives n places around the middle, nearest first, so that any number
// of them fills a disc.
export function honeycomb(n: number): [number, number][] {
  const d = 2 * cell;
  const reach = Math.ceil(Math.sqrt(n / 2.6)) + 2;
  const places: { x: number; y: number; far: number; turn: number }[] = [];
  for (let row = -reach; row <= reach; row++) {
    for (let col = -reach; col <= reach; col++) {
      const x = (col + (row & 1) / 2) * d;
      const y = (row * d * Math.sqrt(3)) / 2;
      places.push({ x, y, far: Math.round(Math.hypot(x, y)), turn: Math.atan2(y, x) });
    }
  }
  places.sort((a, b) => a.far - b.far || a.turn - b.turn);
  return places.slice(0, n).map((p) => [p.x, p.y]);
}

interface Packed {
  r: number;
  at: [number, number, number][]; // item, x, y, from the middle
}

// byFolder places every item.
export function byFolder(sheet: Sheet): Places {
  const places: Places = new Map();
  const weight = (i: number) => sheet.items[i].in * 2 + sheet.items[i].out;
  for (const [i, x, y] of pack(forest(sheet), weight).at) places.set(id(sheet.items[i]), [x, y]);
  return places;
}

function pack(f: Folder, weight: (i: number) => number): Packed {
  const parts: (Packed & { x: number; y: number })[] = [];
  if (f.leaves.length > 0) {
    const order = f.leaves.slice().sort((a, b) => weight(b) - weight(a) || a - b);
    const spots = honeycomb(order.length);
    const ring = packEnclose(spots.map(([x, y]) => ({ x, y, r: cell })));
    const at = order.map((i, k): [number, number, number] => [i, spots[k][0] - ring.x, spots[k][1] - ring.y]);
    parts.push({ r: ring.r, at, x: 0, y: 0 });
  }
  for (const c of f.children) {
    const p = pack(c, weight);
    parts.push({ ...p, r: p.r + cell * 0.35, x: 0, y: 0 });
  }
  if (parts.length === 0) return { r: 0, at: [] };
  parts.sort((a, b) => b.r - a.r);
  packSiblings(parts);
  const ring = packEnclose(parts);
  const at: [number, number, number][] = [];
  for (const p of parts) {
    for (const [i, x, y] of p.at) at.push([i, x + p.x - ring.x, y + p.y - ring.y]);
  }
  return { r: ring.r + cell * 0.25, at };
}

// byLink draws together what is linked, and loosely what shares a folder. It
// starts from the folders, so it ends the same way each time. tell is given
// the places now and then.
//
// What has no links at all has no place by them: it lies in rows below the rest.
export function byLink(sheet: Sheet, tell: (places: Places, done: number) => void): Places {
  const alone = lonely(sheet);
  const among = sheet.items.map((_, i) => i).filter((i) => !alone[i]);
  if (among.length === 0) return byFolder(sheet);
  const part = partOf(sheet, among);
  return below(sheet, alone, drawn(part, (places, done) => tell(below(sheet, alone, places), done)));
}

// lonely says which items no link touches, but from themselves.
function lonely(sheet: Sheet): boolean[] {
  const alone = sheet.items.map(() => true);
  const { source, target } = sheet.lines;
  for (let i = 0; i < source.length; i++) if (source[i] !== target[i]) alone[source[i]] = alone[target[i]] = false;
  return alone;
}

// partOf is a sheet of some of the items, with the links between them.
function partOf(sheet: Sheet, among: number[]): Sheet {
  const now = new Map(among.map((i, k) => [i, k]));
  const { lines } = sheet;
  const kept = [...lines.source.keys()].filter((i) => now.has(lines.source[i]) && now.has(lines.target[i]));
  return {
    ...sheet,
    items: among.map((i) => sheet.items[i]),
    nodes: among.filter((i) => i < sheet.nodes).length,
    lines: {
      source: Uint32Array.from(kept, (i) => now.get(lines.source[i])!), target: Uint32Array.from(kept, (i) => now.get(lines.target[i])!),
      kind: Uint8Array.from(kept, (i) => lines.kind[i]), confidence: Float32Array.from(kept, (i) => lines.confidence[i]),
      line: Uint32Array.from(kept, (i) => lines.line[i]), broken: Uint8Array.from(kept, (i) => lines.broken[i]), loads: Uint8Array.from(kept, (i) => lines.loads[i]),
    },
  };
}

// below adds the lonely ones in rows under the others.
function below(sheet: Sheet, alone: boolean[], places: Places): Places {
  const rest = sheet.items.filter((_, i) => alone[i]);
  if (rest.length === 0) return places;
  let x0 = Infinity;
  let x1 = -Infinity;
  let low = Infinity;
  for (const [x, y] of places.values()) {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    low = Math.min(low, y);
  }
  const columns = Math.max(3, Math.min(rest.length, Math.round((x1 - x0) / (2 * cell)) + 1, Math.ceil(Math.sqrt(rest.length * 3))));
  const out: Places = new Map(places);
  rest.forEach((item, k) => {
    const row = Math.floor(k / columns);
    const inRow = Math.min(columns, rest.length - row * columns);
    out.set(id(item), [(x0 + x1) / 2 + ((k % columns) - (inRow - 1) / 2) * 2 * cell, low - (2.2 + row * 1.3) * cell]);
  });
  return out;
}

function drawn(sheet: Sheet, tell: (places: Places, done: number) => void): Places {
  const n = sheet.items.length;
  const start = byFolder(sheet);
  if (n < 2) return start;
  const hubs = hubsOf(forest(sheet));
  const nodes = new Float32Array((n + hubs.length) * 10);
  const put = (at: number, x: number, y: number, mass: number) => {
    nodes[at * 10] = x;
    nodes[at * 10 + 1] = y;
    nodes[at * 10 + 6] = mass;
    nodes[at * 10 + 7] = 1;
    nodes[at * 10 + 8] = 1;
  };
  sheet.items.forEach((item, i) => {
    const [x, y] = start.get(id(item))!;
    put(i, x / cell, y / cell, 1 + Math.min(12, item.in + item.out));
  });
  const edges: number[] = [];
  for (let i = 0; i < sheet.lines.source.length; i++) {
    const s = sheet.lines.source[i];
    const t = sheet.lines.target[i];
    if (s !== t) edges.push(s * 10, t * 10, 0.4 + sheet.lines.confidence[i]);
  }
  hubs.forEach((hub, h) => {
    let x = 0;
    let y = 0;
    for (const i of hub) {
      x += nodes[i * 10] / hub.length;
      y += nodes[i * 10 + 1] / hub.length;
      edges.push(i * 10, (n + h) * 10, 0.35);
    }
    put(n + h, x, y, 1);
  });
  const matrix = new Float32Array(edges);
  const settings = {
    linLogMode: n > 60, outboundAttractionDistribution: true, adjustSizes: false, edgeWeightInfluence: 1,
    scalingRatio: 6, strongGravityMode: false, gravity: n > 400 ? 1.2 : 2, slowDown: 4 + Math.log(n),
    barnesHutOptimize: n > 800, barnesHutTheta: 0.7,
  };
  const rounds = n < 400 ? 500 : n < 3000 ? 260 : 120;
  const now = () => spread(sheet, nodes, n);
  for (let i = 0; i < rounds; i++) {
    iterate(settings, nodes, matrix);
    if (i % 20 === 19) tell(now(), (i + 1) / rounds);
  }
  return apart(sheet, now());
}

function hubsOf(f: Folder): number[][] {
  const all = f.path !== "" && f.leaves.length > 1 ? [f.leaves] : [];
  return all.concat(...f.children.map(hubsOf));
}

// spread scales places so that the whole has room for all.
function spread(sheet: Sheet, nodes: Float32Array, n: number): Places {
  let x = 0;
  let y = 0;
  for (let i = 0; i < n; i++) {
    x += nodes[i * 10] / n;
    y += nodes[i * 10 + 1] / n;
  }
  const far: number[] = [];
  for (let i = 0; i < n; i++) far.push(Math.hypot(nodes[i * 10] - x, nodes[i * 10 + 1] - y));
  far.sort((a, b) => a - b);
  const reach = far[Math.floor(n * 0.8)] || 1;
  const scale = (cell * 1.75 * Math.sqrt(n)) / reach;
  const places: Places = new Map();
  for (let i = 0; i < n; i++) places.set(id(sheet.items[i]), [(nodes[i * 10] - x) * scale, (nodes[i * 10 + 1] - y) * scale]);
  return places;
}

// apart pushes items off each other until each has room for its card.
function apart(sheet: Sheet, places: Places): Places {
  const n = sheet.items.length;
  const xs = new Float64Array(n);
  const ys = new Float64Array(n);
  sheet.items.forEach((item, i) => {
    const [x, y] = places.get(id(item))!;
    xs[i] = x;
    ys[i] = y;
  });
  const wide = 2 * cell;
  const high = cell * 1.15;
  for (let round = 0; round < (n < 2000 ? 160 : 60); round++) {
    const grid = new Map<number, number[]>();
    const at = (cx: number, cy: number) => cx * 100_003 + cy;
    for (let i = 0; i < n; i++) {
      const k = at(Math.floor(xs[i] / wide), Math.floor(ys[i] / high));
      const list = grid.get(k);
      if (list) list.push(i);
      else grid.set(k, [i]);
    }
    let moved = 0;
    for (let i = 0; i < n; i++) {
      const cx = Math.floor(xs[i] / wide);
      const cy = Math.floor(ys[i] / high);
      for (let gx = cx - 1; gx <= cx + 1; gx++) {
        for (let gy = cy - 1; gy <= cy + 1; gy++) {
          for (const j of grid.get(at(gx, gy)) ?? []) {
            if (j <= i) continue;
            const dx = xs[j] - xs[i];
            const dy = ys[j] - ys[i];
            const ox = wide - Math.abs(dx);
            const oy = high - Math.abs(dy);
            if (ox <= 0 || oy <= 0) continue;
            moved++;
            if (ox / wide < oy / high) {
              const push = (ox / 2) * (dx < 0 ? -0.55 : 0.55);
              xs[i] -= push;
              xs[j] += push;
            } else {
              const push = (oy / 2) * (dy < 0 ? -0.55 : 0.55);
              ys[i] -= push;
              ys[j] += push;
            }
          }
        }
      }
    }
    if (moved === 0) break;
  }
  const out: Places = new Map();
  sheet.items.forEach((item, i) => out.set(id(item), [xs[i], ys[i]]));
  return out;
}

// settle gives every item a place: the one it had, or a free one near its
// folder. It says how many were new.
export function settle(sheet: Sheet, had: Places): { places: Places; fresh: number } {
  const places: Places = new Map();
  const room = new Room();
  const middles = new Map<string, [number, number, number]>();
  const note = (path: string, x: number, y: number) => {
    const parts = segments(path);
    for (let k = parts.length - 1; k >= 0; k--) {
      const folder = parts.slice(0, k).join("/");
      const m = middles.get(folder);
      if (m) {
        m[0] += x;
        m[1] += y;
        m[2]++;
      } else middles.set(folder, [x, y, 1]);
    }
  };
  const owner = ghostOwners(sheet);
  const homeOf = (i: number) => (i < sheet.nodes ? sheet.items[i].path : owner[i] === undefined ? "" : sheet.items[owner[i]].path);
  const missing: number[] = [];
  sheet.items.forEach((item, i) => {
    const at = had.get(id(item));
    if (!at) {
      missing.push(i);
      return;
    }
    places.set(id(item), at);
    room.take(at[0], at[1]);
    if (!item.ghost) note(item.path, at[0], at[1]);
  });
  for (const i of missing) {
    const parts = segments(homeOf(i));
    let near: [number, number] = [0, 0];
    let far = false;
    for (let k = parts.length - 1; k >= 0; k--) {
      const m = middles.get(parts.slice(0, k).join("/"));
      if (!m) {
        far = true;
        continue;
      }
      near = [m[0] / m[2], m[1] / m[2]];
      break;
    }
    const at = room.free(near[0], near[1], far ? 3.2 * cell : 1.9 * cell);
    places.set(id(sheet.items[i]), at);
    room.take(at[0], at[1]);
    if (!sheet.items[i].ghost) note(sheet.items[i].path, at[0], at[1]);
  }
  return { places, fresh: missing.length };
}

// Room knows which places are taken.
class Room {
  private grid = new Map<number, [number, number][]>();
  private static readonly step = cell * 2;
  private key(x: number, y: number) {
    return Math.floor(x / Room.step) * 1_000_003 + Math.floor(y / Room.step);
  }
  take(x: number, y: number) {
    const k = this.key(x, y);
    const list = this.grid.get(k);
    if (list) list.push([x, y]);
    else this.grid.set(k, [[x, y]]);
  }
  private isFree(x: number, y: number, distance: number) {
    const reach = Math.ceil(distance / Room.step);
    for (let gx = -reach; gx <= reach; gx++) {
      for (let gy = -reach; gy <= reach; gy++) {
        for (const [px, py] of this.grid.get(this.key(x + gx * Room.step, y + gy * Room.step)) ?? []) {
          if (Math.hypot(px - x, py - y) < distance) return false;
        }
      }
    }
    return true;
  }
  free(x: number, y: number, distance: number): [number, number] {
    for (let ring = 0; ring < 4000; ring++) {
      const turns = Math.max(1, ring * 6);
      for (let i = 0; i < turns; i++) {
        const a = (i / turns) * 2 * Math.PI;
        const px = x + Math.cos(a) * ring * cell;
        const py = y + Math.sin(a) * ring * cell;
        if (this.isFree(px, py, distance)) return [px, py];
      }
    }
    return [x, y];
  }
}

// discsOf draws the ground of each folder around what lies in it, outermost
// first. Items that a person put elsewhere do not stretch it.
export function discsOf(sheet: Sheet, places: Places, pinned: (item: Item) => boolean): Disc[] {
  const discs: Disc[] = [];
  const ground = (f: Folder, depth: number): { x: number; y: number; r: number } | null => {
    const inside: { x: number; y: number; r: number }[] = [];
    for (const i of f.leaves) {
      const at = places.get(id(sheet.items[i]));
      if (at && !pinned(sheet.items[i])) inside.push({ x: at[0], y: at[1], r: cell * 0.86 });
    }
    const at = discs.length;
    for (const c of f.children) {
      const g = ground(c, depth + 1);
      if (g) inside.push({ ...g, r: g.r + cell * 0.22 });
    }
    if (inside.length === 0 || depth === 0) return null;
    const ring = packEnclose(inside);
    const r = ring.r + cell * 0.12;
    discs.splice(at, 0, { path: f.path, name: f.name, x: ring.x, y: ring.y, r, depth, count: f.size });
    return { x: ring.x, y: ring.y, r };
  };
  ground(forest(sheet), 0);
  return discs;
}

export type { Lines };

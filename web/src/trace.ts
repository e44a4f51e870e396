// Walks over the links: who is near, and how one gets from here to there.

import type { Lines } from "./sheet";

export type Direction = "both" | "in" | "out";

// Web is the links by item, both ways, as offsets into one array.
export interface Web {
  outAt: Uint32Array;
  out: Uint32Array; // indices of lines
  inAt: Uint32Array;
  in: Uint32Array;
}

export function webOf(lines: Lines, items: number): Web {
  const outAt = offsets(lines.source, items);
  const inAt = offsets(lines.target, items);
  const out = new Uint32Array(lines.source.length);
  const into = new Uint32Array(lines.source.length);
  const nextOut = outAt.slice();
  const nextIn = inAt.slice();
  for (let i = 0; i < lines.source.length; i++) {
    out[nextOut[lines.source[i]]++] = i;
    into[nextIn[lines.target[i]]++] = i;
  }
  return { outAt, out, inAt, in: into };
}

function offsets(of: Uint32Array, items: number): Uint32Array {
  const at = new Uint32Array(items + 1);
  for (const i of of) at[i + 1]++;
  for (let i = 0; i < items; i++) at[i + 1] += at[i];
  return at;
}

// near is how many steps each item within depth lies from the start.
export function near(lines: Lines, web: Web, start: number, depth: number, direction: Direction, admit: (item: number) => boolean): Map<number, number> {
  const steps = new Map<number, number>([[start, 0]]);
  let edge = [start];
  for (let step = 1; step <= depth && edge.length > 0; step++) {
    const next: number[] = [];
    for (const at of edge) {
      forEachNeighbour(lines, web, at, direction, (to) => {
        if (steps.has(to) || !admit(to)) return;
        steps.set(to, step);
        next.push(to);
      });
    }
    edge = next;
  }
  return steps;
}

function forEachNeighbour(lines: Lines, web: Web, at: number, direction: Direction, visit: (item: number, line: number) => void) {
  if (direction !== "in") {
    for (let i = web.outAt[at]; i < web.outAt[at + 1]; i++) visit(lines.target[web.out[i]], web.out[i]);
  }
  if (direction !== "out") {
    for (let i = web.inAt[at]; i < web.inAt[at + 1]; i++) visit(lines.source[web.in[i]], web.in[i]);
  }
}

// Route is a shortest way: the items on it and the lines between them. When
// links lead from start to end it follows them; else it goes against some, and
// `against` is true.
export interface Route {
  items: number[];
  lines: number[];
  against: boolean;
}

export function route(lines: Lines, web: Web, start: number, end: number, admit: (item: number) => boolean): Route | null {
  const along = walk(lines, web, start, end, "out", admit);
  if (along) return { ...along, against: false };
  const any = walk(lines, web, start, end, "both", admit);
  return any && { ...any, against: true };
}

function walk(lines: Lines, web: Web, start: number, end: number, direction: Direction, admit: (item: number) => boolean) {
  const from = new Map<number, { item: number; line: number }>([[start, { item: -1, line: -1 }]]);
  let edge = [start];
  while (edge.length > 0 && !from.has(end)) {
    const next: number[] = [];
    for (const at of edge) {
      forEachNeighbour(lines, web, at, direction, (to, line) => {
        if (from.has(to) || !admit(to)) return;
        from.set(to, { item: at, line });
        next.push(to);
      });
    }
    edge = next;
  }
  if (!from.has(end)) return null;
  const items: number[] = [];
  const passed: number[] = [];
  for (let at = end; at !== -1; ) {
    items.unshift(at);
    const step = from.get(at)!;
    if (step.line >= 0) passed.unshift(step.line);
    at = step.item;
  }
  return { items, lines: passed };
}

// The search box: plain words, and a few that name a field.

import type { Item } from "./sheet";

// Query is what was typed, taken apart. Every word must be found.
export interface Query {
  words: string[];
  kind: string[];
  tag: string[];
  path: string[];
  is: string[];
}

export const fields = [
  ["kind:agent", "of one kind"],
  ["tag:review", "with a tag"],
  ["path:docs/", "under a folder"],
  ["is:broken", "with a link that leads nowhere"],
  ["is:unreferenced", "that nothing links to"],
  ["is:drifted", "changed since its sidecar was written"],
] as const;

export function parse(text: string): Query {
  const q: Query = { words: [], kind: [], tag: [], path: [], is: [] };
  for (const word of text.toLowerCase().split(/\s+/)) {
    if (!word) continue;
    const m = /^(kind|tag|path|is):(.+)$/.exec(word);
    if (m) q[m[1] as "kind" | "tag" | "path" | "is"].push(m[2]);
    else q.words.push(word);
  }
  return q;
}

export function isEmpty(q: Query): boolean {
  return q.words.length + q.kind.length + q.tag.length + q.path.length + q.is.length === 0;
}

// score is how well an item fits, 0 for not at all. A name beats a path, a path
// beats a description; a start beats a middle.
export function score(q: Query, item: Item): number {
  if (q.kind.length && !q.kind.includes(item.kind)) return 0;
  const path = item.path.toLowerCase();
  if (!q.tag.every((t) => item.tags.some((tag) => tag.toLowerCase() === t))) return 0;
  if (!q.path.every((p) => path.startsWith(p) || path.includes("/" + p))) return 0;
  if (!q.is.every((word) => is(word, item))) return 0;
  if (!q.words.length) return 1;
  const name = item.name.toLowerCase();
  const about = item.about.toLowerCase();
  let total = 0;
  for (const word of q.words) {
    const best = fit(name, word, 100) || fit(path, word, 40) || (item.tags.some((t) => t.toLowerCase().includes(word)) ? 20 : 0) || fit(about, word, 8) || loose(name, word);
    if (!best) return 0;
    total += best;
  }
  return total - Math.min(name.length, 100) / 50 - Math.min(path.length, 200) / 2000;
}

function fit(text: string, word: string, weight: number): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  if (text === word) return weight * 3;
  if (at === 0) return weight * 2;
  return /[a-z0-9]/.test(text[at - 1]) ? weight * 0.6 : weight;
}

// loose finds the letters of a word in order, as people type who half remember.
function loose(text: string, word: string): number {
  if (word.length < 3) return 0;
  let at = -1;
  for (const c of word) {
    at = text.indexOf(c, at + 1);
    if (at < 0) return 0;
  }
  return 2;
}

function is(word: string, item: Item): boolean {
  switch (word) {
    case "broken":
      return item.broken > 0;
    case "unreferenced":
      return !item.ghost && item.in === 0;
    case "drifted":
      return item.drift.startsWith("stale");
    case "virtual":
      return item.virtual;
    case "ghost":
      return item.ghost;
  }
  return false;
}

// search lists the best items, at most limit, and counts all.
export function search(q: Query, items: Item[], limit: number): { best: number[]; all: Uint8Array; total: number } {
  const all = new Uint8Array(items.length);
  const found: { i: number; s: number }[] = [];
  for (let i = 0; i < items.length; i++) {
    const s = score(q, items[i]);
    if (s <= 0) continue;
    all[i] = 1;
    found.push({ i, s });
  }
  found.sort((a, b) => b.s - a.s || a.i - b.i);
  return { best: found.slice(0, limit).map((f) => f.i), all, total: found.length };
}

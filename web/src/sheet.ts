// The whole map as the page keeps it: nodes as small objects, links as columns
// of numbers. The worker makes it of the server's answer, so that neither
// reading 26 MB of JSON nor laying out 10,000 nodes stops the page.

import type { Issue, LinkKind, Node, ScanResult, Severity, Stats } from "./wire";
import { parent } from "./scope";

// Item is a node, or a ghost: what a link names and no file is.
export interface Item {
  path: string; // of a ghost, what the link says
  name: string;
  about: string;
  kind: string; // "ghost" for one
  provider: string;
  tokens: number;
  headTokens: number;
  bytes: number;
  modified: number;
  bodyHash: string;
  virtual: boolean;
  ghost: boolean;
  in: number;
  out: number;
  refs: number;
  tags: string[];
  stability: string;
  version: string;
  drift: string; // "" without a sidecar, else its status; "unreadable"
  errors: number;
  warns: number;
  infos: number;
  broken: number; // links of its own that lead nowhere
  head: Head;
}

// Head is what hosts read of a frontmatter before they load the file.
export interface Head {
  listed: number; // characters of name and description
  modelInvocable: boolean;
  userInvocable: boolean;
  scoped: boolean; // a rule for some paths only
  always: boolean; // a rule that asks to be always loaded
  named: boolean;
}

export const linkKinds: LinkKind[] = ["invokes", "references", "mentions", "points"];

// Lines are the links, by column.
export interface Lines {
  source: Uint32Array; // index of an item
  target: Uint32Array;
  kind: Uint8Array; // index into linkKinds
  confidence: Float32Array;
  line: Uint32Array; // first line of its source, 0 when unknown
  broken: Uint8Array; // 1: flagged as leading nowhere
  loads: Uint8Array; // 1: an import, such as "@docs/style.md"
}

export interface Meta {
  scannedAt: number;
  tokenizer: string;
  lens: string;
  ceiling: number;
  truncated: boolean;
  oversized: { path: string; bytes: number }[];
  stats: Stats;
}

export interface Sheet {
  meta: Meta;
  items: Item[]; // nodes first, then ghosts
  nodes: number; // how many of items are nodes
  lines: Lines;
  problems: Issue[];
  hosts: [string, number][]; // of external links, by number
}

export const nothing: Sheet = {
  meta: {
    scannedAt: 0, tokenizer: "", lens: "", ceiling: 0, truncated: false, oversized: [],
    stats: { filesWalked: 0, filesSkipped: 0, filesOversized: 0, nodesCount: 0, linksCount: 0, issuesCount: 0, durationMs: 0 },
  },
  items: [],
  nodes: 0,
  lines: {
    source: new Uint32Array(), target: new Uint32Array(), kind: new Uint8Array(),
    confidence: new Float32Array(), line: new Uint32Array(), broken: new Uint8Array(), loads: new Uint8Array(),
  },
  problems: [],
  hosts: [],
};

// id names an item once and for all; a ghost cannot be taken for a file.
export function id(item: { path: string; ghost: boolean }): string {
  return item.ghost ? "\u0000" + item.path : item.path;
}

export function sheetOf(scan: ScanResult): Sheet {
  const items = scan.nodes.map(itemOf);
  const place = new Map<string, number>();
  items.forEach((item, i) => place.set(item.path, i));
  for (const issue of scan.issues) {
    for (const path of issue.nodeIds) {
      const i = place.get(path);
      if (i === undefined) continue;
      if (issue.severity === "error") items[i].errors++;
      else if (issue.severity === "warn") items[i].warns++;
      else items[i].infos++;
    }
  }
  const lines = linesOf(scan, items, place);
  return {
    meta: {
      scannedAt: scan.scannedAt, tokenizer: scan.tokenizer ?? "", lens: scan.activeProvider ?? "", ceiling: scan.scanCeiling,
      truncated: scan.scanTruncated, oversized: scan.oversizedFiles, stats: scan.stats,
    },
    items,
    nodes: scan.nodes.length,
    lines,
    problems: scan.issues,
    hosts: hostsOf(scan.nodes),
  };
}

function itemOf(n: Node): Item {
  const f = n.frontmatter ?? {};
  const notes = n.sidecar?.annotations ?? {};
  const name = word(f.name) || nameOf(n.path);
  return {
    path: n.path,
    name,
    about: word(f.description),
    kind: n.kind,
    provider: n.provider,
    tokens: n.tokens?.total ?? 0,
    headTokens: n.tokens?.frontmatter ?? 0,
    bytes: n.bytes?.total ?? 0,
    modified: n.modifiedAtMs ?? 0,
    bodyHash: n.bodyHash,
    virtual: n.virtual === true,
    ghost: false,
    in: n.linksInCount,
    out: n.linksOutCount,
    refs: n.externalRefsCount,
    tags: n.tags ?? words(notes.tags),
    stability: word(notes.stability),
    version: notes.version === undefined ? "" : String(notes.version),
    drift: n.sidecar?.present ? (n.sidecar.status ?? "unreadable") : "",
    errors: 0,
    warns: 0,
    infos: 0,
    broken: 0,
    head: {
      listed: name.length + word(f.description).length,
      modelInvocable: f["disable-model-invocation"] !== true,
      userInvocable: f["user-invocable"] !== false,
      scoped: has(f.paths) || has(f.globs),
      always: f.alwaysApply === true || f.trigger === "always_on",
      named: word(f.name) !== "" && word(f.description) !== "",
    },
  };
}

function ghostOf(target: string, kind: LinkKind): Item {
  return {
    path: target, name: target, about: "", kind: "ghost", provider: "", tokens: 0, headTokens: 0, bytes: 0, modified: 0, bodyHash: "",
    virtual: false, ghost: true, in: 0, out: 0, refs: 0, tags: [], stability: kind, version: "", drift: "",
    errors: 0, warns: 0, infos: 0, broken: 0,
    head: { listed: 0, modelInvocable: false, userInvocable: false, scoped: false, always: false, named: false },
  };
}

// linesOf packs the links. One that resolves to nothing leads to a ghost,
// which is added to items and shared by all who name it.
function linesOf(scan: ScanResult, items: Item[], place: Map<string, number>): Lines {
  const n = scan.links.length;
  const lines: Lines = {
    source: new Uint32Array(n), target: new Uint32Array(n), kind: new Uint8Array(n),
    confidence: new Float32Array(n), line: new Uint32Array(n), broken: new Uint8Array(n), loads: new Uint8Array(n),
  };
  const flagged = brokenOf(scan.issues);
  const ghosts = new Map<string, number>();
  let kept = 0;
  for (const link of scan.links) {
    const source = place.get(link.source);
    if (source === undefined) continue;
    let target = link.resolvedTarget === undefined ? undefined : place.get(link.resolvedTarget);
    target ??= place.get(link.target);
    const broken = target === undefined && flagged.has(link.source + "\n" + link.target);
    if (target === undefined) {
      target = ghosts.get(link.target);
      if (target === undefined) {
        target = items.push(ghostOf(link.target, link.kind)) - 1;
        ghosts.set(link.target, target);
      }
      items[target].in++;
    }
    lines.source[kept] = source;
    lines.target[kept] = target;
    lines.kind[kept] = Math.max(0, linkKinds.indexOf(link.kind));
    lines.confidence[kept] = link.confidence;
    lines.line[kept] = link.location?.line ?? link.occurrences?.[0]?.location?.line ?? 0;
    if (link.sources.includes("at-file")) lines.loads[kept] = 1;
    if (broken) {
      lines.broken[kept] = 1;
      items[source].broken++;
      items[target].broken++;
    }
    kept++;
  }
  if (kept === n) return lines;
  return {
    source: lines.source.slice(0, kept), target: lines.target.slice(0, kept), kind: lines.kind.slice(0, kept),
    confidence: lines.confidence.slice(0, kept), line: lines.line.slice(0, kept), broken: lines.broken.slice(0, kept),
    loads: lines.loads.slice(0, kept),
  };
}

// brokenOf is the set of "source, target" that a rule calls broken. A note says
// that nobody need mend it: an example, a file to be made.
function brokenOf(issues: Issue[]): Set<string> {
  const found = new Set<string>();
  for (const issue of issues) {
    const target = issue.data?.target;
    if (issue.analyzerId !== "reference-broken" || issue.severity === "info" || typeof target !== "string") continue;
    for (const path of issue.nodeIds) found.add(path + "\n" + target);
  }
  return found;
}

function hostsOf(nodes: Node[]): [string, number][] {
  const count = new Map<string, number>();
  for (const n of nodes) {
    for (const ref of n.externalRefs ?? []) {
      let host = "";
      try {
        host = new URL(ref.url).hostname;
      } catch {
        host = "(no host)";
      }
      count.set(host, (count.get(host) ?? 0) + 1);
    }
  }
  return [...count].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 100);
}

// nameOf is what a file is called when it does not say: its folder for a file
// that is named like every other of its kind, else its own name.
export function nameOf(path: string): string {
  const scheme = path.indexOf("://");
  if (scheme >= 0) return path.slice(scheme + 3) || path;
  const folder = parent(path);
  const file = path.slice(folder === "" ? 0 : folder.length + 1);
  if (/^(skill|readme|agents|claude|gemini|index)\.md$/i.test(file) && folder !== "") {
    const last = folder.slice(folder.lastIndexOf("/") + 1);
    return /^skill\.md$/i.test(file) ? last : `${last}/${file}`;
  }
  return /^[A-Z.]+\.md$/.test(file) ? file : file.replace(/\.(md|mdc|toml)$/i, "");
}

export function worst(item: Item): Severity | "" {
  return item.errors ? "error" : item.warns ? "warn" : item.infos ? "info" : "";
}

function word(v: unknown): string {
  return typeof v === "string" ? v : "";
}

function words(v: unknown): string[] {
  return Array.isArray(v) ? v.filter((w): w is string => typeof w === "string") : [];
}

function has(v: unknown): boolean {
  return Array.isArray(v) ? v.length > 0 : typeof v === "string" && v !== "" && v !== "**" && v !== "**/*";
}

// What each host reads of a project without being asked, and what only on
// demand. The rules are the hosts' own, as far as files tell; settings of a
// user's machine may change them.

import { parent } from "./scope";
import type { Item, Sheet } from "./sheet";

export type HostID = "claude" | "codex" | "opencode" | "antigravity";

export interface Entry {
  item: Item;
  tokens: number;
  why: string;
}

export interface Budget {
  host: HostID;
  label: string;
  always: Entry[]; // whole files, at every start
  listed: Entry[]; // name and description, at every start
  demand: Entry[]; // bodies, when they are used
  alwaysTokens: number;
  listedTokens: number;
  demandTokens: number;
  listing: { characters: number; room: number; past: Item[] } | null;
}

interface Host {
  id: HostID;
  label: string;
  root: string[]; // files at the top, the first of each group that exists
  nested: string; // its file in a folder below
  overrides: string; // stands in for nested, when there
  rules: string; // folder of rules
  skills: string[];
  agents: string[];
  commands: string[];
  also: string[]; // root files that are always read beside the first
  cap: number; // bytes of a chain, 0 for none
}

const hosts: Host[] = [
  {
    id: "claude", label: "Claude Code", root: ["CLAUDE.md"], also: [".claude/CLAUDE.md", "CLAUDE.local.md"], nested: "CLAUDE.md", overrides: "", rules: ".claude/rules/",
    skills: [".claude/skills/"], agents: [".claude/agents/"], commands: [".claude/commands/"], cap: 0,
  },
  {
    id: "codex", label: "Codex", root: ["AGENTS.override.md", "AGENTS.md"], also: [], nested: "AGENTS.md", overrides: "AGENTS.override.md", rules: "",
    skills: [".agents/skills/", ".codex/skills/"], agents: [".codex/agents/"], commands: [".codex/prompts/"], cap: 32_768,
  },
  {
    id: "opencode", label: "OpenCode", root: ["AGENTS.md", "CLAUDE.md"], also: [], nested: "AGENTS.md", overrides: "", rules: "",
    skills: [".opencode/skills/", ".opencode/skill/", ".claude/skills/", ".agents/skills/"], agents: [".opencode/agents/", ".opencode/agent/"],
    commands: [".opencode/commands/", ".opencode/command/"], cap: 0,
  },
  {
    id: "antigravity", label: "Antigravity", root: ["GEMINI.md", "AGENTS.md"], also: [], nested: "", overrides: "", rules: ".agents/rules/",
    skills: [".agents/skills/", ".agent/skills/"], agents: [], commands: [".agents/workflows/", ".agent/workflows/"], cap: 0,
  },
];

// The list of skills may take one part in a hundred of the window: of 200,000
// tokens that is 8,000 characters, and what comes after is listed without its
// description, or not at all.
const room = 8000;

const about = (characters: number) => Math.ceil(characters / 4);

export function budgets(sheet: Sheet): Budget[] {
  return hosts.map((h) => budgetOf(h, sheet)).filter((b) => b.always.length + b.listed.length > 0);
}

function budgetOf(h: Host, sheet: Sheet): Budget {
  const b: Budget = { host: h.id, label: h.label, always: [], listed: [], demand: [], alwaysTokens: 0, listedTokens: 0, demandTokens: 0, listing: null };
  const files = new Map<string, Item>();
  for (let i = 0; i < sheet.nodes; i++) files.set(sheet.items[i].path, sheet.items[i]);
  const loaded = new Set<string>();
  const load = (item: Item, why: string) => {
    if (loaded.has(item.path)) return;
    loaded.add(item.path);
    b.always.push({ item, tokens: item.tokens, why });
    for (const next of importsOf(sheet, item)) load(next, `imported by ${item.path}`);
  };
  const first = h.root.map((p) => files.get(p)).find((f) => f !== undefined);
  if (first) load(first, "at the top of the project");
  for (const p of h.also) if (files.has(p)) load(files.get(p)!, "beside it");
  const skills: Item[] = [];
  for (const item of files.values()) {
    if (item.virtual || loaded.has(item.path)) continue;
    const path = item.path;
    const at = (folders: string[]) => folders.some((f) => path.startsWith(f) || path.includes("/" + f));
    if (h.rules && at([h.rules])) {
      if (h.id === "claude" ? !item.head.scoped : item.head.always) load(item, "a rule for all files");
      else b.demand.push({ item, tokens: item.tokens, why: "a rule for some files" });
    } else if (item.kind === "skill" && at(h.skills)) {
      if (item.head.modelInvocable) {
        skills.push(item);
        b.listed.push({ item, tokens: about(item.head.listed), why: "name and description of a skill" });
      }
      b.demand.push({ item, tokens: item.tokens, why: "a skill, when used" });
    } else if (item.kind === "agent" && at(h.agents)) {
      b.listed.push({ item, tokens: about(item.head.listed), why: "name and description of an agent" });
      b.demand.push({ item, tokens: item.tokens, why: "an agent, in a context of its own" });
    } else if ((item.kind === "command" || item.kind === "workflow") && at(h.commands)) {
      if (h.id === "claude" && item.head.modelInvocable && item.about) b.listed.push({ item, tokens: about(item.head.listed), why: "name and description of a command" });
      b.demand.push({ item, tokens: item.tokens, why: "a command, when called" });
    } else if (h.nested && path !== h.nested && (path.endsWith("/" + h.nested) || (h.overrides && path.endsWith("/" + h.overrides)))) {
      b.demand.push({ item, tokens: item.tokens, why: `when work is in ${parent(path)}` });
    }
  }
  if (skills.length > 0) {
    let characters = 0;
    const past: Item[] = [];
    for (const item of skills.sort((x, y) => (x.path < y.path ? -1 : 1))) {
      characters += item.head.listed + 20; // and the line it stands in
      if (characters > room) past.push(item);
    }
    b.listing = { characters, room, past };
  }
  for (const list of [b.always, b.listed, b.demand]) list.sort((x, y) => y.tokens - x.tokens || (x.item.path < y.item.path ? -1 : 1));
  b.alwaysTokens = sum(b.always);
  b.listedTokens = sum(b.listed);
  b.demandTokens = sum(b.demand);
  return b;
}

function sum(list: Entry[]): number {
  return list.reduce((n, e) => n + e.tokens, 0);
}

function importsOf(sheet: Sheet, item: Item): Item[] {
  const { lines, items, nodes } = sheet;
  const out: Item[] = [];
  for (let i = 0; i < lines.source.length; i++) {
    if (lines.loads[i] && items[lines.source[i]] === item && lines.target[i] < nodes) out.push(items[lines.target[i]]);
  }
  return out;
}

// Step is one file of those a host reads for work in a folder, in order.
export interface Step {
  item: Item;
  why: string;
  bytes: number; // of the chain so far
  cut: boolean; // beyond what the host takes
}

// chain lists what a host reads for work in a folder, and why, in its order.
export function chain(host: HostID, folder: string, sheet: Sheet): Step[] {
  const h = hosts.find((x) => x.id === host)!;
  const files = new Map<string, Item>();
  for (let i = 0; i < sheet.nodes; i++) files.set(sheet.items[i].path, sheet.items[i]);
  const steps: Step[] = [];
  let bytes = 0;
  const seen = new Set<string>();
  const add = (item: Item | undefined, why: string) => {
    if (!item || seen.has(item.path)) return;
    seen.add(item.path);
    bytes += item.bytes;
    steps.push({ item, why, bytes, cut: h.cap > 0 && bytes > h.cap });
    for (const next of importsOf(sheet, item)) add(next, `imported by ${item.path}`);
  };
  add(h.root.map((p) => files.get(p)).find((f) => f), "top of the project");
  for (const p of h.also) add(files.get(p), "top of the project");
  if (h.rules) {
    for (const item of files.values()) {
      if (!item.path.startsWith(h.rules)) continue;
      if (h.id === "claude" ? !item.head.scoped : item.head.always) add(item, "a rule for all files");
    }
  }
  if (h.nested && folder !== "") {
    const parts = folder.split("/");
    for (let i = 1; i <= parts.length; i++) {
      const at = parts.slice(0, i).join("/");
      const over = h.overrides ? files.get(at + "/" + h.overrides) : undefined;
      add(over ?? files.get(at + "/" + h.nested), over ? `stands in for ${h.nested} in ${at}` : `in ${at}`);
    }
  }
  if (h.rules) {
    for (const item of files.values()) {
      if (item.path.startsWith(h.rules) && h.id === "claude" && item.head.scoped) add(item, "a rule, if its paths fit");
    }
  }
  return steps;
}

export type Role = "entry" | "reached" | "unused";

// roleOf says whether a node is a way in, is led to, or is neither. A way in is
// what a host reads or a person calls by themselves.
export function roleOf(item: Item): Role {
  if (item.in > 0) return "reached";
  if (item.kind === "command" || item.kind === "workflow" || item.kind === "agent") return "entry";
  if (item.kind === "skill") return item.head.modelInvocable || item.head.userInvocable ? "entry" : "unused";
  if (/(^|\/)(CLAUDE|AGENTS|GEMINI|README|CLAUDE\.local|AGENTS\.override)\.md$/i.test(item.path)) return "entry";
  if (/^\.(claude|agents)\/rules\//.test(item.path)) return "entry";
  return "unused";
}

// twins are groups of nodes with one and the same body.
export function twins(sheet: Sheet): Item[][] {
  const by = new Map<string, Item[]>();
  for (let i = 0; i < sheet.nodes; i++) {
    const item = sheet.items[i];
    if (item.virtual || item.tokens - item.headTokens <= 0) continue;
    const list = by.get(item.bodyHash);
    if (list) list.push(item);
    else by.set(item.bodyHash, [item]);
  }
  return [...by.values()].filter((g) => g.length > 1).sort((a, b) => b.length * b[0].tokens - a.length * a[0].tokens);
}

// Maps for tests, short to write.

import { sheetOf, type Sheet } from "../src/sheet";
import type { Issue, Link, LinkKind, Node, ScanResult } from "../src/wire";

export function node(path: string, more: Partial<Node> = {}): Node {
  return {
    path, kind: kindOf(path), provider: "claude", bodyHash: "hash of " + path, frontmatterHash: "", bytes: { frontmatter: 0, body: 100, total: 100 },
    tokens: { frontmatter: 10, body: 40, total: 50 }, linksOutCount: 0, linksInCount: 0, externalRefsCount: 0, frontmatter: {},
    sidecar: { present: false, status: null, annotations: null, root: null }, ...more,
  };
}

function kindOf(path: string): string {
  if (path.startsWith("mcp://")) return "mcp";
  return path.endsWith("/SKILL.md") ? "skill" : path.includes("/agents/") ? "agent" : path.includes("/commands/") ? "command" : "markdown";
}

export function link(source: string, target: string, kind: LinkKind = "references", more: Partial<Link> = {}): Link {
  return { source, target, kind, confidence: 1, sources: ["markdown-link"], resolvedTarget: target, location: { line: 3 }, ...more };
}

export function sheet(nodes: (string | Node)[], links: Link[] = [], issues: Issue[] = []): Sheet {
  const list = nodes.map((n) => (typeof n === "string" ? node(n) : n));
  for (const l of links) {
    const to = list.find((n) => n.path === l.resolvedTarget);
    const from = list.find((n) => n.path === l.source);
    if (to) to.linksInCount++;
    if (from) from.linksOutCount++;
  }
  return sheetOf({
    scannedAt: 0, roots: ["."], tokenizer: "cl100k_base", activeProvider: "claude", scanCeiling: 5000, scanTruncated: false, maxRenderNodes: 256, oversizedFiles: [],
    nodes: list, links, issues,
    stats: { filesWalked: list.length, filesSkipped: 0, filesOversized: 0, nodesCount: list.length, linksCount: links.length, issuesCount: issues.length, durationMs: 1 },
  } satisfies ScanResult);
}

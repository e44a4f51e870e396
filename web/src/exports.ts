// The map as a file: a picture, or its facts. What is hidden is left out.

import { cell, type Disc } from "./arrange";
import { row } from "./csv";
import { radius } from "./map/chart";
import { read, type Palette } from "./map/palette";
import { short } from "./map/names";
import { linkKinds, worst } from "./sheet";
import * as host from "./host";
import * as s from "./state";
import type { Choice } from "./ui";

export function exportChoices(): (Choice | null)[] {
  return [
    { label: "Picture, SVG", icon: "map", run: () => save("svg", "image/svg+xml", svg()) },
    { label: "Picture, PNG", icon: "map", run: () => void png() },
    null,
    { label: "Nodes, CSV", icon: "list", run: () => save("nodes.csv", "text/csv", nodesCSV()) },
    { label: "Links, CSV", icon: "list", run: () => save("links.csv", "text/csv", linksCSV()) },
    { label: "Map, JSON", icon: "list", run: () => save("json", "application/json", json()) },
    null,
    { label: "Mermaid", icon: "external", run: () => void fromServer("mermaid", "mmd") },
    { label: "Graphviz", icon: "external", run: () => void fromServer("dot", "dot") },
  ];
}

function save(ending: string, type: string, content: string | Blob) {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const a = document.createElement("a");
  const name = s.scope.split(/[\\/]/).filter(Boolean).pop()?.replace(/[^\w.-]+/g, "-") || "project";
  a.href = url;
  a.download = `${name}-map.${ending.includes(".") ? ending.replace(".", "-").replace(/-(\w+)$/, ".$1") : ending}`;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function fromServer(format: string, ending: string) {
  try {
    const answer = await fetch(`/api/graph?format=${format}`);
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    save(ending, "text/plain", await answer.text());
  } catch (err) {
    s.tellUser(err instanceof Error ? err.message : String(err), "bad");
  }
}

// --- facts

function nodesCSV(): string {
  let out = row(["path", "name", "kind", "provider", "tokens", "bytes", "links_in", "links_out", "errors", "warnings", "notes", "broken_links", "sidecar", "tags"]);
  const { items, nodes } = s.sheet.value;
  for (let i = 0; i < nodes; i++) {
    if (!s.shown.value[i]) continue;
    const n = items[i];
    out += row([n.path, n.name, n.kind, n.provider, n.tokens, n.bytes, n.in, n.out, n.errors, n.warns, n.infos, n.broken, n.drift, n.tags.join(" ")]);
  }
  return out;
}

function linksCSV(): string {
  let out = row(["source", "target", "kind", "confidence", "line", "broken"]);
  const { items, lines } = s.sheet.value;
  for (let i = 0; i < lines.source.length; i++) {
    if (!s.shown.value[lines.source[i]] || !s.shown.value[lines.target[i]]) continue;
    out += row([items[lines.source[i]].path, items[lines.target[i]].path, linkKinds[lines.kind[i]], Number(lines.confidence[i].toFixed(3)), lines.line[i], lines.broken[i]]);
  }
  return out;
}

function json(): string {
  const { items, nodes, lines, problems, meta } = s.sheet.value;
  const seen = new Set<string>();
  const list = items.slice(0, nodes).filter((n, i) => s.shown.value[i] && seen.add(n.path));
  const links = [];
  for (let i = 0; i < lines.source.length; i++) {
    if (!s.shown.value[lines.source[i]] || !s.shown.value[lines.target[i]]) continue;
    links.push({
      source: items[lines.source[i]].path, target: items[lines.target[i]].path, kind: linkKinds[lines.kind[i]],
      confidence: Number(lines.confidence[i].toFixed(3)), line: lines.line[i] || null, broken: lines.broken[i] === 1,
    });
  }
  return JSON.stringify(
    {
      project: s.scope, ...(host.isForge ? { commit: host.commit } : {}), scannedAt: meta.scannedAt, lens: meta.lens, tokenizer: meta.tokenizer,
      nodes: list.map((n) => ({
        path: n.path, name: n.name, description: n.about, kind: n.kind, provider: n.provider, tokens: n.tokens, bytes: n.bytes, linksIn: n.in, linksOut: n.out,
        errors: n.errors, warnings: n.warns, notes: n.infos, sidecar: n.drift || null, tags: n.tags, bodyHash: n.bodyHash,
      })),
      links,
      issues: problems.filter((p) => p.nodeIds.some((n) => seen.has(n))),
    },
    null,
    2,
  );
}

// --- pictures

interface Frame {
  x: number;
  y: number;
  w: number;
  h: number;
}

function frameOf(): Frame {
  let x0 = Infinity;
  let x1 = -Infinity;
  let y0 = Infinity;
  let y1 = -Infinity;
  const at = s.at.value;
  for (let i = 0; i < s.sheet.value.items.length; i++) {
    if (!s.shown.value[i]) continue;
    x0 = Math.min(x0, at[2 * i]);
    x1 = Math.max(x1, at[2 * i]);
    y0 = Math.min(y0, -at[2 * i + 1]);
    y1 = Math.max(y1, -at[2 * i + 1]);
  }
  if (x0 > x1) return { x: 0, y: 0, w: 1, h: 1 };
  const m = 2 * cell;
  return { x: x0 - m, y: y0 - m, w: x1 - x0 + 2 * m, h: y1 - y0 + 2 * m };
}

function livingDiscs(): Disc[] {
  const some = new Set<string>();
  s.sheet.value.items.forEach((item, i) => {
    if (!s.shown.value[i]) return;
    for (let p = item.path, cut = p.lastIndexOf("/"); cut > 0; cut = p.lastIndexOf("/")) some.add((p = p.slice(0, cut)));
  });
  return s.discs.value.filter((d) => some.has(d.path));
}

function escape(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

// svg draws the map as it lies, in one file that needs nothing else.
export function svg(): string {
  const p = read(s.registries.value, s.isDark.value);
  const f = frameOf();
  const { items, lines } = s.sheet.value;
  const at = s.at.value;
  const mask = s.shown.value;
  const lit = s.lit.value;
  const n = (v: number) => v.toFixed(1);
  const large = items.length > 1500;
  let out = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${n(f.x)} ${n(f.y)} ${n(f.w)} ${n(f.h)}" width="${Math.min(4000, Math.round(f.w))}" font-family="${escape(p.font)}">`;
  out += `<rect x="${n(f.x)}" y="${n(f.y)}" width="${n(f.w)}" height="${n(f.h)}" fill="${p.canvas}"/>`;
  for (const d of livingDiscs()) {
    out += `<circle cx="${n(d.x)}" cy="${n(-d.y)}" r="${n(d.r)}" fill="${p.surface}" fill-opacity="${p.dark ? 0.3 : 0.5}" stroke="${p.line}" stroke-width="1.5"/>`;
  }
  for (let i = 0; i < lines.source.length; i++) {
    const a = lines.source[i];
    const b = lines.target[i];
    if (!mask[a] || !mask[b] || a === b) continue;
    if (!s.linkPasses(s.filters.value, lines.kind[i], lines.broken[i])) continue;
    const faint = lit && !(lit[a] && lit[b]);
    const kind = linkKinds[lines.kind[i]];
    const colour = lines.broken[i] ? p.error : p.links[kind];
    const dash = lines.broken[i] || kind === "mentions" ? ' stroke-dasharray="9 6"' : kind === "points" ? ' stroke-dasharray="2 6"' : "";
    const x1 = at[2 * a];
    const y1 = -at[2 * a + 1];
    const x2 = at[2 * b];
    const y2 = -at[2 * b + 1];
    const bend = large ? 0 : 0.1 + 0.05 * lines.kind[i];
    const cx = (x1 + x2) / 2 + (y2 - y1) * bend;
    const cy = (y1 + y2) / 2 - (x2 - x1) * bend;
    out += `<path d="M${n(x1)} ${n(y1)}Q${n(cx)} ${n(cy)} ${n(x2)} ${n(y2)}" fill="none" stroke="${colour}" stroke-width="${large ? 1 : 2}" stroke-opacity="${faint ? 0.06 : large ? 0.25 : 0.7}"${dash}/>`;
  }
  items.forEach((item, i) => {
    if (!mask[i]) return;
    const x = at[2 * i];
    const y = -at[2 * i + 1];
    const r = radius(item);
    const faint = lit && !lit[i] ? ' opacity="0.25"' : "";
    const bad = worst(item);
    const ring = bad === "error" ? p.error : bad === "warn" ? p.warn : "none";
    out += `<g${faint}><title>${escape(item.ghost ? item.name : item.path)}</title>${shape(item.kind, x, y, r, p, ring)}`;
    out += `<text x="${n(x)}" y="${n(y + r + 18)}" text-anchor="middle" font-size="15" fill="${p.ink}" stroke="${p.canvas}" stroke-width="3.5" paint-order="stroke">${escape(short(item.name, 26))}</text></g>`;
  });
  for (const d of livingDiscs()) {
    out += `<text x="${n(d.x)}" y="${n(-d.y - d.r - 6)}" text-anchor="middle" font-size="${Math.max(14, Math.min(90, d.r / 12)).toFixed(0)}" font-weight="600" fill="${p.quiet}">${escape(d.name)}</text>`;
  }
  return out + "</svg>\n";
}

function shape(kind: string, x: number, y: number, r: number, p: Palette, ring: string): string {
  const paint = kind === "ghost" ? `fill="none" stroke="${p.error}" stroke-width="3"` : `fill="${p.kinds[kind] ?? p.quiet}"${ring === "none" ? "" : ` stroke="${ring}" stroke-width="6"`}`;
  return `<path transform="translate(${x.toFixed(1)} ${y.toFixed(1)})" d="${outline(kind, r)}" ${paint}/>`;
}

// png draws the same on a canvas, so that no picture has to be loaded.
async function png() {
  const p = read(s.registries.value, s.isDark.value);
  const f = frameOf();
  const k = Math.min(2, 6000 / Math.max(f.w, f.h));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(f.w * k));
  canvas.height = Math.max(1, Math.round(f.h * k));
  const ctx = canvas.getContext("2d")!;
  ctx.scale(k, k);
  ctx.translate(-f.x, -f.y);
  ctx.fillStyle = p.canvas;
  ctx.fillRect(f.x, f.y, f.w, f.h);
  paint(ctx, p, k);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save("png", "image/png", blob);
  else s.tellUser("The picture is too large for this browser. Take the SVG.", "bad");
}

function paint(ctx: CanvasRenderingContext2D, p: Palette, k: number) {
  const { items, lines } = s.sheet.value;
  const at = s.at.value;
  const mask = s.shown.value;
  const lit = s.lit.value;
  const large = items.length > 1500;
  for (const d of livingDiscs()) {
    ctx.beginPath();
    ctx.arc(d.x, -d.y, d.r, 0, 2 * Math.PI);
    ctx.globalAlpha = p.dark ? 0.3 : 0.5;
    ctx.fillStyle = p.surface;
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = p.line;
    ctx.stroke();
  }
  for (let i = 0; i < lines.source.length; i++) {
    const a = lines.source[i];
    const b = lines.target[i];
    if (!mask[a] || !mask[b] || a === b || !s.linkPasses(s.filters.value, lines.kind[i], lines.broken[i])) continue;
    const kind = linkKinds[lines.kind[i]];
    ctx.globalAlpha = lit && !(lit[a] && lit[b]) ? 0.06 : large ? 0.25 : 0.7;
    ctx.strokeStyle = lines.broken[i] ? p.error : p.links[kind];
    ctx.lineWidth = large ? Math.max(1, 0.6 / k) : 2;
    ctx.setLineDash(lines.broken[i] || kind === "mentions" ? [9, 6] : kind === "points" ? [2, 6] : []);
    const x1 = at[2 * a];
    const y1 = -at[2 * a + 1];
    const x2 = at[2 * b];
    const y2 = -at[2 * b + 1];
    const bend = large ? 0 : 0.1 + 0.05 * lines.kind[i];
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.quadraticCurveTo((x1 + x2) / 2 + (y2 - y1) * bend, (y1 + y2) / 2 - (x2 - x1) * bend, x2, y2);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.textAlign = "center";
  items.forEach((item, i) => {
    if (!mask[i]) return;
    const x = at[2 * i];
    const y = -at[2 * i + 1];
    const r = radius(item);
    ctx.globalAlpha = lit && !lit[i] ? 0.25 : 1;
    const path = new Path2D(outline(item.kind, r));
    ctx.save();
    ctx.translate(x, y);
    if (item.ghost) {
      ctx.lineWidth = 3;
      ctx.strokeStyle = p.error;
      ctx.stroke(path);
    } else {
      ctx.fillStyle = p.kinds[item.kind] ?? p.quiet;
      ctx.fill(path);
      const bad = worst(item);
      if (bad === "error" || bad === "warn") {
        ctx.lineWidth = 6;
        ctx.strokeStyle = bad === "error" ? p.error : p.warn;
        ctx.stroke(path);
      }
    }
    ctx.restore();
    if (k * 15 < 5) return;
    ctx.font = `15px ${p.font}`;
    ctx.lineWidth = 3.5;
    ctx.strokeStyle = p.canvas;
    ctx.strokeText(short(item.name, 26), x, y + r + 18);
    ctx.fillStyle = p.ink;
    ctx.fillText(short(item.name, 26), x, y + r + 18);
  });
  ctx.globalAlpha = 1;
  ctx.fillStyle = p.quiet;
  for (const d of livingDiscs()) {
    ctx.font = `600 ${Math.max(14, Math.min(90, d.r / 12))}px ${p.font}`;
    ctx.fillText(d.name, d.x, -d.y - d.r - 6);
  }
}

function outline(kind: string, r: number): string {
  const poly = (points: [number, number][]) => "M" + points.map(([a, b]) => `${(a * r).toFixed(1)} ${(b * r).toFixed(1)}`).join("L") + "Z";
  switch (kind) {
    case "skill":
      return poly([[-0.55, -0.93], [0.55, -0.93], [1.07, 0], [0.55, 0.93], [-0.55, 0.93], [-1.07, 0]]);
    case "workflow":
      return poly([[0, -1.1], [1.1, 0], [0, 1.1], [-1.1, 0]]);
    case "command":
      return poly([[-0.84, -0.84], [0.84, -0.84], [0.84, 0.84], [-0.84, 0.84]]);
    case "markdown":
      return poly([[-0.66, -0.84], [0.66, -0.84], [0.66, 0.84], [-0.66, 0.84]]);
    case "mcp":
      return poly([[-0.37, -0.9], [0.37, -0.9], [0.9, -0.37], [0.9, 0.37], [0.37, 0.9], [-0.37, 0.9], [-0.9, 0.37], [-0.9, -0.37]]);
  }
  const q = Number((kind === "ghost" ? r * 0.8 : r).toFixed(1));
  return `M${-q} 0a${q} ${q} 0 1 0 ${2 * q} 0a${q} ${q} 0 1 0 ${-2 * q} 0`;
}


import assert from "node:assert/strict";
import { test } from "node:test";
import { byFolder, byLink, cell, discsOf, honeycomb, settle, type Places } from "../src/arrange";
import { id } from "../src/sheet";
import { link, sheet } from "./map";

const files = (n: number, folder: string) => Array.from({ length: n }, (_, i) => `${folder}/f${i}.md`);
const plain = sheet(["CLAUDE.md", ...files(7, "docs"), ...files(30, "docs/deep"), ".claude/skills/a/SKILL.md", ".claude/skills/b/SKILL.md", "mcp://db"], [link("CLAUDE.md", "docs/f0.md"), link("docs/f0.md", "docs/deep/f3.md")]);

function closest(places: Places): number {
  const at = [...places.values()];
  let least = Infinity;
  at.forEach(([x, y], i) => at.slice(i + 1).forEach(([a, b]) => (least = Math.min(least, Math.hypot(a - x, b - y)))));
  return least;
}

test("a honeycomb keeps its distance and fills a disc", () => {
  for (const n of [1, 2, 7, 100, 3000]) {
    const spots = honeycomb(n);
    assert.equal(spots.length, n);
    assert.equal(new Set(spots.map((s) => s.map((v) => v.toFixed(2)).join())).size, n);
    const far = Math.max(...spots.map(([x, y]) => Math.hypot(x, y)));
    assert.ok(far <= 2 * cell * (0.56 * Math.sqrt(n) + 1), `${n} reach ${far}`);
  }
});

test("every item has a place of its own, the same each time", () => {
  const a = byFolder(plain);
  assert.equal(a.size, plain.items.length);
  assert.ok(closest(a) > 1.9 * cell, `closest ${closest(a)}`);
  assert.deepEqual([...a], [...byFolder(plain)]);
});

test("by link is the same each time and leaves room for cards", () => {
  const a = byLink(plain, () => {});
  assert.deepEqual([...a], [...byLink(plain, () => {})]);
  const at = [...a.values()];
  for (const [i, [x, y]] of at.entries()) {
    for (const [u, v] of at.slice(i + 1)) assert.ok(Math.abs(u - x) > 1.9 * cell || Math.abs(v - y) > 0.98 * cell, "two cards overlap");
  }
});

test("a new file moves nothing and lands near its folder", () => {
  const before = byFolder(plain);
  const more = sheet([...plain.items.map((i) => i.path), "docs/deep/new.md"]);
  const { places, fresh } = settle(more, before);
  assert.equal(fresh, 1);
  for (const [path, at] of before) assert.deepEqual(places.get(path), at, path);
  const [x, y] = places.get("docs/deep/new.md")!;
  const near = Math.min(...files(30, "docs/deep").map((f) => Math.hypot(places.get(f)![0] - x, places.get(f)![1] - y)));
  assert.ok(near < 5 * cell, `lands ${near} away`);
  assert.ok(closest(places) >= 1.8 * cell);
});

test("a disc lies around what its folder holds, and a lone file has none", () => {
  const places = byFolder(plain);
  const discs = discsOf(plain, places, () => false);
  assert.deepEqual(discs.map((d) => d.path).sort(), [".claude/skills", "docs", "docs/deep"]);
  for (const d of discs) {
    for (const item of plain.items) {
      const [x, y] = places.get(id(item))!;
      const inside = Math.hypot(x - d.x, y - d.y) < d.r;
      if (item.path.startsWith(d.path + "/")) assert.ok(inside, `${item.path} outside of ${d.path}`);
    }
  }
});

test("a ghost lies with who first names it", () => {
  const s = sheet(["docs/a.md", "docs/b.md", "other/c.md", "other/d.md"], [link("docs/a.md", "docs/gone.md", "references", { resolvedTarget: undefined })]);
  assert.equal(s.items.length, 5);
  const places = byFolder(s);
  const discs = discsOf(s, places, () => false);
  const docs = discs.find((d) => d.path === "docs")!;
  const [x, y] = places.get("\u0000docs/gone.md")!;
  assert.ok(Math.hypot(x - docs.x, y - docs.y) < docs.r);
});

test("nothing is not much", () => {
  assert.equal(byFolder(sheet([])).size, 0);
  assert.equal(byLink(sheet(["a.md"]), () => {}).size, 1);
});

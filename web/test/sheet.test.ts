import assert from "node:assert/strict";
import { test } from "node:test";
import { row } from "../src/csv";
import { nameOf, worst } from "../src/sheet";
import { link, node, sheet } from "./map";

test("a broken link leads to a ghost that all who name it share", () => {
  const gone = { resolvedTarget: undefined };
  const s = sheet(
    ["a.md", "b.md"],
    [link("a.md", "x.md", "references", gone), link("b.md", "x.md", "references", gone), link("b.md", "@nobody", "mentions", gone)],
    [
      { analyzerId: "reference-broken", severity: "error", nodeIds: ["a.md"], message: "m", data: { target: "x.md" } },
      { analyzerId: "reference-broken", severity: "info", nodeIds: ["b.md"], message: "m", data: { target: "@nobody" } },
    ],
  );
  assert.equal(s.nodes, 2);
  assert.deepEqual(s.items.slice(2).map((i) => [i.path, i.ghost, i.in, i.broken]), [["x.md", true, 2, 1], ["@nobody", true, 1, 0]]);
  assert.deepEqual([...s.lines.broken], [1, 0, 0]);
  assert.equal(s.items[0].broken, 1);
  assert.equal(worst(s.items[0]), "error");
  assert.equal(worst(s.items[1]), "info");
});

test("names of files that do not say theirs", () => {
  const want = { ".claude/skills/tidy/SKILL.md": "tidy", "CLAUDE.md": "CLAUDE.md", "docs/README.md": "docs/README.md", "docs/style.md": "style", "mcp://ledger": "ledger", "a/b.toml": "b" };
  for (const [path, name] of Object.entries(want)) assert.equal(nameOf(path), name, path);
  assert.equal(sheet([node("a.md", { frontmatter: { name: "said" } })]).items[0].name, "said");
});

test("hosts outside are counted, the most named first", () => {
  const s = sheet([node("a.md", { externalRefs: [{ url: "https://a.org/1" }, { url: "https://b.org" }, { url: "https://a.org/2" }, { url: "no address" }] })]);
  assert.deepEqual(s.hosts, [["a.org", 2], ["(no host)", 1], ["b.org", 1]]);
});

test("a cell is never a formula, and keeps its commas", () => {
  assert.equal(row(["=cmd()", "a,b", 'say "x"', "+1", "-x", "@y", 7, -7, "plain"]), `'=cmd(),"a,b","say ""x""",'+1,'-x,'@y,7,-7,plain\r\n`);
});

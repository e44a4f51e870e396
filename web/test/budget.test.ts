import assert from "node:assert/strict";
import { test } from "node:test";
import { budgets, chain, roleOf, twins } from "../src/budget";
import { link, node, sheet } from "./map";

const said = (name: string, description: string, more = {}) => ({ frontmatter: { name, description, ...more } });

const s = sheet(
  [
    "CLAUDE.md", "docs/style.md", "AGENTS.md", node("api/AGENTS.md", { bytes: { frontmatter: 0, body: 15_000, total: 15_000 } }), node("api/v2/AGENTS.md", { bytes: { frontmatter: 0, body: 20_000, total: 20_000 } }),
    ".claude/rules/all.md", node(".claude/rules/some.md", { frontmatter: { paths: ["src/**"] } }),
    node(".claude/skills/tidy/SKILL.md", said("tidy", "Tidies.")), node(".claude/skills/secret/SKILL.md", said("secret", "By hand.", { "disable-model-invocation": true, "user-invocable": false })),
    node(".claude/agents/one.md", said("one", "Does one thing.")), "notes/loose.md",
  ],
  [link("CLAUDE.md", "docs/style.md", "references", { sources: ["at-file"] })],
);
const of = (host: string) => budgets(s).find((b) => b.host === host)!;
const paths = (list: { item: { path: string } }[]) => list.map((e) => e.item.path).sort();

test("Claude reads its file, what that imports, and rules for all; lists what may be used", () => {
  const b = of("claude");
  assert.deepEqual(paths(b.always), [".claude/rules/all.md", "CLAUDE.md", "docs/style.md"]);
  assert.deepEqual(paths(b.listed), [".claude/agents/one.md", ".claude/skills/tidy/SKILL.md"]);
  assert.deepEqual(paths(b.demand), [".claude/agents/one.md", ".claude/rules/some.md", ".claude/skills/secret/SKILL.md", ".claude/skills/tidy/SKILL.md"]);
  assert.equal(b.alwaysTokens, 150);
});

test("Codex cuts a chain above 32 kB, and says where", () => {
  const steps = chain("codex", "api/v2", s);
  assert.deepEqual(steps.map((x) => [x.item.path, x.cut]), [["AGENTS.md", false], ["api/AGENTS.md", false], ["api/v2/AGENTS.md", true]]);
  assert.deepEqual(chain("codex", "", s).map((x) => x.item.path), ["AGENTS.md"]);
});

test("a list of skills beyond its room names those that fall past it", () => {
  const many = sheet(Array.from({ length: 30 }, (_, i) => node(`.claude/skills/s${String(i).padStart(2, "0")}/SKILL.md`, said(`s${i}`, "x".repeat(400)))));
  const l = budgets(many).find((b) => b.host === "claude")!.listing!;
  assert.equal(l.room, 8000);
  assert.ok(l.characters > 12_000);
  assert.equal(l.past[0].path, ".claude/skills/s18/SKILL.md");
});

test("what is a way in, what is reached, what lies about", () => {
  const role = (path: string) => roleOf(s.items.find((i) => i.path === path)!);
  assert.equal(role("docs/style.md"), "reached");
  assert.equal(role("CLAUDE.md"), "entry");
  assert.equal(role(".claude/agents/one.md"), "entry");
  assert.equal(role(".claude/skills/secret/SKILL.md"), "unused");
  assert.equal(role("notes/loose.md"), "unused");
});

test("twins have one body", () => {
  const t = twins(sheet([node("a.md", { bodyHash: "x" }), node("b.md", { bodyHash: "x" }), node("c.md"), node("d.md", { bodyHash: "e", tokens: { frontmatter: 5, body: 0, total: 5 } }), node("e.md", { bodyHash: "e", tokens: { frontmatter: 5, body: 0, total: 5 } })]));
  assert.deepEqual(t.map((g) => g.map((i) => i.path)), [["a.md", "b.md"]]);
});

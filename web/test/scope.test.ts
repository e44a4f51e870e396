import assert from "node:assert/strict";
import { test } from "node:test";
import { admits, everything, only, parent, turn, without, type Overrides } from "../src/scope";

test("the nearest override wins", () => {
  const o: Overrides = new Map([["", "exclude"], ["docs", "include"], ["docs/old", "exclude"], ["docs/old/keep.md", "include"]]);
  const want: Record<string, boolean> = { "a.md": false, "docs/a.md": true, "docs/old/a.md": false, "docs/old/keep.md": true, "docsx/a.md": false, docs: true };
  for (const [path, shown] of Object.entries(want)) assert.equal(admits(o, path), shown, path);
  assert.equal(admits(everything, "mcp://db"), true);
  assert.equal(admits(new Map([["mcp:/", "exclude"]]), "mcp://db"), false);
});

test("a turn forgets what it makes pointless", () => {
  let o = turn(everything, "docs/old", "exclude");
  o = turn(o, "docs/old/keep.md", "include");
  assert.deepEqual([...o], [["docs/old", "exclude"], ["docs/old/keep.md", "include"]]);
  o = turn(o, "docs", "include");
  assert.deepEqual([...o], [], "all below is shown, as everything is");
  o = turn(turn(o, "a", "exclude"), "a", "include");
  assert.equal(o.size, 0);
  assert.deepEqual([...turn(everything, "", "exclude")], [["", "exclude"]]);
});

test("only these, without those", () => {
  const o = only(["docs", "a.md"]);
  assert.equal(admits(o, "docs/x.md"), true);
  assert.equal(admits(o, "b.md"), false);
  assert.equal(admits(without(o, ["docs/x.md"]), "docs/x.md"), false);
});

test("the parent of a path", () => {
  assert.equal(parent("a/b/c.md"), "a/b");
  assert.equal(parent("c.md"), "");
});

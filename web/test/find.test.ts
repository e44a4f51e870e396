import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmpty, parse, search } from "../src/find";
import { link, node, sheet } from "./map";

const s = sheet(
  [node(".claude/agents/reviewer.md", { frontmatter: { name: "reviewer", description: "Reads changes" }, tags: ["Quality"] }), "docs/review-rules.md", "docs/style.md", "docs/previews.md"],
  [link("docs/style.md", "docs/previews.md")],
);
const find = (text: string) => search(parse(text), s.items, 10).best.map((i) => s.items[i].name);

test("names before paths before descriptions, starts before middles", () => {
  assert.deepEqual(find("review"), ["reviewer", "review-rules", "previews"]);
  assert.deepEqual(find("changes"), ["reviewer"]);
  assert.deepEqual(find("docs style"), ["style"]);
  assert.deepEqual(find("rvwer"), ["reviewer"], "letters in order");
  assert.deepEqual(find("nothing at all"), []);
});

test("fields narrow", () => {
  assert.deepEqual(find("kind:agent"), ["reviewer"]);
  assert.deepEqual(find("tag:quality re"), ["reviewer"]);
  assert.deepEqual(find("path:docs/ review"), ["review-rules", "previews"]);
  assert.deepEqual(find("is:unreferenced path:docs"), ["review-rules", "style"]);
  assert.ok(isEmpty(parse("  ")));
});

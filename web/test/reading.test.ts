import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, resolve } from "../src/reading";

test("where a link leads within the project", () => {
  const want: [string, string, string | null][] = [
    ["../docs/a.md#top", "x/y.md", "docs/a.md"],
    ["./b.md?raw", "docs/a.md", "docs/b.md"],
    ["/c.md", "docs/a.md", "c.md"],
    ["a%20b.md", "docs/x.md", "docs/a b.md"],
    ["../../out.md", "docs/a.md", null],
    ["https://example.com/a.md", "a.md", null],
    ["javascript:alert(1)", "a.md", null],
    ["//evil.example/a.md", "a.md", null],
    ["#here", "a.md", null],
    ["%E0%A4%A", "a.md", null],
  ];
  for (const [href, from, path] of want) assert.equal(resolve(href, from), path, href);
});

test("entities are read once, and only the known", () => {
  assert.equal(decode("&lt;b&gt; &amp;lt; &#65;&#x42; &unknown; &#x110000;"), "<b> &lt; AB &unknown; &#x110000;");
});

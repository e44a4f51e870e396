import assert from "node:assert/strict";
import { test } from "node:test";
import { near, route, webOf } from "../src/trace";
import { link, sheet } from "./map";

const s = sheet(["a", "b", "c", "d", "e", "f"], [link("a", "b"), link("b", "c"), link("c", "d"), link("e", "c"), link("a", "a")]);
const web = webOf(s.lines, s.items.length);
const at = (path: string) => s.items.findIndex((i) => i.path === path);
const all = () => true;
const names = (list: Iterable<number>) => [...list].map((i) => s.items[i].path).join("");

test("neighbours, by steps and direction", () => {
  assert.equal(names(near(s.lines, web, at("c"), 1, "both", all).keys()), "cdbe");
  assert.equal(names(near(s.lines, web, at("c"), 1, "out", all).keys()), "cd");
  assert.equal(names(near(s.lines, web, at("c"), 2, "in", all).keys()), "cbea");
  assert.equal(near(s.lines, web, at("c"), 9, "both", all).get(at("a")), 2);
  assert.equal(names(near(s.lines, web, at("c"), 9, "both", (i) => i !== at("b")).keys()), "cde");
});

test("a way follows links, and goes against them only when it must", () => {
  const there = route(s.lines, web, at("a"), at("d"), all)!;
  assert.equal(names(there.items), "abcd");
  assert.equal(there.against, false);
  assert.deepEqual(there.lines, [0, 1, 2]);
  const back = route(s.lines, web, at("d"), at("e"), all)!;
  assert.equal(names(back.items), "dce");
  assert.equal(back.against, true);
  assert.equal(route(s.lines, web, at("a"), at("f"), all), null);
});

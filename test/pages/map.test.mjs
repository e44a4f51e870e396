// The map page of `sm serve`: what people do with it, in a real browser.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { accessible, atEnd, close, open, shoot, soon, start } from "./browser.mjs";
import { harbour, project, serve } from "./project.mjs";

after(close);

// ready waits until the map is drawn and still.
async function ready(page, nodes) {
  await page.waitForFunction((n) => window.skillMap?.phase === "ready" && (n === undefined || window.skillMap.nodes === n), nodes);
  await page.waitForFunction(() => window.skillMap.chart() !== null && performance.getEntriesByName("first-picture").length > 0);
}

// at is where a node is on the page, in pixels.
async function at(page, path) {
  const spot = await page.evaluate((p) => {
    const s = window.skillMap.chart()?.spot(p);
    const r = document.querySelector(".map-box").getBoundingClientRect();
    return s && { x: s.x + r.left, y: s.y + r.top };
  }, path);
  assert.ok(spot, `${path} is not on the map`);
  return spot;
}

// places are where all nodes lie on the map itself, whatever is looked at.
const places = (page) => page.evaluate(() => window.skillMap.places());

const scanned = (t, files = harbour) => {
  const p = project(t, files);
  p.sm(["scan"]);
  return p;
};

const look = (url, hash) => `${url}/${hash}`;
const node = (path) => "#node=" + encodeURIComponent(path);

describe("first sight", () => {
  test("the map stands, needs nothing from elsewhere, and may run nothing of a stranger", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const answer = await fetch(s.url + "/");
    const policy = answer.headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const html = await answer.text();
    assert.match(html, new RegExp(`<meta name="skill-map-scope" content="${p.dir}">`));
    assert.match(html, /<meta name="skill-map-version" content="\d+\.\d+\.\d+">/);
    assert.doesNotMatch(html, /<script>|<style|style=|onload=/);
    for (const path of ["/some/deep/link", "/index.html"]) assert.match(await (await fetch(s.url + path)).text(), /id="page"/, path);
    assert.equal((await fetch(s.url + "/assets/none.js")).status, 404);

    const page = await open(t, s.url);
    await ready(page, 13);
    assert.equal(await page.title(), `${p.dir.split("/").pop()} · Skill map`);
    await page.getByText("Live", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.querySelectorAll("canvas").length > 3), true);
    // The picture is not blank: many colours.
    const colours = await page.evaluate(async () => {
      const c = document.querySelector(".map-over");
      const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      const seen = new Set();
      for (let i = 0; i < d.length; i += 4) seen.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]);
      return seen.size;
    });
    assert.ok(colours > 20, `${colours} colours of names`);
  });

  test("the same picture after a reload, and in a browser that keeps nothing", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const page = await open(t, s.url);
    await ready(page);
    const first = await places(page);
    await page.reload();
    await ready(page);
    assert.deepEqual(await places(page), first);
    const other = await open(t, s.url);
    await ready(other);
    assert.deepEqual(await places(other), first);
  });

  test("by links, the arrangement holds too, and going back moves nothing", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const folders = await places(page);
    await page.check("input[value=links]");
    await soon("nodes move", async () => JSON.stringify(await places(page)) !== JSON.stringify(folders));
    await page.waitForFunction(() => !document.body.innerText.includes("Arranging"));
    const links = await places(page);
    await page.reload();
    await ready(page);
    assert.deepEqual(await places(page), links);
    await page.check("input[value=folders]");
    await soon("nodes go back", async () => JSON.stringify(await places(page)) === JSON.stringify(folders));
  });
});

describe("find and filter", () => {
  test("search by keyboard alone, and the address shows the same to another", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    await page.keyboard.press("/");
    await page.keyboard.type("writ");
    await page.getByRole("option", { name: /writer/ }).waitFor();
    assert.equal(await page.getByRole("option").first().getAttribute("aria-selected"), "true");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "writer", level: 2 }).waitFor();
    await soon("the address names it", async () => page.url().includes("node=.claude%2Fagents%2Fwriter.md"));

    const other = await open(t, page.url());
    await ready(other);
    await other.getByRole("heading", { name: "writer", level: 2 }).waitFor();
    assert.equal(await other.inputValue("#finder"), "writ");
    await page.goBack();
    await page.getByRole("heading", { name: "writer", level: 2 }).waitFor({ state: "detached" });
    await page.goForward();
    await page.getByRole("heading", { name: "writer", level: 2 }).waitFor();
  });

  test("kinds, trouble and links narrow the map", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const shown = () => page.locator(".facts").innerText();
    await page.getByRole("button", { name: /^Skills/ }).click();
    await soon("skills are hidden", async () => /\b11 nodes/.test(await shown()));
    await page.check("input[value=filters]");
    await page.getByText("With a broken link").click();
    await soon("one is left", async () => /\b1 node\b/.test(await shown()));
    assert.match(page.url(), /only=broken/);
    await page.getByRole("button", { name: "Show everything" }).click();
    await soon("all are back", async () => /\b13 nodes/.test(await shown()));
    await page.getByText("Nothing links to it").click();
    await soon("unreferenced ones", async () => /\b\d nodes/.test(await shown()));
  });

  test("folders are hidden and shown from the tree, the nearest choice wins", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const tree = page.getByRole("tree", { name: "Files" });
    await tree.focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 40 && !/^docs,/.test(await current(page)); i++) await page.keyboard.press("ArrowDown");
    assert.match(await current(page), /^docs, folder of 4 nodes/);
    await page.keyboard.press("Space");
    await soon("docs is hidden", async () => /\b9 nodes/.test(await page.locator(".facts").innerText()));
    for (let i = 0; i < 40 && !/^plan\.md,/.test(await current(page)); i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await soon("one of it is shown", async () => /\b10 nodes/.test(await page.locator(".facts").innerText()));
    assert.match(page.url(), /scope=-docs&scope=%2Bdocs%2Fplan\.md/);
    await page.reload();
    await ready(page);
    await soon("as before", async () => /\b10 nodes/.test(await page.locator(".facts").innerText()));
  });

  const current = (page) => page.evaluate(() => {
    const row = document.getElementById(document.querySelector(".tree").getAttribute("aria-activedescendant"));
    return row ? row.querySelector(".row-name").textContent + row.querySelector(".sr").textContent : "";
  });

  test("a view is kept in the project, and opens with a digit", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const page = await open(t, look(s.url, "#scope=-docs"));
    await ready(page);
    await page.check("input[value=views]");
    await page.getByLabel(/Save what is shown/).fill("No <b>docs</b>");
    await page.keyboard.press("Enter");
    await page.getByText("View saved").waitFor();
    const file = join(p.dir, ".skill-map/views/no-b-docs-b.json");
    await soon("the file is there", () => existsSync(file));
    const view = JSON.parse(readFileSync(file, "utf8"));
    assert.deepEqual(view.overrides, [["docs", "exclude"]]);
    assert.equal(view.name, "No <b>docs</b>");
    await page.locator(".map-box").focus();
    await page.keyboard.press("a");
    await soon("all are shown", async () => /\b13 nodes/.test(await page.locator(".facts").innerText()));
    await page.keyboard.press("1");
    await soon("the view is open", async () => /\b9 nodes/.test(await page.locator(".facts").innerText()));
    await page.getByRole("button", { name: /^Delete/ }).click();
    await soon("the file is gone", () => !existsSync(file));
  });
});

describe("the map by hand", () => {
  test("a click selects, a double click focuses, Escape lets go", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    let spot = await at(page, ".claude/agents/reviewer.md");
    await page.mouse.click(spot.x, spot.y);
    await page.getByRole("heading", { name: "reviewer", level: 2 }).waitFor();
    await page.waitForTimeout(400); // longer than a double click
    spot = await at(page, ".claude/agents/reviewer.md");
    await page.mouse.dblclick(spot.x, spot.y);
    await page.getByText(/neighbours?$/).waitFor();
    const depth = page.getByRole("group", { name: "Depth" });
    await depth.getByRole("button", { name: /More steps/ }).click();
    assert.equal(await depth.locator("output").innerText(), "2");
    await page.locator(".map-box").focus();
    await page.keyboard.press("Escape");
    await depth.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "reviewer", level: 2 }).waitFor({ state: "detached" });
  });

  test("keys alone go from node to node, focus, hide and bring back", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    await page.locator(".map-box").focus();
    await page.keyboard.press("ArrowRight");
    const first = await page.locator(".sr[role=status]").last().innerText();
    assert.match(first, /tokens, \d+ links in/);
    await page.keyboard.press("ArrowLeft");
    await soon("another is told", async () => (await page.locator(".sr[role=status]").last().innerText()) !== first);
    await page.keyboard.press("Enter");
    await soon("details have the focus", () => page.evaluate(() => document.activeElement?.tagName === "H2"));
    await page.locator(".map-box").focus();
    await page.keyboard.press("f");
    await page.getByRole("group", { name: "Depth" }).waitFor();
    await page.keyboard.press("]");
    assert.equal(await page.locator(".stepper output").innerText(), "2");
    await page.keyboard.press("h");
    await soon("it is hidden", async () => /1 hidden/.test(await page.locator(".facts").innerText()));
    await page.keyboard.press("a");
    await soon("it is back", async () => /\b13 nodes/.test(await page.locator(".facts").innerText()));
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await accessible(page, "the list of keys");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { name: "Health", exact: true }).waitFor();
  });

  test("a path between two nodes, there and back", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, look(s.url, node("README.md")));
    await ready(page);
    await page.locator(".map-box").focus();
    await page.keyboard.press("p");
    await page.getByText("choose where to").waitFor();
    const spot = await at(page, ".claude/agents/writer.md");
    await page.mouse.click(spot.x, spot.y);
    await page.getByRole("heading", { name: "Path", exact: true }).waitFor();
    await page.locator(".mode").getByText(/: 3 steps/).waitFor();
    assert.match(page.url(), /from=README\.md&to=/);
    const back = await open(t, look(s.url, "#from=.claude%2Fagents%2Fwriter.md&to=README.md"));
    await ready(back);
    await back.getByText(/some against the links/).waitFor();
    await back.locator(".steps").getByText("README.md").waitFor();
  });

  test("a lasso selects several, which can be shown alone", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const a = await at(page, "docs/attic/old.md");
    const b = await at(page, "docs/attic/older.md");
    const box = { x0: Math.min(a.x, b.x) - 30, x1: Math.max(a.x, b.x) + 30, y0: Math.min(a.y, b.y) - 24, y1: Math.max(a.y, b.y) + 24 };
    await page.locator(".map-box").focus();
    await page.keyboard.press("l");
    await page.mouse.move(box.x0, box.y0);
    await page.mouse.down();
    for (const [x, y] of [[box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1], [box.x0, box.y0]]) await page.mouse.move(x, y, { steps: 5 });
    await page.mouse.up();
    await page.getByRole("heading", { name: "2 nodes" }).waitFor();
    await page.getByRole("button", { name: "Only these" }).click();
    await soon("two are left", async () => /\b2 nodes/.test(await page.locator(".facts").innerText()));
    await page.getByRole("button", { name: "Undo" }).click();
    await soon("all are back", async () => /\b13 nodes/.test(await page.locator(".facts").innerText()));
  });

  test("a dragged node stays where it was put, through reloads and arrangements", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const before = await places(page);
    const spot = await at(page, "README.md");
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 60, spot.y + 70, { steps: 6 });
    await page.mouse.up();
    await soon("it is elsewhere", async () => (await places(page))["README.md"].join() !== before["README.md"].join());
    const put = (await places(page))["README.md"];
    const rest = (p) => Object.fromEntries(Object.entries(p).filter(([k]) => k !== "README.md"));
    assert.deepEqual(rest(await places(page)), rest(before), "nothing else moved");
    await page.reload();
    await ready(page);
    assert.deepEqual((await places(page))["README.md"], put);
    await page.check("input[value=links]");
    await page.waitForFunction(() => !document.body.innerText.includes("Arranging"));
    await soon("pinned in the other arrangement too", async () => (await places(page))["README.md"].join() === put.join());
    await page.mouse.click(700, 500);
    await page.locator(".map-box").focus();
    await page.evaluate(() => (location.hash = "#by=links&node=README.md"));
    await page.reload();
    await ready(page);
    await page.locator(".map-box").focus();
    await page.keyboard.press("t");
    await page.getByText("Unpinned").waitFor();
  });

  test("near, nodes are cards; far, points", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, look(s.url, node(".claude/agents/reviewer.md")));
    await ready(page);
    assert.equal(await page.locator(".card").count(), 0);
    await page.evaluate(() => {
      const c = window.skillMap.chart();
      c.goTo(".claude/agents/reviewer.md", true);
      c.zoom(3, true);
    });
    const card = page.locator('.card[data-id=".claude/agents/reviewer.md"]');
    await card.waitFor();
    assert.match(await card.innerText(), /reviewer[\s\S]*tok[\s\S]*← 2[\s\S]*→ 2/);
    await card.click({ button: "right" });
    await page.getByRole("menuitem", { name: /Focus on its neighbours/ }).waitFor();
    await shoot(page, "map-cards");
    await page.keyboard.press("Escape");
    await page.mouse.move(700, 300);
    await soon("points again", async () => {
      await page.mouse.wheel(0, 400);
      await page.waitForTimeout(250);
      return (await page.locator(".card").count()) === 0;
    });
  });
});

describe("live", () => {
  test("an edit shows within a second or so and moves nothing else", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const page = await open(t, s.url);
    await ready(page, 13);
    await page.getByText("Live", { exact: true }).waitFor();
    const before = await places(page);
    p.write("docs/new.md", "# New\n\nSee [the plan](plan.md).\n");
    await page.waitForFunction(() => window.skillMap.nodes === 14);
    const afterwards = await places(page);
    for (const [path, spot] of Object.entries(before)) assert.deepEqual(afterwards[path], spot, path);
    assert.ok(afterwards["docs/new.md"]);
    await soon("a screen reader is told", async () => /The map changed/.test(await page.locator(".sr[role=status]").last().innerText()));
    p.remove("docs/new.md");
    await page.waitForFunction(() => window.skillMap.nodes === 13);
    assert.deepEqual(await places(page), before);
  });

  test("what agents do lights its node and is told", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, "about:blank");
    let say;
    await page.routeWebSocket("**/ws", (ws) => {
      ws.connectToServer();
      say = (type, data) => ws.send(JSON.stringify({ type, timestamp: Date.now(), runId: "r", jobId: null, data }));
    });
    await page.goto(look(s.url, "#panel=jobs"));
    await ready(page);
    await soon("the page listens", () => say);
    say("node.activity", { phase: "start", nodePath: ".claude/agents/writer.md", access: "read", detail: "<b>Read</b>", sticky: true });
    const panel = page.getByRole("complementary", { name: "Jobs" });
    await panel.getByText("read: .claude/agents/writer.md (<b>Read</b>)").waitFor();
    const lit = () => page.evaluate(() => window.skillMap.busy());
    assert.deepEqual(await lit(), [".claude/agents/writer.md"]);
    say("agent.spawn", { spawnId: "1", phase: "start", parentNodePath: ".claude/agents/reviewer.md", childName: "writer", childNodePath: ".claude/agents/writer.md" });
    await panel.getByText(".claude/agents/reviewer.md started writer").click();
    await page.getByRole("heading", { name: "writer", level: 2 }).waitFor();
    say("node.activity", { phase: "end", nodePath: ".claude/agents/writer.md" });
    await soon("it is dark again", async () => (await lit()).length === 0);
    say("job.completed", null);
    say("nonsense", { a: 1 });
  });

  test("when the server goes the page says so, and follows again when it is back", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const gone = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|WebSocket/;
    const page = await open(t, s.url, { allow: [gone] });
    await ready(page, 13);
    await page.getByText("Live", { exact: true }).waitFor();
    await s.stop();
    await page.getByRole("alert").getByText("The server does not answer").waitFor();
    await shoot(page, "map-lost");
    await accessible(page, "a lost server");
    p.write("docs/meanwhile.md", "# Meanwhile\n");
    await serve(t, p.dir, ["--port", s.port]);
    await page.getByRole("button", { name: "Try now", exact: true }).click();
    await page.waitForFunction(() => window.skillMap.nodes === 14);
    await page.getByText("Live", { exact: true }).waitFor();
  });
});

describe("details", () => {
  test("all that is known of a node", async (t) => {
    const p = scanned(t);
    p.sm(["config", "set", "allowEditSmFiles", "true"]);
    p.write(".claude/agents/reviewer.sm", sidecar("0".repeat(64)));
    p.sm(["scan"]);
    const s = await p.serve();
    const page = await open(t, look(s.url, node(".claude/agents/reviewer.md")));
    await ready(page);
    const details = page.getByRole("complementary", { name: "Details" });
    await details.getByRole("heading", { name: "reviewer", level: 2 }).waitFor();
    await details.getByText("Reads a change as the next maintainer would.").first().waitFor();
    await details.getByText("drifted").waitFor();
    await details.getByText("sm bump .claude/agents/reviewer.md").waitFor();
    await details.getByRole("button", { name: "writer" }).first().waitFor();
    await details.getByText("L7").first().waitFor();
    await details.getByRole("heading", { name: "Look for" }).waitFor();
    await details.locator(".markdown table").getByText("stop").waitFor();
    assert.equal(await details.locator(".markdown strong").innerText(), "missing");
    await details.getByRole("radio", { name: "Raw" }).check();
    await details.locator("pre.raw").getByText("## Look for").waitFor();
    await details.getByRole("button", { name: "style" }).first().click();
    await details.getByRole("heading", { name: "style", level: 2 }).waitFor();
  });

  const sidecar = (hash) => `identity:\n  path: .claude/agents/reviewer.md\n  bodyHash: "${hash}"\n  frontmatterHash: "${hash}"\nannotations:\n  version: 3\n  tags: [quality]\n`;

  test("an issue is dismissed with consent, and stays away", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const page = await open(t, look(s.url, node("CLAUDE.md")), { allow: [/412/] });
    await ready(page);
    const issue = page.locator(".problem", { hasText: "docs/lost.md" });
    await issue.getByText(/reference-broken/).waitFor();
    await issue.getByRole("button", { name: "Dismiss" }).click();
    const dialog = page.getByRole("dialog", { name: "Write to the sidecar?" });
    await dialog.waitFor();
    await shoot(page, "map-consent");
    await dialog.getByRole("button", { name: "This once" }).click();
    await page.getByText("Dismissed.").waitFor();
    await issue.waitFor({ state: "detached" });
    assert.match(readFileSync(join(p.dir, "CLAUDE.sm"), "utf8"), /docs\/lost\.md/);
  });

  test("an agent finds something, live, and a person settles it", async (t) => {
    const p = scanned(t);
    assert.equal(p.sm(["agent", "install"]).code, 0);
    const s = await p.serve();
    const page = await open(t, look(s.url, node("docs/plan.md")));
    await ready(page);
    await page.getByRole("button", { name: /^Ask an agent/ }).click();
    await page.locator(".launchers li", { hasText: "Vagueness" }).getByRole("button", { name: "Ask" }).click();
    await page.getByText("In the queue.").waitFor();
    await page.getByRole("button", { name: /^Jobs, 1 live/ }).click();
    const panel = page.getByRole("complementary", { name: "Jobs" });
    await panel.getByText("queued").waitFor();
    await panel.getByText("No agent has answered yet").waitFor();
    const claimed = JSON.parse(p.sm(["jobs", "claim", "--json"]).out);
    await panel.getByText("running").waitFor();
    const report = {
      confidence: 0.9, safety: { injectionDetected: false, contentQuality: "clean" },
      findings: [{ type: "vagueness", severity: "warn", message: "Says <b>soon</b> without a date.", detail: "Line 3." }],
    };
    const recorded = p.sm(["record", "--id", claimed.id, "--nonce", claimed.nonce, "--status", "completed", "--report", "-", "--model", "test-model"], JSON.stringify(report));
    assert.equal(recorded.code, 0, recorded.err);
    await panel.getByText("completed").waitFor();
    await panel.getByText("An agent works the queue").waitFor();
    await shoot(page, "map-jobs");
    await accessible(page, "the jobs panel");
    await panel.getByRole("button", { name: "Close" }).click();
    const finding = page.locator(".problem", { hasText: "without a date" });
    await finding.waitFor();
    assert.match(await finding.innerText(), /Says <b>soon<\/b> without a date/);
    await finding.getByRole("button", { name: "Fixed" }).click();
    await page.getByText("Marked as fixed.").waitFor();
    await page.getByRole("button", { name: /^fixed/ }).click();
    await page.locator(".problem", { hasText: "without a date" }).getByRole("button", { name: "Reopen" }).click();
    await page.getByText("Open again.").waitFor();
    await page.getByRole("button", { name: /^open/ }).click();
    await page.locator(".problem", { hasText: "without a date" }).getByRole("button", { name: "Dismiss" }).click();
    await page.getByText("Dismissed.", { exact: true }).waitFor();
  });

  test("what a stranger writes stays text", async (t) => {
    const evil = `<img src=x onerror="window.hit=1">`;
    const p = scanned(t, {
      [`docs/${evil.replaceAll("/", "")}.md`]: `---\nname: "<script>window.hit=2</script>"\ndescription: '"><svg onload=window.hit=3>'\ntags: ["<b>t</b>"]\nnested: {"<i>": ["<u>"]}\n---\n\n# <img src=x onerror=window.hit=4>\n\n<script>window.hit=5</script>\n\n<svg onload="window.hit=6"><a href="javascript:window.hit=7">x</a></svg>\n\n[click](javascript:window.hit=8) ![pic](https://evil.example/pixel.png "t") <javascript:window.hit=9>\n\n[data](data:text/html,<script>window.hit=10</script>)\n\n\`<b>\` and &lt;script&gt;\n\n[broken](<gone "><img src=x onerror=window.hit=11>.md>)\n`,
      "CLAUDE.md": "Ask @<img/src=x/onerror=window.hit=12> and see [it](docs/no-<b>-file.md).\n",
      ".claude/agents/x.md": "---\nname: <svg onload=window.hit=14>\ndescription: <b>bold</b>\ntools: [mcp__<img>__x]\n---\n\nSee [gone](../../<script>.md) and [that](../../docs/gone'\"><img src=x onerror=window.hit=15>.md).\n",
      ".mcp.json": '{"mcpServers":{"<img src=x onerror=window.hit=13>":{"command":"x"}}}\n',
    });
    const s = await p.serve();
    const page = await open(t, s.url);
    await ready(page);
    await page.keyboard.press("/");
    await page.keyboard.type("script");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "<script>window.hit=2</script>", level: 2 }).waitFor();
    await page.locator(".markdown").waitFor();
    assert.equal(await page.locator(".markdown img, .markdown script, .markdown svg:not(.icon), .markdown iframe").count(), 0);
    assert.equal(await page.locator("a[href^=javascript], a[href^=data]").count(), 0);
    assert.match(await page.locator(".markdown").innerText(), /<script>window\.hit=5<\/script>/);
    await page.evaluate(() => {
      const c = window.skillMap.chart();
      c.fit(null, true);
      c.zoom(4, true);
    });
    await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "Health" }).check();
    await page.getByRole("heading", { name: "Health", exact: true }).waitFor();
    for (const rule of await page.locator(".rules-row").all()) await rule.click();
    await shoot(page, "map-strangers");
    const [download] = await Promise.all([page.waitForEvent("download"), menu(page, "Picture, SVG")]);
    const svg = readFileSync(await download.path(), "utf8");
    assert.doesNotMatch(svg, /<img|<script|onload=[^&]*>/);
    assert.equal(await page.evaluate(() => window.hit), undefined);
  });
});

async function menu(page, item) {
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

describe("health and exports", () => {
  test("issues, context, duplicates and what lies about", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, look(s.url, "#view=health"));
    await ready(page);
    await page.getByRole("button", { name: /reference-broken/ }).click();
    await page.locator(".rules-list").getByText("docs/lost.md").waitFor();
    const claude = page.locator(".host", { hasText: "Claude Code" });
    await claude.getByRole("button", { name: /Always, whole/ }).click();
    await claude.getByText("imported by CLAUDE.md").waitFor();
    await page.getByRole("region", { name: "Duplicates" }).getByText("2 times").waitFor();
    await page.getByRole("region", { name: "Use" }).getByText("No data").waitFor();
    await page.getByRole("region", { name: "Links outside" }).getByText("example.com").waitFor();
    await accessible(page, "health");
    await page.getByRole("region", { name: "Unreferenced" }).getByRole("button", { name: "On the map" }).click();
    await soon("the map is filtered", () => page.url().includes("only=unreferenced"));
  });

  test("every file that can be saved", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url);
    await ready(page);
    const save = async (item) => {
      const [download] = await Promise.all([page.waitForEvent("download"), menu(page, item)]);
      return { name: download.suggestedFilename(), body: readFileSync(await download.path()) };
    };
    const svg = await save("Picture, SVG");
    assert.match(svg.name, /-map\.svg$/);
    assert.match(svg.body.toString(), /^<svg [\s\S]*reviewer[\s\S]*<\/svg>\n$/);
    const png = await save("Picture, PNG");
    assert.equal(png.body.subarray(1, 4).toString(), "PNG");
    const nodes = (await save("Nodes, CSV")).body.toString().trim().split("\r\n");
    assert.equal(nodes.length, 14);
    assert.match(nodes[0], /^path,name,kind/);
    const links = (await save("Links, CSV")).body.toString();
    assert.match(links, /CLAUDE\.md,docs\/lost\.md,references,[\d.]+,6,1/);
    const map = JSON.parse((await save("Map, JSON")).body);
    assert.equal(map.nodes.length, 13);
    assert.ok(map.links.some((l) => l.broken && l.target === "docs/lost.md"));
    assert.match((await save("Mermaid")).body.toString(), /^(graph|flowchart)/m);
  });
});

describe("quick start", () => {
  test("each step is ticked off when it is so", async (t) => {
    const p = scanned(t);
    const s = await p.serve(["--mcp"]);
    const page = await open(t, look(s.url, "#panel=start"));
    await ready(page);
    const step = (name) => page.getByRole("region", { name });
    await step("Teach it the queue").getByText("to do").waitFor();
    await step("Connect it over MCP").getByText(`claude mcp add --transport http --scope local skill-map ${s.url}/mcp`).waitFor();
    await step("Connect it over MCP").getByRole("button", { name: "Copy" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `claude mcp add --transport http --scope local skill-map ${s.url}/mcp`);
    await step("Teach it the queue").getByRole("button", { name: "Install it now" }).click();
    await step("Teach it the queue").getByText("done").waitFor();
    assert.ok(existsSync(join(p.dir, ".claude/skills/sm-process-jobs/SKILL.md")));
    const client = await connect(s.url + "/mcp");
    atEnd(t, () => client.close());
    await step("Connect it over MCP").getByText("done").waitFor();
    await shoot(page, "map-start");
    await accessible(page, "quick start");
  });

  test("a switched setting asks for a restart", async (t) => {
    const p = scanned(t);
    const s = await p.serve();
    const page = await open(t, look(s.url, "#panel=start"));
    await ready(page);
    await page.getByRole("button", { name: "Switch it on" }).click();
    await page.getByRole("status").getByText(/MCP is switched on in the settings, but this server started with it off/).waitFor();
    assert.equal(p.sm(["config", "get", "mcp.server.enabled"]).out.trim(), "true");
  });
});

// connect is a client of MCP as small as one can be: it says hello, listens and
// answers pings.
async function connect(url) {
  const stop = new AbortController();
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const post = (body, extra = {}) => fetch(url, { method: "POST", headers: { ...headers, ...extra }, body: JSON.stringify(body), signal: stop.signal });
  const hello = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } } });
  const session = { "Mcp-Session-Id": hello.headers.get("mcp-session-id"), "MCP-Protocol-Version": "2025-06-18" };
  await hello.text();
  await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
  const stream = await fetch(url, { headers: { ...session, Accept: "text/event-stream" }, signal: stop.signal });
  void (async () => {
    let text = "";
    try {
      for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
        text += part;
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
          text = text.slice(end + 2);
          const message = data ? JSON.parse(data) : null;
          if (message?.method === "ping") await post({ jsonrpc: "2.0", id: message.id, result: {} }, session);
        }
      }
    } catch {
      // Closed.
    }
  })();
  return { close: () => stop.abort() };
}

describe("designed states", () => {
  test("no map yet", async (t) => {
    const p = project(t, { "a.txt": "" });
    const s = await p.serve(["--no-watcher"]);
    const page = await open(t, s.url);
    await page.getByRole("heading", { name: "No map yet" }).waitFor();
    await page.getByText("sm scan").waitFor();
    await shoot(page, "map-missing");
    await accessible(page, "no map");
    p.write("a.md", "# A\n");
    p.sm(["scan"]);
    await page.getByRole("button", { name: "Look again" }).click();
    await ready(page, 1);
  });

  test("nothing to map", async (t) => {
    const p = scanned(t, { "a.txt": "nothing here" });
    const s = await p.serve();
    const page = await open(t, s.url);
    await page.getByRole("heading", { name: "Nothing to map" }).waitFor();
    await shoot(page, "map-empty");
    await accessible(page, "an empty project");
    p.write("first.md", "# First\n");
    await ready(page, 1);
  });

  test("loading, and a map that does not come", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, "about:blank", { allow: [/500/] });
    let held;
    const wait = new Promise((done) => (held = done));
    await page.route("**/api/scan", async (r) => {
      await wait;
      await r.fulfill({ status: 500, contentType: "application/json", body: '{"ok":false,"error":{"code":"db-drift","message":"The database was made by another version.","details":null}}' });
    });
    await page.goto(s.url);
    await page.getByRole("heading", { name: "Reading the map" }).waitFor();
    await shoot(page, "map-loading");
    held();
    await page.getByRole("heading", { name: "The map did not come" }).waitFor();
    await page.getByText("The database was made by another version.").waitFor();
    await shoot(page, "map-fault");
    await accessible(page, "a fault");
    await page.unroute("**/api/scan");
    await page.getByRole("button", { name: "Try again" }).click();
    await ready(page, 13);
  });

  test("a ceiling and files too large are told", async (t) => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`docs/f${i}.md`, `# F${i}\n\nSee [next](f${(i + 1) % 40}.md).\n`]));
    const p = project(t, { ...files, "huge.md": "x".repeat(1 << 21) });
    const s = await p.serve(["--max-scan", "20"]);
    const page = await open(t, s.url);
    await ready(page, 20);
    await page.getByText("The scan stopped at its ceiling of 20 nodes").waitFor();
    await shoot(page, "map-ceiling");
  });

  test("without WebGL the rest works", async (t) => {
    const s = await scanned(t).serve();
    const plain = await start(["--disable-webgl", "--disable-3d-apis"]);
    atEnd(t, () => plain.close());
    const page = await plain.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(15_000);
    await page.goto(s.url);
    await page.getByRole("heading", { name: "This browser draws no map" }).waitFor();
    await page.getByRole("treeitem", { name: /reviewer/ }).click();
    await page.getByRole("heading", { name: "reviewer", level: 2 }).waitFor();
    await shoot(page, "map-no-webgl");
  });
});

describe("a large map", () => {
  test("nothing is left out, and what stands out is named", async (t) => {
    const files = {};
    for (let i = 0; i < 900; i++) files[`docs/part-${i % 9}/page-${i}.md`] = `# Page ${i}\n\n${[1, 2, 3, 5].map((k) => `[p](../part-${(i + k) % 9}/page-${(i + k) % 900}.md)`).join(" ")}\n`;
    const p = scanned(t, { "CLAUDE.md": "# Top\n\n[first](docs/part-0/page-0.md) [gone](docs/gone.md)\n", ".claude/agents/a.md": "---\nname: a\ndescription: A.\n---\n", ...files });
    const s = await p.serve();
    const page = await open(t, look(s.url, node("docs/part-0/page-0.md")));
    await ready(page, 902);
    assert.equal(Object.keys(await places(page)).length, 903, "with the missing target");
    await page.getByText("900", { exact: true }).first().waitFor();
    await page.locator(".map-box").focus();
    await page.keyboard.press("f");
    await page.getByText("and 9 neighbours").waitFor();
    await page.waitForTimeout(500);
    await shoot(page, "map-large-focus");
    await page.keyboard.press("Escape");
    await page.evaluate(() => window.skillMap.chart().fit(null, true));
    await page.waitForTimeout(600);
    await shoot(page, "map-large");
    // The tree holds 900 files and makes only the rows that are seen.
    await page.getByRole("tree").focus();
    await page.keyboard.press("End");
    assert.ok((await page.getByRole("treeitem").count()) < 60);
    await page.getByRole("treeitem", { name: /CLAUDE\.md/ }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("path:docs/part-3 page-21");
    await page.getByText(/matches for/).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^page-21/, level: 2 }).waitFor();
  });
});

describe("pictures and accessibility", () => {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    for (const scheme of ["light", "dark"]) {
      test(`${width} px, ${scheme}`, async (t) => {
        const p = scanned(t);
        const s = await p.serve();
        const size = `${width}-${scheme}`;
        const page = await open(t, s.url, { width, height, scheme, motion: "reduce" });
        await ready(page, 13);
        await page.waitForTimeout(300);
        await shoot(page, `map-${size}`);
        await accessible(page, `the map, ${size}`);
        await page.goto(look(s.url, node(".claude/agents/reviewer.md")));
        await page.reload();
        await ready(page);
        await page.getByRole("heading", { name: "reviewer", level: 2 }).waitFor();
        await page.locator(".markdown").waitFor();
        await shoot(page, `map-details-${size}`);
        await accessible(page, `details, ${size}`);
        await page.goto(look(s.url, "#view=health"));
        await page.reload();
        await ready(page);
        await shoot(page, `map-health-${size}`);
        await accessible(page, `health, ${size}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `the page is ${wide} px wide`);
        await page.goto(look(s.url, "#by=links"));
        await page.reload();
        await ready(page);
        await page.waitForFunction(() => !document.body.innerText.includes("Arranging"));
        await page.waitForTimeout(300);
        await shoot(page, `map-links-${size}`);
        if (width < 800) {
          await page.getByRole("button", { name: "Files" }).click();
          await page.getByRole("tree").waitFor();
          await shoot(page, `map-files-${size}`);
          await accessible(page, `files, ${size}`);
        } else {
          await page.check("input[value=filters]");
          await page.getByText("Trouble").waitFor();
          await accessible(page, `filters, ${size}`);
        }
      });
    }
  }

  test("themes by hand outlive a reload, and 1280 to 390 px never scroll sideways", async (t) => {
    const s = await scanned(t).serve();
    const page = await open(t, s.url, { scheme: "light" });
    await ready(page);
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitemradio", { name: "Dark" }).click();
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), "dark");
    await page.reload();
    await ready(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    for (const width of [1280, 1024, 820, 600, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(150);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${width} px: ${over} too wide`);
    }
  });
});

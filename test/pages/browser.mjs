// A real Chromium for tests of pages: opened on one address, watched for errors
// and for requests that leave this machine, asked about accessibility, and
// photographed.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "..", "..");
const pictures = join(root, "screenshots");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Graphics are drawn in software: the machine may have no card, and every one
// then gives the same picture.
export const flags = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
];

const ends = new WeakMap();

// atEnd does something when the test is over, the last asked for first: a page
// closes before the server that it talks to.
export function atEnd(t, work) {
  let list = ends.get(t);
  if (!list) {
    list = [];
    ends.set(t, list);
    t.after(async () => {
      const faults = [];
      while (list.length > 0) {
        try {
          await list.pop()();
        } catch (err) {
          faults.push(err);
        }
      }
      if (faults.length > 0) throw faults[0];
    });
  }
  list.push(work);
}

let browser;

export async function start(extra = []) {
  const path = process.env.CHROMIUM || "/usr/bin/chromium";
  return chromium.launch({ executablePath: path, args: [...flags, ...extra] });
}

// open shows a page in a browser of its own profile, and fails the test when
// the page complains, or asks anything of another host.
export async function open(t, url, { width = 1440, height = 900, scheme = "light", motion = "no-preference", touch = width < 800, allow = [] } = {}) {
  browser ??= await start();
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: motion, hasTouch: touch, acceptDownloads: true });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints = [];
  page.on("console", (m) => {
    if (m.type() === "error" && !allow.some((a) => a.test(m.text() + " " + m.location().url))) complaints.push(`${m.text()} (${m.location().url})`);
  });
  page.on("pageerror", (e) => complaints.push(String(e.stack ?? e)));
  page.on("dialog", (d) => {
    complaints.push(`a dialog: ${d.message()}`);
    void d.dismiss();
  });
  page.on("request", (r) => {
    const u = new URL(r.url());
    if (!["data:", "blob:", "about:"].includes(u.protocol) && !["127.0.0.1", "localhost", "[::1]"].includes(u.hostname)) complaints.push(`a request to ${u.href}`);
  });
  atEnd(t, async () => {
    await context.close();
    assert.deepEqual(complaints, [], "the page complained");
  });
  await page.goto(url);
  return page;
}

// close ends the browser that tests shared.
export async function close() {
  await browser?.close();
  browser = undefined;
}

const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
// looks are the rules that another size and other colours can break.
export const looks = { type: "rule", values: ["color-contrast", "link-in-text-block", "target-size", "scrollable-region-focusable", "meta-viewport", "avoid-inline-spacing"] };

// accessible fails when axe finds something serious. It fetches no style sheets
// again for the two rules that would read them.
export async function accessible(page, what, rules = everything) {
  await page.evaluate(axe);
  const found = await page.evaluate((rules) => window.axe.run(document, { resultTypes: ["violations"], preload: false, runOnly: rules }), rules);
  const bad = found.violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 4).map((n) => `${n.target.join(" ")} ${n.failureSummary.split("\n").slice(1, 2).join("").trim()}`).join(" | ")}`);
  assert.deepEqual(bad, [], `axe on ${what}`);
}

// shoot writes a picture into screenshots/, which git ignores.
export async function shoot(page, name) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, name + ".png") });
}

// soon asks again until a question is answered with yes.
export async function soon(what, ask, within = 10_000) {
  const end = Date.now() + within;
  for (;;) {
    const got = await ask();
    if (got) return got;
    if (Date.now() > end) assert.fail(`not within ${within} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 40));
  }
}

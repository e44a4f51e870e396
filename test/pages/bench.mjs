// How a map of 10,000 nodes behaves: time to the first picture, frames per
// second while it is moved, memory. Drawn in software here, so a machine with a
// graphics card does better on frames.
//
//	node test/pages/bench.mjs [nodes]

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root, soon, start } from "./browser.mjs";

const wanted = Number(process.argv[2] ?? 10_000);
const program = process.env.SM || join(root, "bin", "sm");

// files are skills, agents, commands and documents that name each other, four
// links each, by a fixed rule.
function files(n) {
  const skills = Math.floor(n * 0.3);
  const agents = Math.floor(n * 0.2);
  const commands = Math.floor(n * 0.24);
  const docs = n - skills - agents - commands;
  let seed = 7;
  const any = (most) => (seed = (seed * 48271) % 2147483647) % most;
  const page = (i) => `docs/part-${i % 20}/page-${i}.md`;
  const text = () => `Run /skill-${any(skills)} first.\nThen /command-${any(commands)}.\nAsk @agent-${any(agents)}.\nSee [it](/${page(any(docs))}) or not.\n`;
  const out = new Map();
  for (let i = 0; i < skills; i++) out.set(`.claude/skills/skill-${i}/SKILL.md`, `---\nname: skill-${i}\ndescription: Does thing ${i}.\n---\n\n${text()}`);
  for (let i = 0; i < agents; i++) out.set(`.claude/agents/agent-${i}.md`, `---\nname: agent-${i}\ndescription: Is agent ${i}.\n---\n\n${text()}`);
  for (let i = 0; i < commands; i++) out.set(`.claude/commands/command-${i}.md`, `---\ndescription: Command ${i}.\n---\n\n${text()}`);
  for (let i = 0; i < docs; i++) out.set(page(i), `# Page ${i}\n\n${text()}`);
  return out;
}

const dir = mkdtempSync(join(tmpdir(), "pages-bench-"));
for (const [path, body] of files(wanted)) {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), body);
}
const env = { ...process.env, NO_COLOR: "1" };
spawnSync(program, ["scan", "--max-scan", String(wanted * 2)], { cwd: dir, env });
const server = spawn(program, ["serve", "--no-open", "--no-watcher", "--port", "0"], { cwd: dir, env, stdio: ["ignore", "ignore", "pipe"] });
let said = "";
server.stderr.on("data", (d) => (said += d));
const url = await soon("sm serve says where it is", () => /listening on (http:\/\/[^ ]+)/.exec(said)?.[1], 30_000);

const browser = await start(["--enable-precise-memory-info", "--js-flags=--expose-gc"]);
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-picture").length > 0);
  const first = await page.evaluate(() => performance.getEntriesByName("first-picture")[0].startTime);
  const took = await page.evaluate(() => window.skillMap.took);
  const nodes = await page.evaluate(() => window.skillMap.nodes);
  await page.waitForTimeout(1500);

  // frames counts what is drawn while the map is moved a little in each frame,
  // as a hand that pans does.
  const frames = async (scale) => {
    await page.evaluate((k) => {
      const c = window.skillMap.chart();
      c.fit(null, true);
      c.zoom(k, true);
    }, scale);
    await page.waitForTimeout(900);
    return page.evaluate(
      () =>
        new Promise((done) => {
          const chart = window.skillMap.chart();
          const drawn = [];
          const step = (t) => {
            drawn.push(t);
            if (t - drawn[0] > 5000) {
              const gaps = drawn.slice(3).map((at, i) => at - drawn[i + 2]).sort((a, b) => a - b);
              done({ fps: (1000 * gaps.length) / gaps.reduce((a, b) => a + b, 0), slow: gaps[Math.floor(gaps.length * 0.95)] ?? NaN });
              return;
            }
            chart.pan(5 * Math.cos(drawn.length / 25), 4 * Math.sin(drawn.length / 19));
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);
        }),
    );
  };
  const far = await frames(1);
  const near = await frames(8);

  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  const renderer = Math.max(...processInfo.filter((p) => p.type === "renderer").map((p) => resident(p.id)));
  const heap = await page.evaluate(() => {
    window.gc?.();
    return performance.memory.usedJSHeapSize / 1048576;
  });
  const n = (v, digits = 0) => v.toFixed(digits).padStart(8);
  console.log(`map page, ${nodes} nodes, drawn in software`);
  console.log(`${n(first)} ms  to the first picture (fetch ${took.fetch.toFixed(0)}, pack ${took.pack.toFixed(0)}, place ${took.place.toFixed(0)}, draw ${took.picture.toFixed(0)}; ${(took.bytes / 1e6).toFixed(1)} MB)`);
  console.log(`${n(far.fps, 1)} fps while panning the whole map (95 % of frames within ${far.slow.toFixed(0)} ms)`);
  console.log(`${n(near.fps, 1)} fps while panning near (95 % within ${near.slow.toFixed(0)} ms)`);
  console.log(`${n(heap)} MB  of script memory, ${renderer.toFixed(0)} MB resident in the page's process`);
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await new Promise((done) => server.once("exit", done));
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

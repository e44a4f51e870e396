// How a map of 10,000 nodes behaves: time to the first picture, frames per
// second while it is moved, memory. Drawn in software here, so a machine with a
// graphics card does better on frames.
//
//	node test/pages/bench.mjs [nodes]

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { cpus, loadavg, tmpdir } from "node:os";
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

const load = loadavg()[0];
const browser = await start(["--enable-precise-memory-info", "--js-flags=--expose-gc"]);
try {
  const cdp = await browser.newBrowserCDPSession();
  const processes = async () => (await cdp.send("SystemInfo.getProcessInfo")).processInfo;
  // spent is the processor's time of all that draws, in milliseconds: other
  // work on the machine makes frames fewer, but not dearer.
  const spent = async () => 1000 * (await processes()).filter((p) => p.type === "renderer" || p.type === "GPU").reduce((n, p) => n + p.cpuTime, 0);

  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("first-picture").length > 0);
  const firstCost = await spent();
  const first = await page.evaluate(() => performance.getEntriesByName("first-picture")[0].startTime);
  const took = await page.evaluate(() => window.skillMap.took);
  const nodes = await page.evaluate(() => window.skillMap.nodes);
  await page.waitForTimeout(1500);

  // frames counts what is drawn while the map is moved a little in each frame,
  // as a hand does that pans, or turns the wheel to and fro.
  const frames = async (scale, how) => {
    await page.evaluate((k) => {
      const c = window.skillMap.chart();
      c.fit(null, true);
      c.zoom(k, true);
    }, scale);
    await page.waitForTimeout(900);
    const before = await spent();
    const got = await page.evaluate(
      (how) =>
        new Promise((done) => {
          const chart = window.skillMap.chart();
          const drawn = [];
          const step = (t) => {
            drawn.push(t);
            if (t - drawn[0] > 5000) {
              const gaps = drawn.slice(3).map((at, i) => at - drawn[i + 2]).sort((a, b) => a - b);
              const at = (share) => gaps[Math.floor(gaps.length * share)] ?? NaN;
              done({ count: drawn.length, fps: (1000 * gaps.length) / gaps.reduce((a, b) => a + b, 0), best: 1000 / at(0.1), slow: at(0.95) });
              return;
            }
            if (how === "zoom") chart.zoom(Math.sin(drawn.length / 15) > 0 ? 1.03 : 1 / 1.03, true);
            else chart.pan(5 * Math.cos(drawn.length / 25), 4 * Math.sin(drawn.length / 19));
            requestAnimationFrame(step);
          };
          requestAnimationFrame(step);
        }),
      how,
    );
    return { ...got, cost: ((await spent()) - before) / got.count };
  };
  const rows = [
    ["panning the whole map", await frames(1, "pan")],
    ["panning where names are", await frames(8, "pan")],
    ["zooming", await frames(2, "zoom")],
  ];

  const resident = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  const renderer = Math.max(...(await processes()).filter((p) => p.type === "renderer").map((p) => resident(p.id)));
  const heap = await page.evaluate(() => {
    window.gc?.();
    return performance.memory.usedJSHeapSize / 1048576;
  });
  const n = (v, digits = 0) => v.toFixed(digits).padStart(8);
  console.log(`map page, ${nodes} nodes, drawn in software on ${cpus().length} cores, load ${load.toFixed(1)} before`);
  console.log(`${n(first)} ms  to the first picture (fetch ${took.fetch.toFixed(0)}, pack ${took.pack.toFixed(0)}, place ${took.place.toFixed(0)}, draw ${took.picture.toFixed(0)}; ${(took.bytes / 1e6).toFixed(1)} MB; ${firstCost.toFixed(0)} ms of processor)`);
  for (const [what, f] of rows) console.log(`${n(f.fps, 1)} fps while ${what} (the quickest tenth ${f.best.toFixed(0)} fps, 95 % within ${f.slow.toFixed(0)} ms; ${f.cost.toFixed(0)} ms of processor a frame)`);
  console.log(`${n(heap)} MB  of script memory, ${renderer.toFixed(0)} MB resident in the page's process`);
} finally {
  await browser.close();
  server.kill("SIGTERM");
  await new Promise((done) => server.once("exit", done));
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}

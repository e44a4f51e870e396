// A forge for its pages: people, repositories with all kinds of content, and a
// server on them.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { deflateSync, crc32 } from "node:zlib";
import { root, soon } from "./browser.mjs";

const program = process.env.SIGIT || join(root, "bin", "sigit");

// What a stranger writes in every place that takes a text. If one of them ever
// becomes markup, a dialog opens and the test fails.
export const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

const readme = `# Harbour

[![build](https://badges.example/build.svg)](https://ci.example/harbour) A small harness for agents. Start with [the style](docs/style.md).

| part | what it does |
|---|---|
| \`keel\` | keeps the ship upright |
| \`sail\` | moves it, [wind](docs/style.md#wind) given |

- [x] float
- [ ] sail

\`\`\`go
// Weigh lifts the anchor.
func Weigh(ctx context.Context, tons int) error {
	if tons > 40 {
		return fmt.Errorf("%d tons is too much", tons)
	}
	return nil
}
\`\`\`

![The mark](art/mark.svg) ![A square](art/square.png)

> Ships are safe in the harbour, but that is not what ships are for.

<script>alert("readme")</script><img src="x" onerror="alert(3)"><a href="javascript:alert(4)">a link</a>
`;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" onload="alert(5)"><script>alert(6)</script><circle cx="32" cy="32" r="28" fill="#0b5fc1"/><path d="M12 38h40l-8 12H20zM32 10v26" stroke="#fff" stroke-width="4" fill="#fff"/></svg>`;

// png is a square of one colour.
function png(size) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32 ? crc32(body) : slowCRC(body));
    return Buffer.concat([head, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(size * 3, 0x3b)]);
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", header), chunk("IDAT", deflateSync(Buffer.concat(Array(size).fill(row)))), chunk("IEND", Buffer.alloc(0))]);
}

function slowCRC(bytes) {
  let c = ~0;
  for (const b of bytes) {
    c ^= b;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return ~c >>> 0;
}

const go = (n) => `package keel

import (
	"context"
	"errors"
	"fmt"
)

// Keel keeps a ship upright. The zero value is a keel without weight.
type Keel struct {
	Tons  int    // what it weighs
	Wood  string // "oak" or "elm"
	Depth float64
}

// ErrSunk says that there is nothing left to keep upright.
var ErrSunk = errors.New("keel: the ship is gone")

// Right brings the ship upright again, from a lean in degrees.
func (k *Keel) Right(ctx context.Context, lean float64) error {
	for step := 0; step < ${n}; step++ {
		if lean > 90.0 {
			return fmt.Errorf("step %d: %w", step, ErrSunk)
		}
		lean *= 0.5
	}
	return ctx.Err()
}
`;

// world makes a forge on a folder of its own and serves it. It has alice, who
// administers, bob and mallory; alice's public harbour and private secret, and
// huge, with one of each thing that is too large.
export async function world(t, { flags = [], big = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "forge-"));
  const env = { ...process.env, SIGIT_DATA: join(dir, "data"), SEARCH_PROVIDER: "fake", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
  const sigit = (args, input) => execFileSync(program, args, { env, input, encoding: "utf8" });
  for (const name of ["alice", "bob", "mallory"]) {
    sigit(["user", "add", name, "--email", `${name}@example.org`, "--password-stdin", ...(name === "alice" ? ["--admin"] : [])], `password of ${name}\n`);
  }
  const token = sigit(["token", "add", "alice", "--label", "agent on the quay"]).trim();
  sigit(["repo", "add", "alice/harbour", "--description", "Keeps ships, and the agents that mend them"]);
  sigit(["repo", "add", "alice/secret", "--private", "--description", "Nobody else sees this"]);
  sigit(["repo", "add", "bob/empty"]);
  const child = spawn(program, ["serve", "--addr", "127.0.0.1:0", ...flags], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (d) => (said += d));
  child.stderr.on("data", () => {});
  const gone = new Promise((done) => child.on("exit", done));
  t.after(async () => {
    child.kill("SIGTERM");
    await gone;
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = await soon("sigit serve says where it is", () => {
    if (child.exitCode !== null) throw new Error("sigit serve ended");
    return /listens on (http:\/\/\S+)/.exec(said)?.[1];
  });
  const w = { url, token, api: (method, path, body, as = token) => api(url, as, method, path, body) };
  w.work = folder(dir, env, url, token);
  await harbour(w);
  if (big) await huge(w, sigit);
  return w;
}

async function api(url, token, method, path, body) {
  const r = await fetch(url + "/api/v1" + path, { method, headers: { authorization: "Bearer " + token, "content-type": "application/json", "user-agent": "claude-code/2.1 (test)" }, body: body && JSON.stringify(body) });
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${await r.text()}`);
  return r.status === 204 ? null : r.json();
}

// folder gives a working copy to make commits in.
function folder(dir, env, url, token) {
  const made = new Map();
  return (name) => {
    if (!made.has(name)) made.set(name, copy(dir, env, url, token, name));
    return made.get(name);
  };
}

function copy(dir, env, url, token, name) {
  const at = join(dir, "work", name.replace("/", "-"));
  mkdirSync(at, { recursive: true });
  const git = (...args) => execFileSync("git", ["-C", at, "-c", "user.name=Alice Quay", "-c", "user.email=alice@example.org", ...args], { env, encoding: "utf8", maxBuffer: 1 << 26 });
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", `${url.replace("://", `://alice:${token}@`)}/${name}.git`);
  return {
    git,
    write(path, text) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), text);
    },
    commit(message) {
      git("add", "-A");
      git("commit", "-q", "-m", message);
    },
    push: (...refs) => git("push", "-q", "origin", ...refs),
  };
}

async function harbour(w) {
  const work = w.work("alice/harbour");
  const files = {
    "README.md": readme,
    "docs/style.md": "# Style\n\nShort sentences.\n\n## Wind\n\nFrom the west.\n",
    "art/mark.svg": svg,
    "art/square.png": png(48),
    "keel/keel.go": go(12),
    "keel/keel_test.go": "package keel\n\nimport \"testing\"\n\nfunc TestRight(t *testing.T) {\n\tt.Log(\"upright\")\n}\n",
    "sail/sail.py": "import math\n\n\nclass Sail:\n    \"\"\"Moves a ship.\"\"\"\n\n    def force(self, wind: float, area: int = 12) -> float:\n        # half of it is lost\n        return math.sqrt(wind) * area / 2\n",
    ".claude/skills/mend/SKILL.md": "---\nname: mend\ndescription: Mends sails.\n---\n\n# Mend\n\nSew along the seam.\n",
    "hull.bin": Buffer.from([0, 1, 2, 3, 255, 254]),
    "page.html": "<!doctype html><title>x</title><script>alert(7)</script>",
    'evil "><img src=x onerror=alert(8)>.txt': `needle ${evil}\n`,
    "größe: 1.txt": "needle in Größe\n",
    "empty.txt": "",
  };
  for (const [path, text] of Object.entries(files)) work.write(path, text);
  work.commit("Build the harbour\n\nWith a keel and a sail.");
  work.write("keel/keel.go", go(16).replace("oak", "teak"));
  work.commit(`Mend the keel ${evil}`);
  work.push("main");
  work.git("tag", "-a", "v1.0", "-m", "The first");
  work.push("v1.0");
  work.git("switch", "-q", "-c", "agent/42");
  work.write("keel/keel.go", go(24).replace("lean *= 0.5", "lean *= 0.25").replace("// Keel keeps a ship upright.", "// Keel keeps a ship upright, whatever the wind."));
  work.write("sail/jib.py", "def jib():\n    return 'small'\n");
  work.git("rm", "-q", "keel/keel_test.go");
  work.git("mv", "docs/style.md", "docs/words.md");
  work.commit("Steady the keel in wind");
  work.push("agent/42");
  work.git("switch", "-q", "-c", "clash", "main");
  work.write("README.md", "# Another harbour\n");
  work.commit("Write the page anew");
  work.push("clash");
  work.git("switch", "-q", "main");
  work.write("README.md", readme + "\nA line more.\n");
  work.commit("Say a little more");
  work.push("main");
  const issue = (title, body) => w.api("POST", "/repositories/alice/harbour/issues", { title, body });
  await issue("The anchor does not hold in mud", "It slides. See [the style](docs/style.md).\n\n```sh\nanchor --drop --mud\n```\n\n- [ ] a heavier one\n- [x] a longer chain");
  await issue(`A title ${evil}`, `A body ${evil} [x](javascript:alert(9))`);
  for (let i = 0; i < 12; i++) await issue(`Rope number ${i + 1} is worn`, "It is old.");
  await w.api("POST", "/repositories/alice/harbour/issues/5/close");
  await w.api("POST", "/repositories/alice/harbour/issues/1/comments", { body: `A comment ${evil}\n\nand **bold** words.` });
  await w.api("POST", "/repositories/alice/harbour/pulls", { title: "Steady the keel in wind", body: "Halves the lean twice.\n\n- tested on water", head: "agent/42", base: "main" });
  await w.api("POST", "/repositories/alice/harbour/pulls", { title: "Write the page anew", head: "clash", base: "main" });
}

// huge has a folder of 5,000 files, a file of 20,000 lines and a difference of
// 3 MB.
async function huge(w, sigit) {
  sigit(["repo", "add", "alice/huge"]);
  const work = w.work("alice/huge");
  for (let i = 0; i < 5000; i++) work.write(`many/part-${String(i).padStart(4, "0")}.txt`, `part ${i}\n`);
  const line = (i, salt) => `func step${i}(n int) int { return n*${(i * 7919) % 1000} + ${salt} } // step ${i} of the way\n`;
  const long = (salt) => "package long\n\n" + Array.from({ length: 19_998 }, (_, i) => line(i, salt)).join("");
  work.write("long.go", long(1));
  for (let i = 0; i < 40; i++) work.write(`src/file${i}.go`, Array.from({ length: 500 }, (_, k) => line(k, i)).join(""));
  work.commit("Much of everything");
  work.push("main");
  work.git("switch", "-q", "-c", "more");
  work.write("long.go", long(2));
  for (let i = 0; i < 40; i++) work.write(`src/file${i}.go`, Array.from({ length: 500 }, (_, k) => line(k, i + (k % 3 ? 0 : 1000))).join(""));
  work.commit("Change nearly all of it");
  work.push("more");
}

// signIn goes through the form.
export async function signIn(page, w, name = "alice") {
  await page.goto(w.url + "/sign-in");
  await page.getByLabel("E-mail address").fill(`${name}@example.org`);
  await page.getByLabel("Password").fill(`password of ${name}`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(w.url + "/");
}

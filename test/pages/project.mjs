// Projects for the map page: folders with files, and a server on them.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { atEnd, root, soon } from "./browser.mjs";

const program = process.env.SM || join(root, "bin", "sm");
const quiet = { ...process.env, NO_COLOR: "1" };

// project makes a folder with these files, and forgets it after the test.
export function project(t, files) {
  const dir = mkdtempSync(join(tmpdir(), "pages-"));
  atEnd(t, () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const p = {
    dir,
    write(path, text) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    remove: (path) => rmSync(join(dir, path), { recursive: true, force: true }),
    // sm runs a command in the folder and gives what it printed.
    sm(args, input) {
      const ran = spawnSync(program, args, { cwd: dir, input, encoding: "utf8", env: quiet });
      return { code: ran.status, out: ran.stdout, err: ran.stderr };
    },
    serve: (args = []) => serve(t, dir, args),
  };
  for (const [path, text] of Object.entries(files)) p.write(path, text);
  return p;
}

// serve starts a server and waits until it listens.
export async function serve(t, dir, args) {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  const child = spawn(program, ["serve", "--no-open", ...port, ...args], { cwd: dir, env: quiet, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (d) => (said += d));
  const gone = new Promise((done) => child.on("exit", done));
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  atEnd(t, stop);
  const url = await soon("sm serve says where it is", () => {
    if (child.exitCode !== null) throw new Error(`sm serve ended: ${said}`);
    return /listening on (http:\/\/[^ ]+)/.exec(said)?.[1];
  });
  return { url, stop, port: new URL(url).port, said: () => said };
}

// harbour is a small project with one thing of each kind: a broken link, a
// drifted sidecar, duplicates, an import.
export const harbour = {
  "CLAUDE.md": "# Harbour\n\n@docs/style.md\n\nAsk @reviewer before you merge, and run /ship when done.\nSee [the plan](docs/plan.md) and [the lost page](docs/lost.md).\n",
  "README.md": "# Harbour\n\nStart with [the handbook](CLAUDE.md). Built on [the web](https://example.com/site) and [another](https://docs.example.org/a).\n",
  ".claude/agents/reviewer.md":
    "---\nname: reviewer\ndescription: Reads a change as the next maintainer would.\ntools: [Read, Grep]\n---\n\nFollow [the style](../../docs/style.md). Hand over to @writer.\n\n## Look for\n\n- unclear names\n- **missing** tests\n\n| sign | meaning |\n|---|---|\n| red | stop |\n",
  ".claude/agents/writer.md": "---\nname: writer\ndescription: Writes it down.\ntools: [Read, Write]\n---\n\nUse /changelog for the notes.\n",
  ".claude/commands/ship.md": "---\ndescription: Ships what is ready.\n---\n\n1. Run /changelog.\n2. Ask @reviewer.\n",
  ".claude/skills/changelog/SKILL.md": "---\nname: changelog\ndescription: Keeps the list of changes.\n---\n\nEntries look like [these](references/entries.md).\n",
  ".claude/skills/changelog/references/entries.md": "# Entries\n\nOne line each.\n",
  ".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Puts a build where people see it.\n---\n\nCheck [the plan](../../../docs/plan.md).\n",
  "docs/style.md": "# Style\n\nShort sentences.\n",
  "docs/plan.md": "# Plan\n\nSee [style](style.md).\n",
  "docs/attic/old.md": "# Copy\n\nThe same words, said twice in this place.\n",
  "docs/attic/older.md": "# Copy\n\nThe same words, said twice in this place.\n",
  ".mcp.json": '{"mcpServers":{"ledger":{"command":"ledger-mcp"}}}\n',
};

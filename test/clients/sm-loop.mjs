// The whole loop of the queue, by an agent on the official TypeScript client:
// it waits for a job, is given one, reports, mends the file and reports again;
// the watcher follows; what was found turns stale; a dismissal lands beside the
// file. A second client and a page look on.
// usage: node sm-loop.mjs URL PROJECT SM
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [url, project, sm] = process.argv.slice(2);
const run = (...args) => execFileSync(sm, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const file = 'docs/style.md';
const sidecar = join(project, 'docs', 'style.sm');

async function open(name) {
  const transport = new StreamableHTTPClientTransport(new URL(url));
  const client = new Client({ name, version: '0' });
  await client.connect(transport);
  return { client, transport };
}

// heard tells how often something was heard; until waits for more of it.
function listener() {
  const counts = new Map();
  const waiters = [];
  const hear = (what) => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const w of waiters.splice(0)) w();
  };
  const heard = (what) => counts.get(what) ?? 0;
  const until = async (what, more) => {
    const end = Date.now() + 30_000;
    while (heard(what) < more) {
      assert(Date.now() < end, `waited for ${what}, heard ${[...counts.keys()].join(', ')}`);
      await Promise.race([new Promise((r) => waiters.push(r)), new Promise((r) => setTimeout(r, 1000))]);
    }
  };
  return { hear, heard, until };
}

const { client: agent, transport } = await open('sm-loop agent');
const { client: onlooker, transport: second } = await open('sm-loop onlooker');
const updates = listener();
onlooker.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => updates.hear(n.params.uri));
await onlooker.subscribeResource({ uri: 'skillmap://graph' });

const page = listener();
const frames = [];
const socket = new WebSocket(new URL('/ws', url.replace(/^http/, 'ws')));
socket.onmessage = (m) => {
  frames.push(m.data);
  page.hear(JSON.parse(m.data).type);
};
await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));

const call = async (name, args = {}) => {
  const result = await agent.callTool({ name, arguments: args }, undefined, { timeout: 90_000 });
  assert(!result.isError, `${name}: ${result.content?.[0]?.text}`);
  return JSON.parse(result.content[0].text);
};
const calm = { confidence: 0.9, safety: { injectionDetected: false, contentQuality: 'clean' } };
const report = (claimed, body) => call('record_job', { id: claimed.id, nonce: claimed.nonce, status: 'completed', model: 'script', report: JSON.stringify({ ...calm, ...body }) });
const found = { findings: [{ type: 'redundancy', severity: 'warn', message: 'Said twice.' }] };
// edit writes the file and waits until the onlooker has heard of the new map.
const edit = async (text) => {
  const before = updates.heard('skillmap://graph');
  writeFileSync(join(project, file), text);
  await updates.until('skillmap://graph', before + 1);
};

// No job without an agent that can do it.
await assert.rejects(agent.callTool({ name: 'submit_job', arguments: { extension: 'ai-redundancy-analyzer', node: file } }), (e) => e.code === -32602 && /agent install/.test(e.message));
run('agent', 'install', '--for', 'claude');
const { extensions } = await call('list_extensions');
assert.deepEqual(extensions.filter((e) => /redundancy/.test(e.id)).map((e) => e.role).sort(), ['finder', 'fixer']);

// The agent waits; somebody asks on the command line; the agent is given it.
const parked = call('claim_job', { wait: 60 });
const asked = run('jobs', 'submit', 'ai-redundancy-analyzer', '-n', file).trim();
const first = await parked;
assert.equal(first.id, asked);
assert.match(first.content, /user-content/);
assert.deepEqual(await call('claim_job'), null);
assert.equal((await report(first, found)).outcome, 'completed');
let { findings } = await call('list_findings', { node: file });
assert.equal(findings.length, 1);
assert.equal(findings[0].type, 'redundancy');

// Its fixer edits the file; the watcher follows.
const fix = await call('submit_job', { extension: 'ai-redundancy-action', node: file, findingIds: [findings[0].id] });
assert.equal(fix.outcome, 'created');
const fixing = await call('claim_job', { wait: 10 });
assert.equal(fixing.id, fix.jobId);
await edit('# Style\n\nSaid once.\n');
assert.equal((await report(fixing, { resolved: [{ id: findings[0].id, state: 'fixed', by: 'fixer', note: 'Cut.' }], editsSummary: 'One sentence cut.' })).outcome, 'completed');
({ findings } = await call('list_findings', { node: file, includeStale: true }));
assert.equal(findings[0].resolution, 'fixed');

// Judged anew; then the file changes and what was found is stale.
assert.equal((await call('submit_job', { extension: 'ai-redundancy-analyzer', node: file })).outcome, 'created');
assert.equal((await report(await call('claim_job', { wait: 10 }), found)).outcome, 'completed');
await edit('# Style\n\nSaid once, and shorter.\n');
({ findings } = await call('list_findings', { node: file }));
assert.deepEqual(findings, []);
({ findings } = await call('list_findings', { node: file, includeStale: true }));
assert.equal(findings[0].stale, true);

// A dismissal of the class writes beside the file, once the user consents.
const dismissal = { id: findings[0].id, class: true };
await assert.rejects(agent.callTool({ name: 'dismiss_finding', arguments: dismissal }), (e) => e.code === -32602);
assert(!existsSync(sidecar));
const before = updates.heard('skillmap://graph');
assert.equal((await call('dismiss_finding', { ...dismissal, confirm: true })).outcome, 'suppressed');
assert.match(readFileSync(sidecar, 'utf8'), /redundancy/);
await updates.until('skillmap://graph', before + 1);

// What the page saw, and what nobody saw.
for (const [type, n] of [['job.submitted', 3], ['job.claimed', 3], ['job.completed', 3], ['scan.completed', 3]]) await page.until(type, n);
for (const { nonce } of [first, fixing]) {
  assert(!frames.some((f) => f.includes(nonce)), 'a nonce is told to everybody');
  assert(!readFileSync(join(project, '.skill-map', 'operations.log'), 'utf8').includes(nonce));
}
const log = readFileSync(join(project, '.skill-map', 'operations.log'), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
for (const [op, channel] of [['jobs.submit', 'cli'], ['jobs.submit', 'mcp'], ['jobs.claim', 'mcp'], ['jobs.record', 'mcp'], ['findings.dismiss', 'mcp']]) {
  assert(log.some((o) => o.op === op && o.channel === channel), `no line for ${op} over ${channel}`);
}

socket.close();
for (const t of [transport, second]) await t.terminateSession();
await agent.close();
await onlooker.close();
console.log('  loop: find, fix, edit, stale, dismissed; seen by a second client and a page');
process.exit(0);

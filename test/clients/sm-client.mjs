// The official TypeScript client of the handshake era against `sm serve --mcp`:
// shake hands, list, call, be refused, subscribe, hear of an edit, leave.
// usage: node sm-client.mjs URL PROJECT
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [url, project] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: 'sm-client', version: '0' });

// heard resolves waiters as notifications come in.
const heard = [];
const waiters = [];
function hear(what) {
  heard.push(what);
  for (const w of waiters.splice(0)) w();
}
async function until(what, from = 0) {
  const end = Date.now() + 20_000;
  while (!heard.slice(from).includes(what)) {
    assert(Date.now() < end, `waited for ${what}, heard ${heard.slice(from).join(', ')}`);
    await Promise.race([new Promise((r) => waiters.push(r)), new Promise((r) => setTimeout(r, 1000))]);
  }
}
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => hear(n.params.uri));
client.setNotificationHandler(ResourceListChangedNotificationSchema, () => hear('list'));

await client.connect(transport);
assert.equal(client.getServerVersion().name, 'skill-map');
assert.deepEqual(client.getServerCapabilities(), { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } });
assert.equal(transport.protocolVersion, '2025-11-25');

const { tools } = await client.listTools();
assert.deepEqual(tools.slice(0, 4).map((t) => t.name), ['query_graph', 'get_node', 'list_issues', 'get_branch']);
assert(tools.every((t) => t.description && t.title && t.annotations));

const graph = await client.callTool({ name: 'query_graph', arguments: {} });
assert.deepEqual(JSON.parse(graph.content[0].text), graph.structuredContent);
const paths = graph.structuredContent.nodes.map((n) => n.path);
assert(paths.includes('.claude/agents/editor.md') && paths.includes('AGENTS.md'), paths.join());
assert.equal(graph.structuredContent.total, paths.length);
assert.equal(graph.structuredContent.truncated, false);
assert(graph.structuredContent.links.some((l) => l.resolvedTarget === '.claude/agents/editor.md'), 'a mention resolves');

const node = await client.callTool({ name: 'get_node', arguments: { path: 'AGENTS.md', includeBody: true } });
assert.match(node.structuredContent.item.body, /Handbook/);
assert(node.structuredContent.issues.some((i) => i.analyzerId === 'reference-broken'));

for (const [name, args] of [['get_node', { path: 'none.md' }], ['get_node', {}], ['query_graph', { limit: 0 }], ['no_such_tool', {}]]) {
  await assert.rejects(client.callTool({ name, arguments: args }), (e) => e.code === -32602, `${name} ${JSON.stringify(args)}`);
}
await assert.rejects(client.listPrompts(), /prompts|not found/i);

const read = await client.readResource({ uri: 'skillmap://node/.claude/agents/editor.md' });
assert.equal(JSON.parse(read.contents[0].text).item.path, '.claude/agents/editor.md');
const encoded = await client.readResource({ uri: 'skillmap://node/.claude%2Fagents%2Feditor.md' });
assert.equal(JSON.parse(encoded.contents[0].text).item.path, '.claude/agents/editor.md');
await assert.rejects(client.subscribeResource({ uri: 'skillmap://nope' }), (e) => e.code === -32602);

// An edit reaches the map, the issues and the node, and not the list.
await client.subscribeResource({ uri: 'skillmap://graph' });
await client.subscribeResource({ uri: 'skillmap://node/AGENTS.md' });
let from = heard.length;
appendFileSync(join(project, 'AGENTS.md'), '\nOne more line.\n');
await until('skillmap://graph', from);
await until('skillmap://node/AGENTS.md', from);
assert(!heard.slice(from).includes('list'), 'the set of nodes did not change');
assert(!heard.slice(from).includes('skillmap://issues'), 'nobody subscribed to the issues');

// A new file changes the list; so does its end.
from = heard.length;
writeFileSync(join(project, 'docs', 'new.md'), '# New\n');
await until('list', from);
from = heard.length;
rmSync(join(project, 'docs', 'new.md'));
await until('list', from);

const status = await (await fetch(new URL('/api/mcp/status', url))).json();
assert.equal(status.clients, 1, 'the server sees this client');
await transport.terminateSession();
await client.close();
const after = await (await fetch(new URL('/api/mcp/status', url))).json();
assert.equal(after.clients, 0, 'and sees it go');
console.log(`  client ${transport.protocolVersion ?? ''}: ${tools.length} tools, updates, refusals`);

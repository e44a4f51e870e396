// The official TypeScript client of the stateless era against the same URL.
// usage: node sm-modern.mjs URL PROJECT
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, project] = process.argv.slice(2);
for (const [mode, version] of [['auto', '2026-07-28'], [{ pin: '2026-07-28' }, '2026-07-28'], ['legacy', '2025-11-25']]) {
  const client = new Client({ name: 'sm-modern', version: '0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  assert.equal(client.getNegotiatedProtocolVersion?.() ?? version, version);
  const { tools } = await client.listTools();
  assert.equal(tools[0].name, 'query_graph');
  const node = await client.callTool({ name: 'get_node', arguments: { path: 'AGENTS.md' } });
  assert.equal(node.structuredContent.item.path, 'AGENTS.md');
  await assert.rejects(client.callTool({ name: 'get_node', arguments: { path: 'none.md' } }));
  if (version === '2026-07-28') await hearsAnEdit(client);
  await client.close();
}
console.log('  client 2026-07-28: auto, pinned, legacy, updates');

async function hearsAnEdit(client) {
  let resolve;
  const updated = new Promise((r) => { resolve = r; });
  client.setNotificationHandler('notifications/resources/updated', (n) => resolve(n.params.uri));
  const subscription = await client.listen({ resourceSubscriptions: ['skillmap://graph'] });
  appendFileSync(join(project, 'AGENTS.md'), '\nAnd another.\n');
  const uri = await Promise.race([updated, new Promise((_, no) => setTimeout(() => no(new Error('no update came')), 20_000))]);
  assert.equal(uri, 'skillmap://graph');
  await subscription.close();
}

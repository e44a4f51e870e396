// The official TypeScript client of the stateless era against the same URL.
// usage: node sigit-modern.mjs URL TOKEN
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token] = process.argv.slice(2);
for (const [mode, version] of [['auto', '2026-07-28'], [{ pin: '2026-07-28' }, '2026-07-28'], ['legacy', '2025-11-25']]) {
  const client = new Client({ name: 'sigit-modern', version: '0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  assert.equal(client.getNegotiatedProtocolVersion?.() ?? version, version);
  const { tools } = await client.listTools();
  assert.deepEqual([tools.length, tools[0].name, tools[10].name], [11, 'list_repositories', 'web_search']);
  const list = await client.callTool({ name: 'list_repositories', arguments: {} });
  assert.equal(list.structuredContent.items[0].full_name, 'alice/notes');
  const missing = await client.callTool({ name: 'get_file_contents', arguments: {} });
  assert(missing.isError && /"repo" is missing/.test(missing.content[0].text), JSON.stringify(missing));
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }));
  await client.close();
}
console.log('  client 2026-07-28: auto, pinned, legacy');

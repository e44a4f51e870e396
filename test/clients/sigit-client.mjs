// The official TypeScript client of the handshake era against `sigit serve`:
// the acceptance criteria of the forge's tools, each tool once, and refusals.
// The client checks every structured answer against its tool's output schema.
// usage: node sigit-client.mjs URL TOKEN
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token] = process.argv.slice(2);

// Without a token: 401 with the challenge, whatever is asked.
const refused = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' });
assert.equal(refused.status, 401);
assert.equal(refused.headers.get('www-authenticate'), `Bearer realm="sigit", error="invalid_token", resource_metadata="${new URL(url).origin}/.well-known/oauth-protected-resource"`);
assert.deepEqual(await refused.json(), { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Unauthorized' } });
for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/api/v1/mcp']) {
  assert.equal((await (await fetch(new URL(path, url))).json()).resource, url);
}
const got = await fetch(url);
assert.equal(got.status, 405);
assert.equal(got.headers.get('allow'), 'POST');

const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
const client = new Client({ name: 'sigit-client', version: '0' });
await client.connect(transport);
assert.deepEqual(client.getServerVersion(), { name: 'sigit', title: 'siGit Code', version: '0.1.0' });
assert.deepEqual(client.getServerCapabilities(), { tools: { listChanged: false } });
assert.match(client.getInstructions(), /^Tools for siGit-hosted git repositories:/);
assert.equal(transport.sessionId, undefined);
await client.ping();

const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name), ['list_repositories', 'get_file_contents', 'search_code', 'list_issues', 'get_issue', 'create_issue',
  'list_pull_requests', 'get_pull_request', 'create_pull_request', 'add_issue_comment', 'web_search']);

// call calls a tool that must succeed, and reads its text as JSON.
async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert(!result.isError, `${name}: ${result.content[0].text}`);
  const value = JSON.parse(result.content[0].text);
  assert.deepEqual(Array.isArray(value) ? result.structuredContent.items : result.structuredContent, value);
  return value;
}
// fails calls a tool that must fail in band.
async function fails(name, args, words) {
  const result = await client.callTool({ name, arguments: args });
  assert(result.isError, `${name} succeeds`);
  assert.match(result.content.map((c) => c.text).join('\n'), words);
}

const repo = 'alice/notes';
const [listed] = await call('list_repositories', { query: 'NOTES' });
assert.deepEqual([listed.full_name, listed.default_branch, listed.private], [repo, 'main', true]);
const file = await call('get_file_contents', { repo, path: 'docs/größe: 1.md' });
assert.equal(file.content, '# Größe\n\nneedle --flag\n');
assert.equal(file.size, Buffer.byteLength(file.content));
assert.equal((await call('get_file_contents', { repo, path: 'pixel.bin' })).encoding, 'base64');
const [hit] = await call('search_code', { repo, query: '--FLAG' });
assert.deepEqual(hit, { path: 'docs/größe: 1.md', line: 3, snippet: 'needle --flag' });
assert.equal((await call('create_issue', { repo, title: 'Better words', body: 'Please.' })).number, 1);
assert.equal((await call('create_pull_request', { repo, title: 'Words', head: 'topic', base: 'main' })).number, 2);
assert.match((await call('add_issue_comment', { repo, number: '1', body: 'See #2.' })).url, /#comment-/);
assert.equal((await call('list_issues', { repo })).length, 1);
assert.equal((await call('list_pull_requests', { repo, state: 'all' })).length, 1);
assert.equal((await call('get_issue', { repo, number: 1 })).comments[0].body, 'See #2.');
const pull = await call('get_pull_request', { repo, number: 2.0 });
assert.match(pull.diff, /\+better words/);
assert.equal((await call('web_search', { query: 'words', count: 99 })).length, 10);

await fails('get_file_contents', { repo, path: 'none' }, /^File not found: none@main/);
await fails('get_file_contents', { repo: 'alice/none', path: 'x' }, /^Repository not found or not accessible/);
await fails('list_issues', { repo, labels: ['a'] }, /"labels" is no argument/);
await fails('get_issue', { repo, number: 2 }, /get_pull_request/);
await fails('create_pull_request', { repo, title: 'x', head: 'main', base: 'main' }, /different branches/);
for (const { name } of tools) {
  if (name !== 'list_repositories') await fails(name, undefined, /is missing/);
}
await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), (e) => e.code === -32602);
await assert.rejects(client.request({ method: 'no/such' }, { parse: (x) => x, safeParse: (x) => ({ success: true, data: x }) }), (e) => e.code === -32601);
await client.close();
console.log(`  client ${transport.protocolVersion}: ${tools.length} tools, refusals`);

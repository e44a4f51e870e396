// The official client over standard input and output: `sm mcp`.
// usage: node sm-stdio.mjs SM PROJECT
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [sm, project] = process.argv.slice(2);
const client = new Client({ name: 'sm-stdio', version: '0' });
await client.connect(new StdioClientTransport({ command: sm, args: ['mcp'], cwd: project, stderr: 'inherit' }));
const { tools } = await client.listTools();
assert.equal(tools[0].name, 'query_graph');
const node = await client.callTool({ name: 'get_node', arguments: { path: 'AGENTS.md' } });
assert.equal(node.structuredContent.item.path, 'AGENTS.md');
await client.close();
console.log('  client over pipes: list and call');

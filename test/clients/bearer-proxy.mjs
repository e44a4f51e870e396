// A proxy that adds a bearer token: the conformance suite cannot send one.
// It prints its address. usage: node bearer-proxy.mjs URL TOKEN
import { createServer, request } from 'node:http';

const [url, token] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const proxy = createServer((from, to) => {
  const on = request({ hostname, port, path: from.url, method: from.method, headers: { ...from.headers, authorization: `Bearer ${token}` } }, (answer) => {
    to.writeHead(answer.statusCode, answer.headers);
    answer.pipe(to);
  });
  on.on('error', () => to.destroy());
  to.on('close', () => on.destroy());
  from.pipe(on);
});
proxy.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}`));

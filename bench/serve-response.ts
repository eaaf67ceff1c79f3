import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `serve-response.js FILE`: answers every request on a free loopback port with the file, and prints the address. Ends
 * when its standard input does, so it never outlives the run that started it.
 */
const file = process.argv[2] ?? '';
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8', 'request-id': 'bench' });
    createReadStream(file, { highWaterMark: 256 * 1024 }).pipe(response);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit(0));

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * Answers on a free loopback port and prints the address. The process ends when its standard input does, so it never
 * outlives the run that started it.
 */
export function serve(answer: (request: IncomingMessage, body: string, response: ServerResponse) => void): void {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => answer(request, body, response),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.stdin.resume().on('end', () => process.exit(0));
}

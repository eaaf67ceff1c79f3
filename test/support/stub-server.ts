import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server on loopback whose answers a test writes itself; gone when the test ends. */
export async function stubServer(
  answer: (request: StubRequest, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly requests: readonly StubRequest[] }> {
  const requests: StubRequest[] = [];
  const server = createServer((incoming, response) => {
    // The clock of most tests is not the real one.
    response.sendDate = false;
    const parts: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => parts.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
      requests.push(request);
      answer(request, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A list of these elements that never ends, as fast as it is taken. */
export function endless(response: ServerResponse, element: string): void {
  let separator = '[';
  const more = () => {
    let taken = true;
    while (taken && !response.destroyed) {
      taken = response.write(separator + element);
      separator = ',';
    }
  };
  response.on('drain', more);
  more();
}

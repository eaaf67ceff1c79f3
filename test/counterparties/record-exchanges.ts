import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request and its answer, as text. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly sent: string;
  readonly status: number;
  readonly answered: string;
}

/** Stands before `upstream` and writes down everything that passes, uncompressed; gone when the test ends. */
export async function recordExchanges(upstream: string): Promise<{
  readonly url: string;
  readonly exchanges: readonly Exchange[];
}> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const sent = await text(incoming);
    const { 'accept-encoding': _, ...passed } = headers;
    const outgoing = request(upstream + path, { method, headers: passed }, async (answer) => {
      const answered = await text(answer);
      const status = answer.statusCode ?? 0;
      exchanges.push({ method, path, sent, status, answered });
      const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = answer.headers;
      response.writeHead(status, kept).end(answered);
    });
    outgoing.on('error', () => response.destroy());
    outgoing.end(sent);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges };
}

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../domain/log.ts';

/** What Node says of a request that it gave up reading. */
export type SocketError = Error & { readonly code?: string };

const REASONS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'it took too long to arrive'],
  HPE_HEADER_OVERFLOW: [431, 'its headers are too long'],
};

/** Answers a request that never became whole, and ends its connection. */
export function answerUnreadable({ code = '' }: SocketError, socket: Socket, log: Log): void {
  // Who went away waits for no answer.
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, reason] = REASONS[code] ?? [400, 'it is not HTTP'];
  log.warn(`Refused a request with ${status}: ${reason}.`);
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: reason });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}

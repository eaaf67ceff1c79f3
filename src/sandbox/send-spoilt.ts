import type { ServerResponse } from 'node:http';
import { unreachable } from '../domain/errors.ts';
import { encodedBody } from './encode-body.ts';
import type { SpoiltSending } from './faults.ts';
import type { Reply } from './reply.ts';

/** What gzip (RFC 1952) puts behind the data: checksum and length. */
const GZIP_TRAILER_BYTES = 8;

/** Sends a right answer in a wrong way. The whole body is made first: what is wrong often depends on its length. */
export async function sendSpoilt(
  response: ServerResponse,
  reply: Reply,
  fault: SpoiltSending,
  acceptsGzip: boolean,
): Promise<void> {
  const spoilsGzip = fault.kind === 'bad_gzip';
  const gzip = spoilsGzip ? fault.how !== 'plain' : acceptsGzip && reply.body.kind === 'batches';
  const body = await wholeBody(reply, gzip);
  const headers = { ...reply.headers, ...(gzip || spoilsGzip ? { 'content-encoding': 'gzip' } : {}) };
  switch (fault.kind) {
    case 'reset_at':
      await sendHead(response, reply.status, headers, body.subarray(0, fault.afterBytes));
      response.socket?.resetAndDestroy();
      return;
    case 'drip':
      return drip(response.writeHead(reply.status, headers), body, fault.bytes, fault.pauseMs);
    case 'wrong_length': {
      const length = Math.max(0, body.length + fault.excess);
      await sendHead(response, reply.status, { ...headers, 'content-length': length }, body);
      response.socket?.destroySoon();
      return;
    }
    case 'bad_chunk':
      await sendHead(response, reply.status, headers, body.subarray(0, fault.afterBytes));
      response.socket?.write('size unknown\r\n');
      response.socket?.destroySoon();
      return;
    case 'bad_gzip': {
      const wrong = fault.how === 'flip' ? flipped(body) : fault.how === 'cut' ? withoutTrailer(body) : body;
      response.writeHead(reply.status, { ...headers, 'content-length': wrong.length }).end(wrong);
      return;
    }
    default:
      return unreachable(fault);
  }
}

async function wholeBody({ body }: Reply, gzip: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of encodedBody(body, gzip)) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Resolves once the first bytes have left this process, so that what is done to the connection comes after them. */
function sendHead(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
  start: Buffer,
): Promise<void> {
  response.writeHead(status, { ...headers });
  response.flushHeaders();
  if (start.length === 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(start, () => setImmediate(resolve));
  });
}

/** Ends early when the client has gone. */
async function drip(response: ServerResponse, body: Buffer, bytes: number, pauseMs: number): Promise<void> {
  const gone = new Promise((resolve) => response.once('close', resolve));
  for (let sent = 0; sent < body.length && !response.destroyed; sent += bytes) {
    const left = new Promise((resolve) => response.write(body.subarray(sent, sent + bytes), resolve));
    await Promise.race([left, gone]);
    await pause(pauseMs);
  }
  response.end();
}

/** At least until what was written has left as a packet of its own. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => (milliseconds > 0 ? setTimeout(resolve, milliseconds) : setImmediate(resolve)));
}

function flipped(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 0x10;
  return copy;
}

function withoutTrailer(body: Buffer): Buffer {
  return body.subarray(0, Math.max(0, body.length - GZIP_TRAILER_BYTES));
}

import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { unreachable } from '../domain/errors.ts';
import type { Fault, SpoiltSending } from './fault-modes.ts';
import { HTML_TYPE, htmlPage, JSON_TYPE, type Reply, textReply } from './reply.ts';

export function replyInstead(fault: Fault | undefined): Reply | undefined {
  if (fault?.kind === 'status') {
    return textReply(fault.status, fault.contentType ?? JSON_TYPE, fault.body ?? '', fault.headers);
  }
  if (fault?.kind === 'html') {
    const status = fault.status ?? 200;
    return textReply(status, HTML_TYPE, htmlPage(status, 'Temporary page', 'This is not the service you asked for.'));
  }
  return undefined;
}

type LateFault = Exclude<Fault, { readonly kind: 'reset_before' | 'hang_before' }>;

/** Resolves when the answer is sent, cut off or withheld. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  fault: LateFault | undefined,
  acceptsGzip: boolean,
): Promise<void> {
  switch (fault?.kind) {
    case 'reset_after':
      response.socket?.resetAndDestroy();
      return;
    case 'hang_after':
      return;
    case 'replace':
      return sendBody(response, textReply(200, JSON_TYPE, fault.body), false);
    case 'cut':
    case 'stall':
    case 'truncate':
      return sendBody(response, reply, acceptsGzip, fault);
    case 'error_element':
      return sendBody(response, withErrorElement(reply, fault.afterBatches), acceptsGzip);
    case 'reset_at':
    case 'drip':
    case 'wrong_length':
    case 'bad_chunk':
    case 'bad_gzip':
      return sendSpoilt(response, reply, fault, acceptsGzip);
    case 'status':
    case 'html':
    case 'refuse_operations':
    case 'other_account':
    case 'other_answer':
    case 'withdraw_template':
    case undefined:
      return sendBody(response, reply, acceptsGzip);
    default:
      return unreachable(fault);
  }
}

type CutShort = Extract<Fault, { readonly kind: 'cut' | 'stall' | 'truncate' }>;

async function sendBody(response: ServerResponse, reply: Reply, acceptsGzip: boolean, fault?: CutShort): Promise<void> {
  const { body } = reply;
  const gzip = acceptsGzip && body.kind === 'batches';
  const headers: Record<string, string | number> = { ...reply.headers };
  if (gzip) headers['content-encoding'] = 'gzip';
  // `truncate` ends the response early but cleanly, so it must not announce the full length.
  if (body.kind === 'text' && fault?.kind !== 'truncate') headers['content-length'] = Buffer.byteLength(body.text);
  response.writeHead(reply.status, headers);
  response.flushHeaders();
  await writeChunks(response, encodedBody(body, gzip), fault?.afterBytes ?? Number.POSITIVE_INFINITY);
  if (fault?.kind === 'stall') return;
  if (fault?.kind !== 'cut') {
    response.end();
    return;
  }
  // Waits for the next tick, because the last chunk is still in the buffer.
  await new Promise((resolve) => setImmediate(resolve));
  response.socket?.destroySoon();
}

async function writeChunks(response: ServerResponse, chunks: AsyncIterable<Buffer>, bytesMax: number): Promise<void> {
  let left = bytesMax;
  if (left <= 0) return;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, Math.min(chunk.length, left));
    left -= part.length;
    if (!response.write(part)) await drained(response);
    if (left <= 0 || response.destroyed) return;
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    if (response.destroyed) done();
  });
}

function withErrorElement(reply: Reply, afterBatches: number): Reply {
  const { body } = reply;
  if (body.kind === 'text')
    return textReply(
      500,
      JSON_TYPE,
      '{"error":{"code":500,"message":"Internal error encountered.","status":"INTERNAL"}}',
    );
  return { ...reply, body: { ...body, batches: firstThenError(body.batches, afterBatches, body.errorElement) } };
}

function* firstThenError(batches: Iterable<string>, count: number, errorElement: string): Generator<string> {
  let sent = 0;
  for (const batch of batches) {
    if (sent >= count) break;
    sent += 1;
    yield batch;
  }
  yield errorElement;
}

/** Gzip ends with a checksum and a length, 4 bytes each (RFC 1952). */
const GZIP_TRAILER_BYTES = 8;

/** The whole body is built before sending, because many faults depend on its length. */
async function sendSpoilt(
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

/** Resolves after the headers and `start` were sent, or when the connection closes. */
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

async function drip(response: ServerResponse, body: Buffer, bytes: number, pauseMs: number): Promise<void> {
  const gone = new Promise((resolve) => response.once('close', resolve));
  for (let sent = 0; sent < body.length && !response.destroyed; sent += bytes) {
    const left = new Promise((resolve) => response.write(body.subarray(sent, sent + bytes), resolve));
    await Promise.race([left, gone]);
    await pause(pauseMs);
  }
  response.end();
}

/** Waits at least one tick, so that earlier bytes are sent separately. */
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

function encodedBody(body: Reply['body'], gzip: boolean): Readable {
  const plain = Readable.from(body.kind === 'text' ? [Buffer.from(body.text)] : arrayChunks(body.batches));
  return gzip ? gzipped(plain) : plain;
}

function* arrayChunks(batches: Iterable<string>): Generator<Buffer> {
  let before = '[';
  for (const batch of batches) {
    yield Buffer.from(before + batch);
    before = ',\n';
  }
  yield Buffer.from(before === '[' ? '[]' : ']');
}

/** The fastest compression, because on loopback the processor is the bottleneck. */
function gzipped(plain: Readable): Readable {
  return pipeline(plain, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined);
}

import type { ServerResponse } from 'node:http';
import { unreachable } from '../domain/errors.ts';
import { encodedBody } from './encode-body.ts';
import type { Fault } from './faults.ts';
import { HTML_TYPE, htmlPage, JSON_TYPE, type Reply, textReply } from './reply.ts';
import { sendSpoilt } from './send-spoilt.ts';

/** The fault's own answer, for faults that replace the work; undefined for the others. */
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

/** The faults that leave something to do after a request was read. */
type LateFault = Exclude<Fault, { readonly kind: 'reset_before' | 'hang_before' }>;

/** Writes the answer, spoilt as the fault says. Resolves when it is written, cut or given up by the client. */
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
      return sendBody(response, textReply(200, JSON_TYPE, fault.body), { kind: 'whole' }, false);
    case 'cut':
    case 'stall':
    case 'truncate':
      return sendBody(response, reply, fault, acceptsGzip);
    case 'error_element':
      return sendBody(response, withErrorElement(reply, fault.afterBatches), { kind: 'whole' }, acceptsGzip);
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
    case undefined:
      return sendBody(response, reply, { kind: 'whole' }, acceptsGzip);
    default:
      return unreachable(fault);
  }
}

type Extent = { readonly kind: 'whole' } | { readonly kind: 'cut' | 'stall' | 'truncate'; readonly afterBytes: number };

async function sendBody(response: ServerResponse, reply: Reply, extent: Extent, acceptsGzip: boolean): Promise<void> {
  const { body } = reply;
  const gzip = acceptsGzip && body.kind === 'batches';
  const headers: Record<string, string | number> = { ...reply.headers };
  if (gzip) headers['content-encoding'] = 'gzip';
  // An answer that is to end early but cleanly may not announce its length.
  if (body.kind === 'text' && extent.kind !== 'truncate') headers['content-length'] = Buffer.byteLength(body.text);
  response.writeHead(reply.status, headers);
  response.flushHeaders();
  await writeChunks(
    response,
    encodedBody(body, gzip),
    extent.kind === 'whole' ? Number.POSITIVE_INFINITY : extent.afterBytes,
  );
  if (extent.kind === 'stall') return;
  if (extent.kind !== 'cut') {
    response.end();
    return;
  }
  // The last chunk leaves the response's own buffer on the next tick; only then may the connection be closed.
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

/** Waits until the client has taken what was written, or has gone. */
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

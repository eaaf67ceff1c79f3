import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { Reply } from './reply.ts';

/** The bytes of a body as they are sent, in pieces that are made as they are asked for. */
export function encodedBody(body: Reply['body'], gzip: boolean): Readable {
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

/** Level 1: on loopback the processor is the bottleneck, not the wire. */
function gzipped(plain: Readable): Readable {
  return pipeline(plain, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined);
}

import type { FastifyRequest } from 'fastify';

/** The message is sent to the client, so the message must not quote the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly statusCode: number;

  constructor(statusCode: number, reason: string) {
    super(reason);
    this.statusCode = statusCode;
  }
}

/** `isWhole` is false if part of the form cannot be decoded. */
export function readForm(body: Uint8Array): { readonly fields: URLSearchParams; readonly isWhole: boolean } {
  const text = Buffer.from(body).toString('utf8');
  return { fields: new URLSearchParams(text), isWhole: text.split('&').every(isDecodable) };
}

/** The sender is not verified yet, so the form must not be parsed. */
export function hasMoreFields(body: Buffer, max: number): boolean {
  let fields = 1;
  for (let at = body.indexOf('&'); at !== -1 && fields <= max; at = body.indexOf('&', at + 1)) fields += 1;
  return fields > max;
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}

export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

import type { FaultName, FaultOption, FaultPlace } from '../domain/fault-text.ts';
import type { SandboxRequest } from './read-request.ts';

export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'html'; readonly status?: number }
  | { readonly kind: 'reset_before' }
  | { readonly kind: 'hang_before' }
  | {
      readonly kind: 'refuse_operations';
      readonly indexes: readonly number[];
      readonly errorCode: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'reset_after' | 'hang_after' }
  | { readonly kind: 'replace'; readonly body: string }
  /** `afterBytes` counts body bytes after compression. */
  | { readonly kind: 'cut' | 'stall' | 'truncate'; readonly afterBytes: number }
  /** Sends `afterBatches` batches, then an error element and a valid end of the JSON array. */
  | { readonly kind: 'error_element'; readonly afterBatches: number }
  /** A reset can lose bytes that were already sent. */
  | { readonly kind: 'reset_at' | 'bad_chunk'; readonly afterBytes: number }
  | { readonly kind: 'drip'; readonly bytes: number; readonly pauseMs: number }
  /** `excess` is the announced minus the real length, in bytes. Negative values are allowed. */
  | { readonly kind: 'wrong_length'; readonly excess: number }
  /** `flip`: one bit is wrong. `cut`: the end is missing. `plain`: the body is not compressed. */
  | { readonly kind: 'bad_gzip'; readonly how: 'flip' | 'cut' | 'plain' }
  | { readonly kind: 'other_account' | 'other_answer' | 'withdraw_template' };

export type SpoiltSending = Extract<
  Fault,
  { readonly kind: 'reset_at' | 'drip' | 'wrong_length' | 'bad_chunk' | 'bad_gzip' }
>;

export type FaultOptions = { readonly [Option in FaultOption]?: number | undefined };

export interface FaultMode {
  /** Predicate of a sentence, such as "resets the connection before any work". */
  readonly means: string;
  readonly wearsOut?: boolean;
  readonly fault: (options: FaultOptions, nowMs: number) => Fault;
}

const BYTES = 1000;

export const FAULT_MODES = {
  'reset-before': mode('resets the connection before any work', () => ({ kind: 'reset_before' })),
  'hang-before': mode('does nothing and never answers', () => ({ kind: 'hang_before' })),
  'reset-after': mode('does the work, then resets the connection without an answer', () => ({ kind: 'reset_after' })),
  'hang-after': mode('does the work and never answers', () => ({ kind: 'hang_after' })),
  cut: mode('closes the connection after `bytes` of the body', after('cut')),
  'reset-at': mode('resets the connection after `bytes` of the body', after('reset_at')),
  stall: mode('sends `bytes` of the body, then nothing; the connection stays open', after('stall')),
  truncate: mode('ends the body cleanly after `bytes`, as if it were complete', after('truncate')),
  drip: mode(
    'sends the body `piece` bytes at a time (1), with `pause` milliseconds between them (10)',
    ({ piece = 1, pause = 10 }) => ({ kind: 'drip', bytes: piece, pauseMs: pause }),
  ),
  'length-long': mode('announces a length that is `bytes` too long', ({ bytes = BYTES }) => ({
    kind: 'wrong_length',
    excess: bytes,
  })),
  'length-short': mode('announces a length that is `bytes` too short (10)', ({ bytes = 10 }) => ({
    kind: 'wrong_length',
    excess: -bytes,
  })),
  'bad-chunk': mode('sends a chunk with an invalid size after `bytes`', after('bad_chunk')),
  'gzip-flip': mode('compresses the body and flips one bit', () => ({ kind: 'bad_gzip', how: 'flip' })),
  'gzip-cut': mode('compresses the body without checksum and length', () => ({ kind: 'bad_gzip', how: 'cut' })),
  'gzip-plain': mode('declares the body compressed, but sends it plain', () => ({ kind: 'bad_gzip', how: 'plain' })),
  '401': mode('refuses the token', () =>
    refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
  ),
  'token-expires': {
    means: 'refuses a token after `after` requests (10) or `seconds` of use. A new token starts from zero',
    wearsOut: true,
    fault: () =>
      refusal(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials. The token has expired.'),
  },
  '404': mode('does nothing and answers 404 with an HTML page', () => ({ kind: 'html', status: 404 })),
  '411': mode('does nothing and answers 411 with an HTML page', () => ({ kind: 'html', status: 411 })),
  '429': mode('does nothing and answers 429: retry after `wait` seconds (30)', ({ wait = 30 }) =>
    tooMany({ 'retry-after': String(wait) }),
  ),
  '429-date': mode(
    'does nothing and answers 429: retry at an HTTP date, `wait` seconds from now (30)',
    ({ wait = 30 }, nowMs) => tooMany({ date: httpDate(nowMs), 'retry-after': httpDate(nowMs + wait * 1000) }),
  ),
  'quota-minute': mode(
    'does nothing and answers 429; only the body says to retry after `wait` seconds (30)',
    ({ wait = 30 }) => tooMany({}, 'RESOURCE_TEMPORARILY_EXHAUSTED', { quotaErrorDetails: { retryDelay: `${wait}s` } }),
  ),
  quota: mode('does nothing and reports the daily quota as used up', () => tooMany({}, 'RESOURCE_EXHAUSTED')),
  '500': mode('does nothing and answers 500', () => refusal(500, 'INTERNAL', 'Internal error encountered.')),
  '502': mode('does nothing and answers 502 with an HTML page', () => ({ kind: 'html', status: 502 })),
  '503': mode('does nothing and answers 503', () =>
    refusal(503, 'UNAVAILABLE', 'The service is currently unavailable.'),
  ),
  '504': mode('does nothing and answers 504', () => refusal(504, 'DEADLINE_EXCEEDED', 'Deadline exceeded.')),
  html: mode('does nothing and answers 200 with an HTML page', () => ({ kind: 'html' })),
  'error-element': mode('sends one batch of a stream, then an element with an error', () => ({
    kind: 'error_element',
    afterBatches: 1,
  })),
  empty: mode('does the work and answers 200 without a body', () => ({ kind: 'replace', body: '' })),
  'other-answer': mode('does the work and sends a valid answer to another request', () => ({ kind: 'other_answer' })),
  'template-withdrawn': mode('deletes the message template `pacekeeper_alert`, then does the work', () => ({
    kind: 'withdraw_template',
  })),
  'other-account': mode('does the work and sends the answer for another account', () => ({ kind: 'other_account' })),
} as const satisfies Readonly<Record<FaultName, FaultMode>>;

function mode(means: string, fault: FaultMode['fault']): FaultMode {
  return { means, fault };
}

function after(kind: 'cut' | 'reset_at' | 'stall' | 'truncate' | 'bad_chunk'): FaultMode['fault'] {
  return ({ bytes = BYTES }) => ({ kind, afterBytes: bytes });
}

export function refusal(code: number, status: string, message: string): Fault {
  return { kind: 'status', status: code, body: JSON.stringify({ error: { code, message, status } }) };
}

function tooMany(headers: Readonly<Record<string, string>>, quotaError?: string, details: object = {}): Fault {
  const message = 'Resource has been exhausted (e.g. check quota).';
  const item = { errorCode: { quotaError }, message: 'Too many requests.', details };
  const error = { code: 429, message, status: 'RESOURCE_EXHAUSTED' };
  const body = { error: quotaError === undefined ? error : { ...error, details: [{ errors: [item] }] } };
  return { kind: 'status', status: 429, body: JSON.stringify(body), headers };
}

function httpDate(epochMs: number): string {
  return new Date(epochMs).toUTCString();
}

export const FAULT_PLACES = {
  any: () => true,
  stream: ({ kind }) => kind === 'stream',
  search: ({ kind }) => kind === 'search',
  list: ({ kind }) => kind === 'list',
  fields: ({ kind }) => kind === 'fields',
  validate: ({ kind, validateOnly }) => kind === 'mutate' && validateOnly === true,
  mutate: ({ kind, validateOnly }) => kind === 'mutate' && validateOnly !== true,
  token: ({ kind }) => kind === 'token',
  message: ({ kind }) => kind === 'message' || kind === 'graph_send',
  lookup: ({ kind }) => kind === 'message_list' || kind === 'message_fetch',
} as const satisfies Readonly<Record<FaultPlace, (request: SandboxRequest) => boolean>>;

import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../../src/domain/errors.ts';
import { BatchScanner, type ScanEvent } from '../../../src/services/http/batch-scanner.ts';
import { Random } from '../inputs/random.ts';
import { claim, claimSame, type Target } from '../target.ts';

interface Scanner {
  push(chunk: Uint8Array): ScanEvent[];
  end(): void;
}

type Scan =
  | { readonly kind: 'read'; readonly events: readonly ScanEvent[] }
  | { readonly kind: 'refused'; readonly why: string };

/** The stream of batches: JSON.parse of the whole is the judge, however the network cuts the bytes. */
export function streamTarget(createScanner: () => Scanner = () => new BatchScanner()): Target {
  const scan = (chunks: readonly Uint8Array[]): Scan => {
    const scanner = createScanner();
    const events: ScanEvent[] = [];
    try {
      for (const chunk of chunks) events.push(...scanner.push(Uint8Array.from(chunk)));
      scanner.end();
      return { kind: 'read', events };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      claim(error.message !== '' && error.status !== '', () => 'A refusal without words');
      return { kind: 'refused', why: `${error.status} ${error.message}` };
    }
  };
  return {
    name: 'stream',
    tokens: [
      ...'[{"results":[ ]}] },{ "results": "fieldMask":"a,b" "requestId":"r"'.split(' '),
      ...'{"error":{"code":8,"status":"X"}} { } [ ] , : " \\ " true false null 1e5 -0.0 NaN 0x1 \'a\''.split(' '),
      '/*a*/',
      '\\u0041',
      '\\ud83d',
    ],
    seeds: () => [
      '[]',
      '[{"results":[{"campaign":{"id":"1","name":"a"},"metrics":{"clicks":"3","ctr":0.5}}],"fieldMask":"campaign.id"}]',
      '[{"results":[{"a":true},{"a":null}]},\n{"results":[],"requestId":"r"},{"fieldMask":"x"}]',
      '{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[]}}',
    ],
    judge(input) {
      const whole = scan([input]);
      const bytes = input.length <= 2_048 ? cut(input, [...input.keys()]) : [];
      const random = new Random(input.length * 31 + (input[0] ?? 0));
      const places = Array.from({ length: 1 + random.below(4) }, () => random.below(input.length + 1));
      for (const chunks of [bytes, cut(input, places)]) {
        if (chunks.length > 0) claimSame(told(scan(chunks)), told(whole), 'Another cut of the bytes reads otherwise');
      }
      claimAsParsed(input, whole);
    },
  };
}

function cut(input: Buffer, places: readonly number[]): Uint8Array[] {
  let from = 0;
  return [...places.toSorted((one, other) => one - other), input.length].map((to) => {
    const piece = input.subarray(from, to);
    from = to;
    return piece;
  });
}

function told(scan: Scan): unknown {
  if (scan.kind === 'refused') return scan;
  return scan.events.map(({ json, ...rest }) => ({ ...rest, json: Buffer.from(json).toString('latin1') }));
}

/** A name of one or two escaped characters, which Node 24 and 26 misread where the object's shape is known from before. */
const ESCAPED_NAME = /"(?:\\["\\/bfnrt]){1,2}"\s*:/;

const NOT_JSON = Symbol('not JSON');

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return NOT_JSON;
  }
}

/** What the scanner takes is what JSON.parse says, and what JSON.parse takes of this shape is taken by the scanner. */
function claimAsParsed(input: Buffer, scan: Scan): void {
  if (!isUtf8(input)) return;
  const value = parsed(input);
  const pieces = scan.kind === 'read' ? scan.events.map(({ kind, json }) => ({ kind, value: parsed(json) })) : [];
  const accepted = scan.kind === 'read' && pieces.every((piece) => piece.value !== NOT_JSON);
  if (accepted && input.toString('utf8').trimStart().startsWith('[')) {
    claim(value !== NOT_JSON, () => 'The scanner takes for JSON what is none');
  }
  if (!Array.isArray(value) || !value.every(isBatch)) return;
  if (scan.kind === 'refused') {
    claim(
      / twice/.test(scan.why) || /results|\\u/.test(input.toString()),
      () => `JSON of the right shape is refused: ${scan.why}`,
    );
    return;
  }
  const text = input.toString('utf8');
  // JSON.parse takes the last of two keys, knows a key however it is spelt, and takes some for a backslash (ESCAPED_NAME).
  if (
    (text.match(/"results"/g)?.length ?? 0) !== value.filter((batch) => 'results' in batch).length ||
    text.includes('\\u') ||
    ESCAPED_NAME.test(text)
  )
    return;
  const rows = pieces.flatMap((piece) => (piece.kind === 'rows' ? (piece.value as unknown[]) : []));
  claimSame(
    rows,
    value.flatMap(({ results }) => results ?? []),
    'The rows are not those of JSON.parse',
  );
  const rest = value.map((batch) => ('results' in batch ? { ...batch, results: [] } : batch));
  const envelopes = pieces.flatMap((piece) => (piece.kind === 'envelope' ? [piece.value] : []));
  claimSame(envelopes, rest, 'The batches are not those of JSON.parse');
}

function isBatch(value: unknown): value is { readonly results?: readonly unknown[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('results' in value) || Array.isArray(value.results);
}

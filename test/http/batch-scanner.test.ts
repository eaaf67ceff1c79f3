import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/domain/errors.ts';
import { BatchScanner, type ScanEvent } from '../../src/services/http/batch-scanner.ts';
import { byEffort } from '../support/effort.ts';

interface Scanned {
  readonly rows: readonly unknown[];
  readonly envelopes: readonly unknown[];
  readonly events: readonly ScanEvent[];
}

function scanEvents(chunks: Iterable<Uint8Array>): { readonly events: readonly ScanEvent[] } {
  const scanner = new BatchScanner();
  const events: ScanEvent[] = [];
  for (const chunk of chunks) events.push(...scanner.push(chunk));
  scanner.end();
  return { events };
}

function scan(chunks: Iterable<Uint8Array>): Scanned {
  const { events } = scanEvents(chunks);
  const parsed = (kind: ScanEvent['kind']) =>
    events.filter((event) => event.kind === kind).map(({ json }) => JSON.parse(Buffer.from(json).toString('utf8')));
  return { rows: parsed('rows').flat(), envelopes: parsed('envelope'), events };
}

const scanText = (text: string) => scan([Buffer.from(text)]);

/** The same bytes in pieces, in memory of their own as a network delivers them. */
function* cutAt(bytes: Buffer, cuts: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const end of [...cuts].sort((a, b) => a - b).concat(bytes.length)) {
    yield Uint8Array.from(bytes.subarray(start, end));
    start = end;
  }
}

const everyByte = (bytes: Buffer) => cutAt(bytes, [...bytes.keys()]);

/** What `JSON.parse` of the whole says the rows and the rest of the batches are. */
function expected(text: string): { rows: unknown[]; envelopes: unknown[] } {
  const batches = JSON.parse(text) as { results?: unknown[] }[];
  return {
    rows: batches.flatMap(({ results }) => results ?? []),
    envelopes: batches.map((batch) => ('results' in batch ? { ...batch, results: [] } : batch)),
  };
}

interface Style {
  /** Between any two tokens. */
  readonly gap: string;
  /** Every character of a string as `\uXXXX`. */
  readonly escaped: boolean;
}

function print(value: unknown, style: Style): string {
  const { gap } = style;
  if (typeof value === 'string') return printString(value, style);
  if (Array.isArray(value)) {
    return `[${gap}${value.map((item) => print(item, style)).join(`${gap},${gap}`)}${gap}]`;
  }
  if (typeof value === 'object' && value !== null) return printEntries(Object.entries(value), style);
  return JSON.stringify(value);
}

function printEntries(entries: readonly (readonly [string, unknown])[], style: Style): string {
  const { gap } = style;
  const members = entries.map(([key, value]) => `${printString(key, style)}${gap}:${gap}${print(value, style)}`);
  return `{${gap}${members.join(`${gap},${gap}`)}${gap}}`;
}

/** The one key that the scanner looks for is always written plainly. */
function printString(text: string, { escaped }: Style): string {
  if (!escaped || text === 'results') return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const awkwardText = fc.oneof(
  fc.constantFrom('', '"', '\\', '\\"', '\\\\', '{', '}', '[', ']', '],[', '}]', ',', ':', 'results', '"results":['),
  fc.constantFrom('\ud800', '\udfff', 'schön', '東京', '👟🏃', '\u0000', '\n\t\r', '\u2028', '[{"results":[]}]'),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é', '😀', '\ud83d') }),
);
/** Node 24 and 26 misread some names of one or two escaped characters: JSON.parse is no judge. */
const key = fc
  .oneof(fc.constantFrom('results', 'error', 'fieldMask', 'id'), awkwardText)
  .filter((name) => name.length !== 1 && !/^["\\\p{Cc}]{2}$/u.test(name));
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(awkwardText, fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
}));

const member = fc.tuple(
  key.filter((name) => name !== 'results'),
  json,
);
const batch = fc
  .record({
    before: fc.array(member, { maxLength: 3 }),
    results: fc.option(fc.array(json, { maxLength: 6 }), { freq: 8 }),
    after: fc.array(member, { maxLength: 3 }),
    style: fc.record({ gap: fc.constantFrom('', '', ' ', '\n', '\r\n\t'), escaped: fc.boolean() }),
  })
  .map(({ before, results, after, style }) => {
    const rows = results === null ? [] : [['results', results] as const];
    return printEntries([...before, ...rows, ...after], style);
  });
const response = fc
  .record({ batches: fc.array(batch, { maxLength: 4 }), gap: fc.constantFrom('', '\n', ' \r\n') })
  .map(({ batches, gap }) => `${gap}[${gap}${batches.join(`${gap},${gap}`)}${gap}]${gap}`);

describe('the content of a scanned response', () => {
  it('B14: equals what parsing the whole response gives, wherever the network cuts it', () => {
    fc.assert(
      fc.property(response, fc.array(fc.nat({ max: 2000 }), { maxLength: 8 }), (text, places) => {
        const bytes = Buffer.from(text);
        const whole = JSON.stringify(expected(text));
        const seen = ({ rows, envelopes }: Scanned) => JSON.stringify({ rows, envelopes });
        expect(seen(scan([bytes]))).toBe(whole);
        expect(seen(scan(everyByte(bytes)))).toBe(whole);
        const cuts = places.map((place) => place % (bytes.length + 1));
        expect(seen(scan(cutAt(bytes, cuts)))).toBe(whole);
      }),
      { numRuns: byEffort({ quick: 100, thorough: 300 }) },
    );
  });

  it('keeps the order: the rows of a batch come before its envelope', () => {
    const { events } = scanText('[{"results":[{"a":1}],"requestId":"r1"},{"fieldMask":"a","results":[{"a":2}]}]');
    expect(events.map(({ kind }) => kind)).toEqual(['rows', 'envelope', 'rows', 'envelope']);
  });

  it('B14: a batch of many rows is passed on in chunks, cut only between rows', () => {
    const row = (index: number) => ({ index, text: `],[{"${'schön, "x"'.repeat(90)}` });
    const rows = Array.from({ length: 9000 }, (_, index) => row(index));
    const text = JSON.stringify([{ results: rows, requestId: 'r1' }]);
    const bytes = Buffer.from(text);
    const blocks = Array.from({ length: 150 }, (_, index) => index * 64 * 1024);
    const { events, ...scanned } = scan(cutAt(bytes, blocks));
    expect(scanned).toEqual({ rows, envelopes: [{ results: [], requestId: 'r1' }] });
    const pieces = events.filter(({ kind }) => kind === 'rows');
    expect(pieces.length).toBe(Math.ceil(bytes.length / (256 * 1024)));
    for (const { json: piece } of pieces) expect(piece.length).toBeLessThan(256 * 1024 + 4096);
  });

  it('an escaped "results" key leaves its rows in the envelope, for its reader to refuse', () => {
    const { rows, envelopes } = scanText('[{"resul\\u0074s":[{"a":1}]}]');
    expect({ rows, envelopes }).toEqual({ rows: [], envelopes: [{ results: [{ a: 1 }] }] });
  });

  it.each(['result', 'resultsOf', 'xresults', 'results'.repeat(20), ''])(
    'a key such as "%s" is not "results"',
    (key) => {
      const { rows, envelopes } = scanText(`[{"${key}":[{"a":1}]}]`);
      expect({ rows, envelopes }).toEqual({ rows: [], envelopes: [{ [key]: [{ a: 1 }] }] });
    },
  );

  it.each(['{"a":1}', '{"a":[{"b":1}]}', '1', '"results"', 'null'])(
    '"results" that are no array stay in the envelope: %s',
    (value) => {
      const { rows, envelopes } = scanText(`[{"results":${value},"x":[{"a":1}],"y":"results","z":[2]}]`);
      const rest = { x: [{ a: 1 }], y: 'results', z: [2] };
      expect({ rows, envelopes }).toEqual({ rows: [], envelopes: [{ results: JSON.parse(value), ...rest }] });
    },
  );

  it('B15: accepts an error as one bare object and keeps its envelope', () => {
    const events = new BatchScanner().push(Buffer.from('{"error":{"code":400}}'));
    expect(events.map(({ json: piece }) => Buffer.from(piece).toString())).toEqual(['{"error":{"code":400}}']);
  });
});

describe('a truncated response', () => {
  const sample = '\n[{"results":[{"a":"x\\"]}"},{"b":[1,{"results":[]}]}],"fieldMask":"å"},\n{"results":[]}, {}]';

  it('never counts as complete, whichever byte was the last', () => {
    expect(scanText(sample).rows).toHaveLength(2);
    const bytes = Buffer.from(sample);
    const clean = [...bytes.keys()].filter((length) => {
      try {
        const scanner = new BatchScanner();
        scanner.push(bytes.subarray(0, length));
        scanner.end();
        return true;
      } catch (error) {
        expect(error).toMatchObject({ status: 'TRUNCATED', transient: true, outcome: 'unknown' });
        return false;
      }
    });
    expect(clean).toEqual([]);
  });
});

function refusalOf(text: string): ApiError {
  try {
    scanText(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`Nothing was found wrong with ${text.slice(0, 100)}.`);
}

describe('an invalid response', () => {
  const bulk = `{"a":"${'x'.repeat(256 * 1024)}"}`;
  it.each([
    ['an HTML page', '\n<!DOCTYPE html><title>502</title>', 'HTML'],
    ['nothing at all', '', 'TRUNCATED'],
    ['blank lines only', ' \r\n\t', 'TRUNCATED'],
    ['one batch outside an array', '{"results":[{"a":1}]}', 'TRUNCATED'],
    ['a batch whose opening bracket is missing', '{"results":[{"a":1}]}]', 'MALFORMED'],
    ['batches whose opening bracket is missing', '{"results":[]},{"results":[]}]', 'MALFORMED'],
    ['a comma after the last batch', '[{"results":[]},]', 'MALFORMED'],
    ['a comma before the first batch', '[,{"results":[]}]', 'MALFORMED'],
    ['two commas between batches', '[{},,{}]', 'MALFORMED'],
    ['no comma between two batches', '[{"results":[]}{"results":[]}]', 'MALFORMED'],
    ['text after the final bracket', '[{"results":[]}] ok', 'MALFORMED'],
    ['a second array after the first', '[][]', 'MALFORMED'],
    ['a comma after the final bracket', '[{}],', 'MALFORMED'],
    ['rows without a batch around them', '[[{"a":1}]]', 'MALFORMED'],
    ['a number for a batch', '[1]', 'MALFORMED'],
    ['plain text', 'Service Unavailable', 'MALFORMED'],
    ['a batch with "results" twice', '[{"results":[{"a":1}],"results":[{"a":2}]}]', 'MALFORMED'],
    ['a comma after the last row, where a chunk of rows ends', `[{"results":[${bulk},]}]`, 'MALFORMED'],
    ['a comma after the last row', '[{"results":[{"a":1},]}]', 'MALFORMED'],
    ['a comma after the last row, then white space', '[{"results":[{"a":1}, \n]}]', 'MALFORMED'],
    ['a comma after the last field of a row', '[{"results":[{"a":1,}]}]', 'MALFORMED'],
    ['a comma after the last element in a row', '[{"results":[{"a":[1,]}]}]', 'MALFORMED'],
    ['two commas between rows, where a chunk of rows ends', `[{"results":[${bulk}, ,{"a":1}]}]`, 'MALFORMED'],
    ['a comment between rows', '[{"results":[{"a":1}, /* b */ {"a":2}]}]', 'MALFORMED'],
    ['a comment in a row', '[{"results":[{"a":1 // b\n}]}]', 'MALFORMED'],
    ['single quotes', `[{"results":[{'a':1}]}]`, 'MALFORMED'],
    ['single quotes between rows', `[{"results":['a']}]`, 'MALFORMED'],
    ['a name without quotes', '[{"results":[{a:1}]}]', 'MALFORMED'],
    ['a name of the letters of literals without quotes', '[{"results":[{sale:1}]}]', 'MALFORMED'],
    ['a literal for a name', '[{"results":[{true :1}]}]', 'MALFORMED'],
    ['a hexadecimal number', '[{"results":[{"a":0x1F}]}]', 'MALFORMED'],
    ['NaN', '[{"results":[{"a":NaN}]}]', 'MALFORMED'],
    ['nan', '[{"results":[{"a":nan}]}]', 'MALFORMED'],
    ['Infinity', '[{"results":[{"a":-Infinity}]}]', 'MALFORMED'],
    ['a number with a plus', '[{"results":[{"a":+1}]}]', 'MALFORMED'],
    ['a number that begins with its point', '[{"results":[{"a":.5}]}]', 'MALFORMED'],
    ['a number that ends with its point', '[{"results":[{"a":5.}]}]', 'MALFORMED'],
    ['a number that begins with a zero', '[{"results":[{"a":05}]}]', 'MALFORMED'],
    ['a number without its exponent', '[{"results":[{"a":5e}]}]', 'MALFORMED'],
    ['white space that JSON does not know', '[{"results":[{"a":\u00a01}]}]', 'MALFORMED'],
    ['half a literal', '[{"results":[{"a":tru}]}]', 'MALFORMED'],
    ['an escape that JSON does not know', '[{"results":[{"a":"\\x41"}]}]', 'MALFORMED'],
    ['an escaped line end', '[{"results":[{"a":"b\\\nc"}]}]', 'MALFORMED'],
    ['the escape of NUL that JSON does not know', '[{"results":[{"a":"\\0"}]}]', 'MALFORMED'],
    ['such an escape where a row is a text', '[{"results":["\\x41"]}]', 'MALFORMED'],
    ['two arrays of rows in a row', '[{"results":[{"a":1}][{"a":2}]}]', 'MALFORMED'],
    ['a comma without a row, after much white space', `[{"results":[${' '.repeat(256 * 1024)},{"a":1}]}]`, 'MALFORMED'],
  ])('is refused: %s', (_, text, status) => {
    expect(refusalOf(text)).toMatchObject({ status, outcome: 'unknown' });
  });

  it.each([
    ['no comma between two rows', '[{"results":[{"a":1}{"a":2}]}]'],
    ['brackets that do not match', '[{"results":[{"a":1}}]]'],
    ['a batch without a colon', '[{"results" [{"a":1}]}]'],
    ['an array for a field after "results"', '[{"results":1,[{"a":1}]}]'],
    ['an array for a field in the next batch', '[{"results":1},{[{"a":1}]}]'],
    ['a value for a key', '[{"a":"results":[{"a":1}]}]'],
  ])('reaches the parser as a chunk that is not JSON: %s', (_, text) => {
    expect(() => scanText(text)).toThrow(SyntaxError);
  });

  it('names the found text and its place', () => {
    expect(refusalOf('[{}]x').message).toMatchInlineSnapshot(
      `"Found "x" between two batches of the stream, expected JSON."`,
    );
    expect(refusalOf('<html>').message).toMatchInlineSnapshot(
      `"The answer is an HTML page, expected a stream of batches."`,
    );
    expect(refusalOf('[{}').message).toMatchInlineSnapshot(`"The stream ended before its final "]"."`);
  });
});

/** The pieces of tokens that JSON and its relatives are made of. */
const token = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('{', '}', '[', ']', ',', ':', '"a":', '"b"', '1', ' ', '\n') },
  fc.constantFrom(...'null true false -1 0 10 1.5 1e3 1E-3 -0.0 "\\u0041" "}" 9223372036854775808'.split(' ')),
  fc.constantFrom(...`'a' a nan NaN Infinity inf 0x1 +1 .5 5. 01 - e E 1e 1e+ tru sale /*a*/`.split(' ')),
  fc.constantFrom(...`"\\x41" \\u0041 $ _ ; #`.split(' ')),
  fc.constantFrom('//a\n', '\u00a0', '\ufeff', '\f', '\v', '"\\\n"', '\0'),
);
const insideOfRow = fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join(''));

describe('text in rows that SQLite accepts and JSON does not', () => {
  const database = new Database(':memory:');
  afterAll(() => database.close());
  const read = database.prepare('SELECT json(CAST(? AS TEXT))').pluck();

  /** The piece as SQLite reads it; undefined where the scanner or SQLite refuses it. */
  function taken(text: string): { readonly bySqlite: string; readonly piece: string } | undefined {
    try {
      const { events } = scanEvents([Buffer.from(text)]);
      const piece = events.find(({ kind }) => kind === 'rows');
      const bySqlite = piece && (read.get(piece.json) as string);
      return bySqlite === undefined ? undefined : { bySqlite, piece: Buffer.from(piece?.json ?? []).toString() };
    } catch {
      return undefined;
    }
  }

  it('is refused: both read every accepted row alike', () => {
    fc.assert(
      fc.property(insideOfRow, fc.constantFrom('{"x":[', '{"x":', '{', ''), (inner, open) => {
        const close = { '{"x":[': ']}', '{"x":': '}', '{': '}', '': '' }[open];
        const found = taken(`[{"results":[${open}${inner}${close}]}]`);
        // Numbers are SQLite's own matter: it keeps what a float of JavaScript cannot hold.
        if (found) expect(JSON.parse(found.bySqlite)).toEqual(JSON.parse(found.piece));
      }),
      { numRuns: byEffort({ quick: 500, thorough: 1000 }) },
    );
  });

  it('leaves every JSON text unchanged', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 5 }), fc.constantFrom(undefined, 1, '\t', '\r\n '), (rows, indent) => {
        const text = JSON.stringify([{ results: rows }], null, indent).replaceAll('\r', ' ');
        expect(scanText(text).rows).toEqual(JSON.parse(text)[0].results);
      }),
    );
  });
});

describe('detection of booleans in rows', () => {
  const says = (value: unknown): boolean =>
    typeof value === 'boolean' || (typeof value === 'object' && value !== null && Object.values(value).some(says));

  it('works for every chunk, wherever the network cuts it, and ignores texts', () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), fc.nat({ max: 300 }), (rows, place) => {
        const bytes = Buffer.from(JSON.stringify([{ results: rows, requestId: 'true' }]));
        for (const cut of [0, place % bytes.length]) {
          const pieces = scanEvents(cutAt(bytes, [cut])).events.filter((event) => event.kind === 'rows');
          expect(pieces.map(({ booleans }) => booleans)).toEqual([says(rows)]);
        }
      }),
      { numRuns: byEffort({ quick: 100, thorough: 300 }) },
    );
  });

  it('works for each chunk separately', () => {
    const bulk = `{"a":"${'x'.repeat(256 * 1024)}","b":`;
    const { events } = scanEvents([Buffer.from(`[{"results":[${bulk}1},${bulk}true},${bulk}null},false]}]`)]);
    const pieces = events.filter((event) => event.kind === 'rows');
    expect(pieces.map(({ booleans }) => booleans)).toEqual([false, true, false, true]);
  });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { ApiError } from '../../../src/domain/errors.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { civilDate, parseCivilDate } from '../../../src/domain/parse-civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../../src/language/gaql/query-file.ts';
import type { StateFile } from '../../../src/storage/records/sqlite/open-state.ts';
import { ensureQueryTable } from '../../../src/storage/warehouse/evolve-table.ts';
import { beginLoad } from '../../../src/storage/warehouse/sqlite/load-slice.ts';
import { openedState } from '../../support/state.ts';
import type { Random } from '../inputs/random.ts';
import { claim, claimSame, type Target } from '../target.ts';

const CUSTOMER = customerId('1234567890');
const DAYS = { from: civilDate('2026-11-01'), to: civilDate('2026-11-30') };
const IDS = ['"1"', '"2"', '"9223372036854775807"', '7', '"9223372036854775808"', 'null', '"x"'];
const COUNTS = ['"9007199254740993"', '"-9223372036854775808"', '"9223372036854775807"', '3', '"03"', 'true', '1.5'];
const NAMES = ['"a"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u0000"', '"\\u0041"', '"日本"', '"\\""', '""', '5'];
const SHARES = ['0.1', '-0.0', '1e300', '5e-324', '0', '1e999', '"0.5"', 'null'];
const DATES = ['"2026-11-01"', '"2026-11-30"', '"2026-12-01"', '"2026-02-30"', '20261101', 'null'];

interface Row {
  readonly date: string;
  readonly id: bigint;
  readonly name: string | null;
  readonly clicks: bigint;
  readonly share: number;
}

/** Rows in pieces, one piece a line, into a table that SQLite keeps: it holds what JSON.parse reads, to the last digit. */
export function loaderTarget(begin: typeof beginLoad = beginLoad): Target {
  let opened: Promise<{ readonly state: StateFile; readonly query: QueryFile }> | undefined;
  return {
    name: 'loader',
    tokens: [...IDS, ...COUNTS, ...NAMES, ...SHARES, ...DATES, '"campaign":{', '"metrics":{', '},{', ']\n[', '{', ','],
    seeds: () => [
      '[{"campaign":{"id":"1","name":"a"},"metrics":{"clicks":"9007199254740993","ctr":0.1},"segments":{"date":"2026-11-01"}}]',
      '[{"campaign":{"id":"1"},"segments":{"date":"2026-11-01"}}]\n[{"campaign":{"id":"2"},"segments":{"date":"2026-12-01"}}]',
    ],
    generate: (random) => Array.from({ length: 1 + random.below(3) }, () => writtenPiece(random)).join('\n'),
    async judge(input) {
      opened ??= open();
      const { state, query } = await opened;
      const pieces = input.toString('utf8').split('\n');
      const texts = pieces.map(parsedArray);
      const found = await tableOf(begin, state, query, [pieces]);
      const rows = texts.every((rows) => rows !== undefined) ? texts.flat() : undefined;
      if (rows === undefined || !isUnambiguous(pieces, texts)) return;
      const expected = rows.map(rowFrom);
      if (!expected.every((row) => row !== undefined)) return;
      const isAsked = ({ date }: Row) => date >= DAYS.from && date <= DAYS.to;
      const keys = new Set(expected.map(({ date, id }) => `${date} ${id}`));
      if (keys.size < expected.length || !expected.every(isAsked)) {
        claim(found.kind === 'refused', () => 'A row with the key of another, or of another day, is not refused');
        return;
      }
      claim(found.kind === 'held', () => `Right rows are refused: ${found.kind === 'refused' && found.why}`);
      claimHeld(found.rows, expected);
      const cut = rows.map((row) => JSON.stringify([row]));
      claimSame(await tableOf(begin, state, query, [cut]), found, 'Rows in other pieces make another table');
      claimSame(await tableOf(begin, state, query, [pieces, pieces]), found, 'The same rows again change the table');
    },
  };
}

/** Opened once; what an input leaves in it is rolled back. */
async function open() {
  const { query } = checkQueryFile(
    'stats',
    `SELECT campaign.id, campaign.name, metrics.clicks, metrics.ctr, segments.date FROM campaign
      WHERE segments.date DURING LAST_7_DAYS`,
    { catalogue: loadCatalogue('v25') },
  );
  if (!query) throw new RangeError('The query of the table is none.');
  const state = await openedState(join(mkdtempSync(join(tmpdir(), 'pacekeeper-fuzz-')), 'state.sqlite'));
  await ensureQueryTable(state, query);
  return { state, query };
}

function writtenPiece(random: Random): string {
  const one = (values: readonly string[]) => (random.oneIn(6) ? random.pick(values) : (values[0] ?? ''));
  const row = () => {
    const metrics = random.oneIn(4) ? '' : `"clicks":${random.pick(COUNTS.slice(0, 4))},`;
    const campaign = `{"id":${random.oneIn(20) ? random.pick(IDS) : random.pick(IDS.slice(0, 4))},"name":${one(NAMES)}}`;
    return `{"campaign":${campaign},"metrics":{${metrics}"ctr":${one(SHARES)}},"segments":{"date":${one(DATES)}}}`;
  };
  return `[${Array.from({ length: random.below(4) }, row).join(',')}]`;
}

type Table =
  | { readonly kind: 'held'; readonly rows: readonly Row[] }
  | { readonly kind: 'refused'; readonly why: string };

/** What the table holds after these loads, one after the other; as it was before afterwards. */
async function tableOf(
  begin: typeof beginLoad,
  { connection }: StateFile,
  query: QueryFile,
  loads: readonly (readonly string[])[],
): Promise<Table> {
  connection.exec('BEGIN IMMEDIATE');
  try {
    for (const pieces of loads) {
      const load = begin({ connection }, { query, customerId: CUSTOMER, days: DAYS });
      for (const text of pieces) await load.add({ json: Buffer.from(text), booleans: /true|false/.test(text) });
      await load.finish();
    }
    const select =
      'SELECT date, campaign_id AS id, campaign_name AS name, clicks, ctr AS share FROM stats ORDER BY date, id';
    return { kind: 'held', rows: connection.prepare<[], Row>(select).all() };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    claim(error.message !== '' && error.status !== '', () => 'A refusal without words');
    return { kind: 'refused', why: error.message };
  } finally {
    connection.exec('ROLLBACK');
  }
}

function parsedArray(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** No key stands twice in an object: which of the two counts is nowhere said. Nor is a key written with escapes. */
function isUnambiguous(pieces: readonly string[], values: readonly unknown[]): boolean {
  const keysIn = (text: string) => text.match(/"\s*:/g)?.length ?? 0;
  return (
    pieces.every((piece, index) => keysIn(piece) === keysIn(JSON.stringify(values[index]))) &&
    !pieces.some(hasEscapedKey)
  );
}

const hasEscapedKey = (piece: string) => /\\[^"]*"\s*:/.test(piece);

/** The row as the service means it; undefined where a value is none that the service writes. */
function rowFrom(value: unknown): Row | undefined {
  const { campaign, metrics = {}, segments, ...more } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const groups = [campaign, metrics, segments].map((group) => (isGroup(group) ? group : undefined));
  const [{ id, name } = {}, { clicks = '0', ctr = 0 } = {}, { date } = {}] = groups;
  if (groups.includes(undefined) || Object.values(more).some((part) => typeof part === 'object')) return undefined;
  const key = int64From(id);
  const count = int64From(clicks);
  const day = typeof date === 'string' ? parseCivilDate(date) : undefined;
  if (key === undefined || count === undefined || day === undefined) return undefined;
  if (typeof ctr !== 'number' || !Number.isFinite(ctr) || !(name === undefined || typeof name === 'string'))
    return undefined;
  // What is no character is kept as the sign for it.
  const kept = name === undefined ? null : Buffer.from(name.replaceAll('\0', '\ufffd')).toString('utf8');
  return { date: day, id: key, name: kept, clicks: count, share: ctr };
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((part) => typeof part !== 'object');
}

/** As text or as a number that JSON.parse reads exactly. */
function int64From(value: unknown): bigint | undefined {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^(?:0|-?[1-9]\d{0,18})$/.test(value)) return undefined;
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value) ? BigInt(value) : undefined;
}

function claimHeld(found: readonly Row[], all: readonly Row[]): void {
  const expected = all.toSorted((one, other) =>
    one.date === other.date ? (one.id < other.id ? -1 : 1) : one.date < other.date ? -1 : 1,
  );
  const exact = ({ date, id, name, clicks }: Row) => [date, id, name, clicks];
  claimSame(found.map(exact), expected.map(exact), 'The rows are not those of JSON.parse');
  for (const [index, { share }] of expected.entries()) {
    const held = found[index]?.share ?? Number.NaN;
    // SQLite reads the last digit of a fraction in a way of its own.
    claim(
      Math.abs(held - share) <= Math.abs(share) * 1e-14 + 1e-320,
      () => `A fraction is another: ${held}, expected ${share}`,
    );
  }
}

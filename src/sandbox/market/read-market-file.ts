import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CsvError, type Info, type Parser, parse } from 'csv-parse';
import type { CivilDate } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { parseAmount } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { MatchType } from './market.ts';

/** The rows of a market file, column by column; the i-th elements of the arrays are one row. */
export interface MarketRows {
  readonly keywords: readonly FileKeyword[];
  /** Each day once, in the order of the file. */
  readonly dates: readonly CivilDate[];
  /** The row's place in `keywords` and in `dates`. */
  readonly keyword: readonly number[];
  readonly date: readonly number[];
  readonly impressions: readonly number[];
  readonly clicks: readonly number[];
  /** Undefined when the file has no cost column. Whole micros, together below 2^53. */
  readonly costMicros: readonly number[] | undefined;
}

export interface FileKeyword {
  readonly id: string;
  readonly campaign: string | undefined;
  readonly adGroup: string | undefined;
  readonly text: string | undefined;
  readonly matchType: MatchType;
}

const FINDINGS_MAX = 10;
const COUNT_MAX = 2_147_483_647;
const REQUIRED = ['date', 'keyword_id', 'impressions', 'clicks'];
const NEXT_STEP = `A market file is CSV, gzipped or not, with the columns ${REQUIRED.join(', ')}; campaign, ad_group, text, match_type and cost may be there too.`;

/**
 * Reads a CSV of keyword days in one pass. Throws InputError that names the file, the line, what was found and what was
 * expected, for the first ten wrong values.
 */
export async function readMarketFile(file: string): Promise<MarketRows> {
  const reader = rowReader(file);
  try {
    const parser = parse({ bom: true, relax_column_count: true, skip_empty_lines: true, on_record: reader.take });
    const unzip = (await isGzip(file)) ? [createGunzip()] : [];
    await pipeline([createReadStream(file), ...unzip, discarding(parser)]);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    const place = cause instanceof CsvError && typeof cause.lines === 'number' ? `${file}:${cause.lines}` : file;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Reading the market failed at ${place}; found "${reason}", expected a readable CSV file.`;
    throw new InputError(message, { nextStep: NEXT_STEP, cause });
  }
  return reader.finish();
}

/** Records are taken by the parser's callback; without somebody who reads it, the parser would stop. */
function discarding(parser: Parser): Parser {
  return parser.resume();
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return file.endsWith('.gz') || (bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b);
  } finally {
    await handle.close();
  }
}

type Cells = (column: string) => string | undefined;

function rowReader(file: string): { take(record: string[], info: Info): null; finish(): MarketRows } {
  const problems: string[] = [];
  const collect = rowCollector();
  let columns: ReadonlyMap<string, number> | undefined;
  const report = (line: number, problem: string) => {
    if (problems.length < FINDINGS_MAX) problems.push(`${file}:${line}: ${problem}`);
  };
  return {
    take(record, info) {
      if (columns === undefined) {
        const found = record.map((name) => name.trim().toLowerCase());
        columns = new Map(found.map((name, index) => [name, index]));
        const missing = REQUIRED.filter((name) => !found.includes(name));
        if (missing.length > 0) report(1, `found the columns ${found.join(', ')}, expected ${missing.join(', ')} too`);
        return null;
      }
      const names = columns;
      const cells: Cells = (column) => record[names.get(column) ?? -1];
      // A header that lacks a column makes every row wrong in the same way: once is enough.
      if (REQUIRED.every((name) => names.has(name))) {
        collect.add(cells, names.has('cost'), (problem) => report(info.lines, problem));
      }
      return null;
    },
    finish() {
      if (columns === undefined) report(1, 'found an empty file, expected a header');
      const rows = collect.rows(columns?.has('cost') ?? false);
      if (problems.length === 0 && rows.keyword.length === 0)
        report(2, 'found no rows after the header, expected some');
      const total = rows.costMicros?.reduce((sum, cost) => sum + cost, 0) ?? 0;
      if (total > Number.MAX_SAFE_INTEGER)
        report(1, 'found costs of more than 9,007,199,254 units together, expected less');
      if (problems.length === 0) return rows;
      throw new InputError(`Reading the market failed:\n${problems.join('\n')}`, { nextStep: NEXT_STEP });
    },
  };
}

function rowCollector() {
  const keywords: FileKeyword[] = [];
  const dates: CivilDate[] = [];
  const keyword: number[] = [];
  const date: number[] = [];
  const impressions: number[] = [];
  const clicks: number[] = [];
  const costMicros: number[] = [];
  const keywordPlaces = new Map<string, number>();
  const datePlaces = new Map<string, number>();

  const placeOfDate = (text: string): number | undefined => {
    const known = datePlaces.get(text);
    if (known !== undefined) return known;
    const parsed = parseCivilDate(text);
    if (parsed === undefined) return undefined;
    datePlaces.set(text, dates.length);
    return dates.push(parsed) - 1;
  };
  const placeOfKeyword = (cells: Cells, id: string): number | undefined => {
    const campaign = cells('campaign') || undefined;
    const adGroup = cells('ad_group') || undefined;
    const key = campaign === undefined && adGroup === undefined ? id : JSON.stringify([campaign, adGroup, id]);
    const known = keywordPlaces.get(key);
    if (known !== undefined) return known;
    const matchType = readMatchType(cells('match_type'));
    if (matchType === undefined) return undefined;
    keywordPlaces.set(key, keywords.length);
    const text = cells('text') || cells('keyword') || undefined;
    return keywords.push({ id, campaign, adGroup, text, matchType }) - 1;
  };

  return {
    add(cells: Cells, withCost: boolean, report: (problem: string) => void): void {
      const refuse = (column: string, expected: string) =>
        report(`found ${shown(cells(column))} as ${column}, expected ${expected}`);
      const id = cells('keyword_id') ?? '';
      const day = placeOfDate(cells('date') ?? '');
      const shows = readCount(cells('impressions'));
      const visits = readCount(cells('clicks'));
      const cost = withCost ? parseAmount(cells('cost') ?? '') : 0n;
      const member = /^[1-9]\d{0,17}$/.test(id) ? placeOfKeyword(cells, id) : undefined;
      if (day === undefined) refuse('date', 'a date YYYY-MM-DD');
      if (!/^[1-9]\d{0,17}$/.test(id)) refuse('keyword_id', 'digits');
      else if (member === undefined) refuse('match_type', 'EXACT, PHRASE or BROAD');
      if (shows === undefined) refuse('impressions', `a whole number up to ${COUNT_MAX}`);
      if (visits === undefined) refuse('clicks', `a whole number up to ${COUNT_MAX}`);
      if (cost === undefined) refuse('cost', 'a decimal amount such as 12.34');
      if ([day, member, shows, visits, cost].includes(undefined)) return;
      keyword?.push(member ?? 0);
      date?.push(day ?? 0);
      impressions?.push(shows ?? 0);
      clicks?.push(visits ?? 0);
      if (withCost) costMicros?.push(Number(cost));
    },
    rows(withCost: boolean): MarketRows {
      const columns = {
        keyword: keyword ?? [],
        date: date ?? [],
        impressions: impressions ?? [],
        clicks: clicks ?? [],
      };
      return { keywords, dates, ...columns, costMicros: withCost ? costMicros : undefined };
    },
  };
}

function readCount(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,10}$/.test(text)) return undefined;
  const count = Number(text);
  return count <= COUNT_MAX ? count : undefined;
}

function readMatchType(text: string | undefined): MatchType | undefined {
  const name = text === undefined || text === '' ? 'BROAD' : text.toUpperCase();
  return name === 'EXACT' || name === 'PHRASE' || name === 'BROAD' ? name : undefined;
}

function shown(text: string | undefined): string {
  return text === undefined ? 'nothing' : JSON.stringify(text.slice(0, 60));
}

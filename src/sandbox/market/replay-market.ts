import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { CsvError, type Info, parse } from 'csv-parse';
import type { CivilDate } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { budgetId, campaignId, customerId } from '../../domain/ids.ts';
import { type Micros, micros, parseAmount } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { Account, AdGroup, Campaign, Keyword, Market, MatchType } from './market.ts';
import { hashOf, uniform } from './random.ts';

/** One array per column. `keyword` and `date` contain indexes into `keywords` and `dates`. */
interface MarketRows {
  readonly keywords: readonly FileKeyword[];
  readonly dates: readonly CivilDate[];
  readonly keyword: readonly number[];
  readonly date: readonly number[];
  readonly impressions: readonly number[];
  readonly clicks: readonly number[];
  /** Whole micros, below 2^53 in total. Undefined if the file has no cost column. */
  readonly costMicros: readonly number[] | undefined;
}

interface FileKeyword {
  readonly id: string;
  readonly campaign: string | undefined;
  readonly adGroup: string | undefined;
  readonly text: string | undefined;
  readonly matchType: MatchType;
}

const FINDINGS_MAX = 10;
const COUNT_MAX = 2_147_483_647;
const REQUIRED = ['date', 'keyword_id', 'impressions', 'clicks'];
const NEXT_STEP = `Write a CSV file, gzipped or not, with the columns ${REQUIRED.join(', ')}. Optional: campaign, ad_group, text, match_type and cost.`;

/** Throws `InputError` for an unreadable file, or with the lines of the first ten problems. */
export async function readMarketFile(file: string): Promise<MarketRows> {
  const problems: string[] = [];
  const report = (line: number, problem: string) => {
    if (problems.length < FINDINGS_MAX) problems.push(`${file}:${line}: ${problem}`);
  };
  const rows = rowCollector();
  let columns: ReadonlyMap<string, number> | undefined;
  const take = (record: string[], { lines }: Info): null => {
    const names = columns;
    if (names === undefined) {
      const found = record.map((name) => name.trim().toLowerCase());
      columns = new Map(found.map((name, index) => [name, index]));
      const missing = REQUIRED.filter((name) => !found.includes(name));
      if (missing.length > 0) report(1, `found the columns ${found.join(', ')}, expected ${missing.join(', ')} too`);
      return null;
    }
    // A missing column is already reported, so rows must not report it again.
    if (!REQUIRED.every((name) => names.has(name))) return null;
    const cells: Cells = (column) => record[names.get(column) ?? -1];
    rows.add(cells, names.has('cost'), (problem) => report(lines, problem));
    return null;
  };
  try {
    const parser = parse({ bom: true, relax_column_count: true, skip_empty_lines: true, on_record: take });
    const unzip = (await isGzip(file)) ? [createGunzip()] : [];
    // `resume()` discards the output of the parser. Otherwise the parser would stop.
    await pipeline([createReadStream(file), ...unzip, parser.resume()]);
  } catch (cause) {
    const place = cause instanceof CsvError && typeof cause.lines === 'number' ? `${file}:${cause.lines}` : file;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Reading the market failed at ${place}: found "${reason}", expected a readable CSV file.`;
    throw new InputError(message, { nextStep: NEXT_STEP, cause });
  }
  const { costMicros, ...read } = rows.read;
  if (columns === undefined) report(1, 'found an empty file, expected a header');
  else if (problems.length === 0 && read.keyword.length === 0)
    report(2, 'found no rows after the header, expected at least one');
  if (costMicros.reduce((sum, cost) => sum + cost, 0) > Number.MAX_SAFE_INTEGER)
    report(1, 'found total costs above 9,007,199,254 currency units, expected less');
  if (problems.length === 0) return { ...read, costMicros: columns?.has('cost') ? costMicros : undefined };
  throw new InputError(`Reading the market failed:\n${problems.join('\n')}`, { nextStep: NEXT_STEP });
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

/** Returns the place of the item with this key. A new item gets the next place. Undefined if there is no item. */
function placesIn<Item>(items: Item[]): (key: string, make: () => Item | undefined) => number | undefined {
  const places = new Map<string, number>();
  return (key, make) => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (made === undefined) return undefined;
    places.set(key, items.length);
    return items.push(made) - 1;
  };
}

const ID = /^[1-9]\d{0,17}$/;

function rowCollector() {
  const keywords: FileKeyword[] = [];
  const dates: CivilDate[] = [];
  const counts = { keyword: [] as number[], date: [] as number[], impressions: [] as number[], clicks: [] as number[] };
  const costMicros: number[] = [];
  const placeOfDate = placesIn(dates);
  const placeOfKey = placesIn(keywords);
  const placeOfKeyword = (cells: Cells, id: string): number | undefined => {
    const campaign = cells('campaign') || undefined;
    const adGroup = cells('ad_group') || undefined;
    const key = campaign === undefined && adGroup === undefined ? id : JSON.stringify([campaign, adGroup, id]);
    return placeOfKey(key, () => {
      const matchType = readMatchType(cells('match_type'));
      return matchType && { id, campaign, adGroup, text: cells('text') || cells('keyword') || undefined, matchType };
    });
  };
  return {
    read: { keywords, dates, ...counts, costMicros },
    add(cells: Cells, withCost: boolean, report: (problem: string) => void): void {
      const refuse = (column: string, expected: string) =>
        report(`found ${shown(cells(column))} as ${column}, expected ${expected}`);
      const id = cells('keyword_id') ?? '';
      const date = cells('date') ?? '';
      const day = placeOfDate(date, () => parseCivilDate(date));
      const impressions = readCount(cells('impressions'));
      const clicks = readCount(cells('clicks'));
      const cost = withCost ? parseAmount(cells('cost') ?? '') : 0n;
      const keyword = ID.test(id) ? placeOfKeyword(cells, id) : undefined;
      if (day === undefined) refuse('date', 'a date YYYY-MM-DD');
      if (!ID.test(id)) refuse('keyword_id', 'digits');
      else if (keyword === undefined) refuse('match_type', 'EXACT, PHRASE or BROAD');
      if (impressions === undefined) refuse('impressions', `a whole number up to ${COUNT_MAX}`);
      if (clicks === undefined) refuse('clicks', `a whole number up to ${COUNT_MAX}`);
      if (cost === undefined) refuse('cost', 'a decimal amount such as 12.34');
      if (day === undefined || keyword === undefined || impressions === undefined || clicks === undefined) return;
      if (cost === undefined) return;
      counts.keyword.push(keyword);
      counts.date.push(day);
      counts.impressions.push(impressions);
      counts.clicks.push(clicks);
      if (withCost) costMicros.push(Number(cost));
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

const CAMPAIGNS_DEALT = 12;
const AD_GROUPS_DEALT = 4;

/** Budget changes do not affect the rows. Throws `InputError` for an invalid file. */
export async function replayMarket(file: string, seed: number): Promise<Market> {
  const rows = await readMarketFile(file);
  const costs = rows.costMicros ?? simulateCosts(rows, seed);
  const account = buildAccount(`Market ${basename(file)}`, rows, costs, seed);
  const days = indexByDay(rows);
  const ascending = [...rows.dates].sort();
  const from = ascending[0];
  const to = ascending.at(-1);
  return {
    identity: `market ${basename(file)}`,
    seed,
    simulatedCost: rows.costMicros === undefined,
    accounts: [account],
    ...(from !== undefined && to !== undefined ? { replayedDays: { from, to } } : {}),
    days: () => ascending,
    visitDay(_account, date, _moment, visit) {
      for (const row of days.get(date) ?? []) {
        const impressions = rows.impressions[row] ?? 0;
        visit(rows.keyword[row] ?? 0, impressions, rows.clicks[row] ?? 0, costs[row] ?? 0, impressions);
      }
    },
  };
}

/** Random costs of 0.20 to 1.80 EUR per click. All clicks of a keyword cost the same. */
function simulateCosts(rows: MarketRows, seed: number): Float64Array {
  const clickCosts = rows.keywords.map(
    ({ id }) => 10_000 * Math.round(20 + 160 * uniform(hashOf(`${seed}|${id}`), 0, 0)),
  );
  return Float64Array.from(rows.keyword, (keyword, row) => (clickCosts[keyword] ?? 0) * (rows.clicks[row] ?? 0));
}

function indexByDay({ dates, date }: MarketRows): Map<string, number[]> {
  const rows = dates.map((): number[] => []);
  date.forEach((day, row) => {
    rows[day]?.push(row);
  });
  return new Map(dates.map((day, index) => [day, rows[index] ?? []]));
}

function buildAccount(name: string, rows: MarketRows, costs: ArrayLike<number>, seed: number): Account {
  const homes = dealHomes(rows.keywords);
  const campaigns = buildCampaigns(rows, costs, homes, seed);
  const adGroups = new Map<string, AdGroup>();
  for (const key of [...new Set(homes.map(({ campaign, adGroup }) => adGroupKey(campaign, adGroup)))].sort()) {
    const id = String(9_200_000_001 + adGroups.size);
    adGroups.set(key, { id, name: (JSON.parse(key) as string[])[1] ?? '', status: 'ENABLED' });
  }
  const keywords = rows.keywords.flatMap(({ id, text, matchType }, index): Keyword[] => {
    const home = homes[index];
    const campaign = home && campaigns.get(home.campaign);
    const adGroup = home && adGroups.get(adGroupKey(home.campaign, home.adGroup));
    if (!campaign || !adGroup) return [];
    return [{ campaign, adGroup, criterionId: id, status: 'ENABLED', text: text ?? `keyword ${id}`, matchType }];
  });
  return {
    customerId: customerId('9000000001'),
    name,
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    keywords,
    openGroups: [],
    campaigns: [...campaigns.values()],
    budgets: [...campaigns.values()].map(({ budget }) => budget),
  };
}

const adGroupKey = (campaign: string, adGroup: string): string => JSON.stringify([campaign, adGroup]);

interface Home {
  readonly campaign: string;
  readonly adGroup: string;
}

/** Invents campaigns and ad groups if the file has none. The order of the file does not matter. */
function dealHomes(keywords: readonly FileKeyword[]): Home[] {
  const order = keywords.map((_, index) => index);
  order.sort((a, b) => compareIds(keywords[a]?.id ?? '', keywords[b]?.id ?? ''));
  const homes: Home[] = [];
  order.forEach((index, card) => {
    const { campaign, adGroup } = keywords[index] ?? {};
    const hand = (adGroup === undefined ? card : hashOf(adGroup)) % CAMPAIGNS_DEALT;
    const dealtGroup = 1 + (Math.floor(card / CAMPAIGNS_DEALT) % AD_GROUPS_DEALT);
    homes[index] = {
      campaign: campaign ?? `Campaign ${String(hand + 1).padStart(2, '0')}`,
      adGroup: adGroup ?? `Ad group ${dealtGroup}`,
    };
  });
  return homes;
}

function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** Each budget is the next whole euro above 120% of the campaign's average daily cost. */
function buildCampaigns(
  rows: MarketRows,
  costs: ArrayLike<number>,
  homes: readonly Home[],
  seed: number,
): Map<string, Campaign> {
  const totals = new Map<string, number>();
  for (const { campaign } of homes) totals.set(campaign, 0);
  rows.keyword.forEach((keyword, row) => {
    const name = homes[keyword]?.campaign ?? '';
    totals.set(name, (totals.get(name) ?? 0) + (costs[row] ?? 0));
  });
  const names = [...totals.keys()].sort();
  return new Map(
    names.map((name, index) => {
      const id = campaignId(String(9_100_000_001 + index));
      const budget = {
        id: budgetId(String(9_300_000_001 + index)),
        name,
        baseAmount: dailyAmount(BigInt(totals.get(name) ?? 0), BigInt(rows.dates.length)),
        explicitlyShared: false,
        campaignIds: [id],
      };
      // The file has no conversions, so the seed decides the conversion rate of a campaign.
      const conversionsPerClick = 0.01 + 0.04 * uniform(hashOf(`${seed}|${name}`), 0, 0);
      const results = { conversionsPerClick, orderValue: 60 };
      return [name, { id, name, status: 'ENABLED', channel: 'SEARCH', budget, results }];
    }),
  );
}

function dailyAmount(totalMicros: bigint, days: bigint): Micros {
  const euros = (totalMicros * 12n) / (10n * days * 1_000_000n) + 1n;
  return micros(euros * 1_000_000n);
}

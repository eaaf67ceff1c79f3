import { dayOf, nextMidnightMs } from '../../account-calendar.ts';

const HOUR_MS = 3_600_000;

/** An account of the simulated service. */
export interface MarketAccount {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly campaigns: readonly MarketCampaign[];
}

export interface MarketCampaign {
  readonly id: string;
  readonly name: string;
  readonly budgetId: string;
  readonly keywords: readonly string[];
  /** Its keywords' clicks cost about so much, micros. */
  readonly clickMicros: number;
}

/** What a keyword did on a day, as it is known at some instant. */
export interface KeywordDay {
  readonly campaign: MarketCampaign;
  readonly keyword: string;
  readonly date: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly costMicros: number;
}

const campaign = (id: string, name: string, budgetId: string, keywords: readonly string[], clickMicros: number) => ({
  id,
  name,
  budgetId,
  keywords,
  clickMicros,
});

/** Two accounts on different calendars; two campaigns of the first share a budget. */
export const MARKET: readonly MarketAccount[] = [
  {
    id: '4081725530',
    name: 'Nordlicht',
    currency: 'EUR',
    timeZone: 'Europe/Berlin',
    campaigns: [
      campaign('21', 'Zelte', '201', ['901', '902'], 1_900_000),
      campaign('22', 'Schlafsäcke – "warm"', '202', ['903'], 700_000),
      campaign('23', 'Isomatten', '202', ['904'], 1_100_000),
    ],
  },
  {
    id: '9264813507',
    name: 'Harbor',
    currency: 'USD',
    timeZone: 'America/New_York',
    campaigns: [
      campaign('31', 'Kayaks', '301', ['905'], 2_400_000),
      campaign('32', 'Paddles', '302', ['906'], 400_000),
    ],
  },
];

/** Where there is an excluded manager: who it is, and the account below it, which is reached directly as well. */
export const EXCLUDED_MANAGER = '7000000001';
export const EXCLUDED_ACCOUNT: MarketAccount = {
  id: '7000000002',
  name: 'Leave alone',
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  campaigns: [campaign('41', 'Boote', '401', ['907'], 1_900_000)],
};

/** Changes of a day's numbers after its end: late conversions and corrections. The last is what stays. */
const CORRECTED_AFTER_HOURS = [1, 9, 26, 49];

/** So long after its end a day's numbers may still change. */
export const FINAL_AFTER_MS = 49 * HOUR_MS;

/** How often a day's numbers have changed until an instant: six times in its course, and as often as they are corrected. */
export function versionAt(date: string, timeZone: string, instantMs: number): number {
  const startMs = startOf(date, timeZone);
  if (instantMs < startMs) return 0;
  const endMs = endOf(date, timeZone);
  if (instantMs < endMs) return Math.floor((instantMs - startMs) / (4 * HOUR_MS));
  return 7 + CORRECTED_AFTER_HOURS.filter((hours) => instantMs >= endMs + hours * HOUR_MS).length;
}

const STARTS = new Map<string, number>();

function startOf(date: string, timeZone: string): number {
  const key = `${date} ${timeZone}`;
  let start = STARTS.get(key);
  if (start === undefined) {
    start = nextMidnightMs(Date.parse(`${date}T00:00:00Z`) - 36 * HOUR_MS, timeZone);
    while (dayOf(start, timeZone) < date) start = nextMidnightMs(start, timeZone);
    STARTS.set(key, start);
  }
  return start;
}

const ENDS = new Map<string, number>();

/** The first instant of the next day there. */
export function endOf(date: string, timeZone: string): number {
  const key = `${date} ${timeZone}`;
  const end = ENDS.get(key) ?? nextMidnightMs(startOf(date, timeZone), timeZone);
  ENDS.set(key, end);
  return end;
}

/** The rows of an account's day in one of its versions; a keyword without clicks has none. */
export function rowsOf(account: MarketAccount, date: string, version: number): KeywordDay[] {
  return account.campaigns.flatMap((one) =>
    one.keywords.flatMap((keyword): KeywordDay[] => {
      const random = hash(`${date} ${keyword}`);
      // A correction may take clicks away, or all of them.
      const corrected = hash(`${date} ${keyword} ${version}`) % 7;
      const clicks = version === 0 ? 0 : Math.max(0, (random % 30) - 4 + version * 3 - corrected);
      if (clicks === 0) return [];
      const costMicros = clicks * one.clickMicros + (random % 1000) * 10_000;
      return [{ campaign: one, keyword, date, impressions: clicks * 13 + (random % 7), clicks, costMicros }];
    }),
  );
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  return (value ^ (value >>> 15)) >>> 0;
}

/** The days from one to the other, both included. */
export function datesBetween(from: string, to: string): string[] {
  const dates: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 24 * HOUR_MS) {
    dates.push(new Date(at).toISOString().slice(0, 10));
  }
  return dates;
}

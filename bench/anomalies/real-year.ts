import { addDays, type CivilDate, daysOf } from '../../src/domain/civil-date.ts';
import { customerId } from '../../src/domain/ids.ts';
import type { Member, MemberDemand } from '../../src/domain/member.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { evaluateRules } from '../../src/rules/evaluate/evaluate-rules.ts';
import type { Rule } from '../../src/rules/rule.ts';
import type { Budget } from '../../src/sandbox/market/market.ts';
import { replayMarket } from '../../src/sandbox/market/replay-market.ts';
import type { Grain } from './anomaly-rules.ts';

/** Clicks of a day: by the place of the subject and of the day; undefined where there is no row. */
export type ClicksAt = (subject: number, day: number) => number | undefined;

/** The clicks of an account's keywords, or of the campaigns that the sandbox deals them to. */
export interface Year {
  readonly grain: Grain;
  readonly days: readonly CivilDate[];
  readonly subjects: number;
  readonly clicks: ClicksAt;
}

/** Reads a market file as the sandbox does. Throws InputError for a file that is no market. */
export async function readYear(file: string, grain: Grain): Promise<Year> {
  const market = await replayMarket(file, 1);
  const [account] = market.accounts;
  if (account === undefined) throw new Error(`Reading ${file}: found no account.`);
  const today = civilDate('2100-01-01');
  const dates = market.days(account, today);
  const first = dates[0];
  const last = dates.at(-1);
  if (first === undefined || last === undefined) throw new Error(`Reading ${file}: found no days.`);
  const days = daysOf({ from: first, to: last });
  const names = account.campaigns.map(({ id }) => id);
  const placeOf = account.keywords.map(({ campaign }, keyword) =>
    grain === 'keyword' ? keyword : names.indexOf(campaign.id),
  );
  const moment = { today, elapsedShare: 1, amountOn: ({ baseAmount }: Budget) => baseAmount };
  const clicks = days.map((day) => {
    const found = new Map<number, number>();
    market.visitDay(account, day, moment, (keyword, _impressions, count) => {
      const place = placeOf[keyword] ?? -1;
      found.set(place, (found.get(place) ?? 0) + count);
    });
    return found;
  });
  return {
    grain,
    days,
    subjects: grain === 'keyword' ? account.keywords.length : names.length,
    clicks: (subject, day) => clicks[day]?.get(subject),
  };
}

export interface Evaluated {
  readonly rules: readonly Rule[];
  readonly holidays: ReadonlySet<CivilDate>;
  /** The places of the subjects that are looked at. */
  readonly subjects: readonly number[];
  readonly clicks: ClicksAt;
}

/**
 * For which subjects each rule fires on the morning after the day, by the product's own evaluation; undefined for a rule that was
 * not evaluated.
 */
export function firing(
  year: Year,
  day: number,
  { rules, holidays, subjects, clicks }: Evaluated,
): (Set<number> | undefined)[] {
  const places = new Map(year.days.map((date, place) => [date, place]));
  const lastSettled = year.days[day];
  if (lastSettled === undefined) throw new RangeError(`There is no day ${day}.`);
  const account = {
    customerId: customerId('9000000001'),
    currency: 'EUR',
    today: addDays(lastSettled, 1),
    lastSettled,
    holidays,
    readToday: false,
    highestOn: () => undefined,
    budgets: new Map(),
    settled: (date: CivilDate) => places.has(date) && date <= lastSettled,
  };
  const evaluations = evaluateRules(rules, account, (demand) => members(demand, places, subjects, clicks));
  return rules.map((rule) => {
    const evaluation = evaluations.get(rule);
    if (evaluation?.kind !== 'evaluated') return undefined;
    const fired = evaluation.verdicts.filter(({ truth }) => truth === 'true');
    return new Set(fired.map(({ subject }) => Number(subject.criterionId ?? subject.campaignId) - 1));
  });
}

function members(
  { ids, stretches }: MemberDemand,
  places: ReadonlyMap<CivilDate, number>,
  subjects: readonly number[],
  clicks: ClicksAt,
): Member[] {
  const days = stretches.map((stretch) => daysOf(stretch).flatMap((date) => places.get(date) ?? []));
  return subjects.map((subject) => ({
    // Ids are above zero. A keyword is told by its ad group's and its own.
    ids: ids.map(() => BigInt(subject + 1)),
    stretches: days.map((own) => {
      const held = own.flatMap((day) => clicks(subject, day) ?? []);
      if (held.length === 0) return undefined;
      return { sums: [BigInt(held.reduce((sum, count) => sum + count, 0))], attributes: [] };
    }),
  }));
}

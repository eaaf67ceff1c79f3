import { daysOf } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Budget } from '../../src/sandbox/market/market.ts';
import { uniform } from '../../src/sandbox/market/random.ts';
import { replayMarket } from '../../src/sandbox/market/replay-market.ts';
import type { Grain } from './anomaly-rules.ts';
import { type Change, isChanged, type Year } from './year.ts';

/**
 * The clicks of an account's keywords, or of the campaigns that the sandbox deals them to. Reads a market file as the sandbox does.
 * Throws InputError for a file that is no market.
 */
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
  const clicksAt = (subject: number, day: number) => clicks[day]?.get(subject);
  return {
    days,
    subjects: grain === 'keyword' ? account.keywords.length : names.length,
    figures: (_, subject, day) => clicksAt(subject, day),
    changed: (change, start) => (_, subject, day) => {
      const count = clicksAt(subject, day);
      return count === undefined || !isChanged(day, start, change) ? count : thinned(count, subject, day, change);
    },
  };
}

/** Keeps each click with the same draw for every rule and every run. */
function thinned(count: number, subject: number, day: number, { times }: Change): number {
  let kept = 0;
  for (let click = 0; click < count; click += 1) if (uniform(subject, day, click) >= 1 - times) kept += 1;
  return kept;
}

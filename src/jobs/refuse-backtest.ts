import { addDays, type CivilDate, type DateRange } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import { readsToday } from '../rules/collect-values.ts';
import type { Rule } from '../rules/rule.ts';
import type { Tried } from './backtest-account.ts';
import type { RunAccount } from './discover-accounts.ts';

/** How a day stood while it went on is on no record. */
export function refuseToday(rule: Rule): void {
  if (!readsToday(rule)) return;
  throw new InputError(
    `${rule.name} reads today, and what a past day came to in its own morning is not on record: it cannot be tried on past days.`,
    { nextStep: 'pacekeeper rules evaluate shows what it says now.' },
  );
}

/** The last day must be one that rules have seen the end of: the account's yesterday at most. */
export function refuseDaysAhead({ to }: DateRange, customer: CustomerId, timeZone: string, today: CivilDate): void {
  if (to < today) return;
  throw new InputError(
    `Found --to ${to}, expected a day that is over: in account ${customer} (${timeZone}) today is ${today}.`,
    { nextStep: `Give ${addDays(today, -1)} or an earlier day with --to.` },
  );
}

/** Where the rule was evaluated for no account on no day, nothing came of it, and zeros would look like an answer. */
export function refuseNothingTried(
  { name, from: table, currency }: Rule,
  { from, to }: DateRange,
  accounts: readonly RunAccount[],
  trials: readonly Tried[],
): void {
  if (trials.some(({ sums }) => sums.evaluated > 0)) return;
  const [first] = trials;
  if (first === undefined) {
    const known = accounts.map((account) => `${account.customerId} in ${account.currency ?? 'an unknown currency'}`);
    const found = accounts.length === 0 ? 'no account' : known.slice(0, 5).join(', ');
    throw new InputError(`Found ${found}, expected an account in ${currency ?? 'a known currency'} for ${name}.`, {
      nextStep: 'pacekeeper accounts shows all accounts with their currencies.',
    });
  }
  const { from: day, reason } = first.sums.notEvaluated[0] ?? { from, reason: 'nothing is known of it' };
  throw new InputError(
    `There is no day from ${from} to ${to} that ${name} can be evaluated on; of account ${first.customerId} on ${day}: ${reason}.`,
    {
      nextStep:
        first.missingSince === undefined
          ? 'Choose other days with --from and --to.'
          : `${first.hasOtherText ? `The query of ${table} was changed since days were read. ` : ''}pacekeeper extract --query ${table} --from ${first.missingSince} --to ${to} reads the days that it needs.`,
    },
  );
}

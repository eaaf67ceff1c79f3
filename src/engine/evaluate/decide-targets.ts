import pMap from 'p-map';
import { type CivilDate, civilDateAt } from '../../domain/civil-date.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { budgetUnitOf, highestOf, type Micros, micros } from '../../domain/micros.ts';
import type { OfTargets, TargetPart } from '../../language/rules/pacing/evaluate-pace.ts';
import { decideTogether, type RatedPart } from '../../language/rules/pacing/merge-parts.ts';
import type { PaceRate } from '../../language/rules/pacing/pace.ts';
import type { MeasuredBudget } from '../../language/rules/reallocation/measured-budget.ts';
import { reallocate } from '../../language/rules/reallocation/reallocate.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { type ExchangeRate, rateOn } from '../../language/targets/exchange-rates.ts';
import type { Asked, Target } from '../../language/targets/target.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';

interface Asking {
  readonly rates: readonly ExchangeRate[];
  readonly nowMs: number;
  readonly concurrency: number;
  ask(account: DatedAccount, rules: readonly Rule[], today: CivilDate): Promise<Asked>;
}

/** `budgetUnitMicros` is undefined if the service does not say it. */
type TargetAccount = Pick<RunAccount, 'currency' | 'failure'> & Partial<Pick<RunAccount, 'budgetUnitMicros'>>;

export type DatedAccount = RunAccount & { readonly timeZone: string };

/**
 * Asks each account of the targets what it knows, and decides every target from what all of its accounts know. Changes
 * nothing. A target is withheld as a whole if one account cannot answer: what is left to spend is then unknown.
 */
export async function decideTargets(
  targets: readonly Target[],
  accounts: readonly RunAccount[],
  { rates, nowMs, concurrency, ask }: Asking,
): Promise<ReadonlyMap<CustomerId, OfTargets>> {
  const found = new Map(accounts.map((account) => [account.customerId, account]));
  const rulesOf = (customer: CustomerId) => targets.flatMap(({ rules }) => rules.get(customer) ?? []);
  const dated = accounts.flatMap((account): DatedAccount[] => {
    const { customerId, failure, timeZone } = account;
    const isAsked = failure === undefined && rulesOf(customerId).length > 0;
    return isAsked && timeZone !== undefined ? [{ ...account, timeZone }] : [];
  });
  // The earliest day, so that no account is in another month than the others.
  const [today] = dated.map(({ timeZone }) => civilDateAt(nowMs, timeZone)).sort();
  if (today === undefined) return new Map();
  const answers = new Map<CustomerId, Asked>();
  const askOne = async (account: DatedAccount) => {
    answers.set(account.customerId, await ask(account, rulesOf(account.customerId), today));
  };
  await pMap(dated, askOne, { concurrency });
  return decideAll(targets, found, answers, (from, to) => rateOn(today, rates, from, to));
}

/** Text of `rateOf` says why no rate is known. */
export function decideAll(
  targets: readonly Target[],
  accounts: ReadonlyMap<CustomerId, TargetAccount>,
  answers: ReadonlyMap<CustomerId, Asked>,
  rateOf: (from: string, to: string) => PaceRate | string,
): ReadonlyMap<CustomerId, OfTargets> {
  const parts = new Map<CustomerId, Map<string, TargetPart>>();
  for (const target of targets) {
    for (const [customer, part] of decideTarget(target, accounts, answers, rateOf)) {
      parts.set(customer, (parts.get(customer) ?? new Map<string, TargetPart>()).set(target.name, part));
    }
  }
  return new Map(Array.from(parts, ([customer, parts]) => [customer, { kind: 'decided', parts }]));
}

function decideTarget(
  { name, currency, rules, shares }: Target,
  accounts: ReadonlyMap<CustomerId, TargetAccount>,
  answers: ReadonlyMap<CustomerId, Asked>,
  rateOf: (from: string, to: string) => PaceRate | string,
): Map<CustomerId, TargetPart> {
  const members = [...rules.keys()];
  const known = new Map<CustomerId, RatedPart>();
  const missing: string[] = [];
  const budgets: MeasuredBudget[] = [];
  const units: Micros[] = [];
  for (const customer of members) {
    const account = accounts.get(customer);
    const part = answers.get(customer)?.get(name);
    if (account === undefined) missing.push(`account ${customer} is not among the accounts of this run`);
    else if (account.failure !== undefined) missing.push(`account ${customer} could not be read`);
    else if (account.currency === undefined) missing.push(`the currency of account ${customer} is unknown`);
    else if (part === undefined) missing.push(`the time zone of account ${customer} is unknown`);
    else if (typeof part === 'string') missing.push(`account ${customer}: ${part}`);
    else if (!('part' in part)) {
      const unit = budgetUnitOf({ currency: account.currency, budgetUnit: account.budgetUnitMicros });
      if (account.currency !== currency)
        missing.push(`account ${customer} is in ${account.currency}, expected ${currency}`);
      else if (unit === undefined) missing.push(`the smallest amount of ${currency} is unknown`);
      else units.push(unit);
      budgets.push(...part);
    } else {
      const rate = account.currency === currency ? undefined : rateOf(account.currency, currency);
      if (typeof rate === 'string') missing.push(rate);
      else known.set(customer, { ...part, rate });
    }
  }
  const because = [...new Set(missing)].join('; ');
  const withheld = (because: string) =>
    new Map(members.map((customer) => [customer, { kind: 'withheld', because }] as const));
  if (because !== '') return withheld(because);
  const [rule] = rules.values();
  if (rule?.change?.kind === 'reallocate') {
    const moves = reallocate(budgets, rule.limits, highestOf(micros(1n), ...units));
    if (typeof moves === 'string') return withheld(moves);
    return new Map(members.map((customer) => [customer, { kind: 'reallocated', moves }]));
  }
  return new Map(
    Array.from(decideTogether(currency, known, shares), ([customer, finding]) => [
      customer,
      { kind: 'paced', finding } as const,
    ]),
  );
}

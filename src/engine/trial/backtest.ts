import { addDays, civilDateAt, type DateRange } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { HOUR_UNKNOWN, readsToday, usesHour } from '../../language/rules/evaluate/collect-values.ts';
import { pacesOutside } from '../../language/rules/pacing/pace-words.ts';
import { type Rule, readByQuery } from '../../language/rules/rule.ts';
import { type ExchangeRate, rateOn } from '../../language/targets/exchange-rates.ts';
import type { Target } from '../../language/targets/target.ts';
import type { DecideOnDay } from '../../language/trial/run-trial.ts';
import { firstOf } from '../../views/text/text-layout.ts';
import type { RunAccount } from '../accounts/find-accounts.ts';
import type { StateApp } from '../app.ts';
import { decideAll } from '../evaluate/decide-targets.ts';
import { unconcerned } from '../evaluate/evaluate-rules.ts';
import { type AccountTry, knownDays, type Past, pastOf, type Tried, tryAccounts } from './past-account.ts';

export interface BacktestOrder {
  readonly rule: Rule;
  readonly target: Target | undefined;
  readonly rates: readonly ExchangeRate[];
  readonly accounts: readonly RunAccount[];
  /** Undefined means all days that are known. */
  readonly asked: DateRange | undefined;
  readonly refusals: boolean;
  /** The budgets and labels now, or why they cannot be read. */
  readNow(account: RunAccount, rule: Rule): Promise<Pick<AccountTry, 'book' | 'labels'> | string>;
}

export interface Backtest {
  readonly days: DateRange;
  readonly trials: readonly Tried[];
  readonly notes: readonly string[];
  readonly failures: readonly string[];
}

const NAMED_MAX = 5;

/** Changes nothing. Throws `InputError` if no account or no day can be evaluated. */
export async function backtest(app: StateApp, order: BacktestOrder): Promise<Backtest> {
  const { rule, target, rates, accounts, asked, refusals } = order;
  const notes: string[] = [];
  const pasts: Past[] = [];
  const skipped = new Map<string, CustomerId[]>();
  for (const account of accounts) {
    if (account.failure !== undefined) continue;
    const { customerId, timeZone } = account;
    const own = target === undefined ? rule : target.rules.get(customerId);
    if (own === undefined) continue;
    const reason = unconcerned(own, account);
    if (reason !== undefined || timeZone === undefined) {
      const why = reason ?? 'its time zone is unknown';
      skipped.set(why, [...(skipped.get(why) ?? []), customerId]);
      continue;
    }
    const past = await pastOf(app, rule, { ...account, timeZone });
    if (asked !== undefined) refuseDaysAhead(asked, past);
    pasts.push(past);
  }
  for (const [why, ids] of skipped) {
    notes.push(`${ids.length === 1 ? 'Account' : 'Accounts'} skipped: ${firstOf(ids, NAMED_MAX)} (${why}).`);
  }
  const days = asked ?? knownDays(rule, pasts, civilDateAt(app.clock.now(), 'UTC'));
  const outside = pacesOutside(rule, days);
  if (outside !== undefined) notes.unshift(`${rule.name} ${outside}.`);
  if (usesHour(rule)) notes.unshift(`${rule.name} ${HOUR_UNKNOWN}.`);
  const trials: Tried[] = [];
  const failures: string[] = [];
  const members: AccountTry[] = [];
  for (const past of pasts) {
    const { customerId } = past.account;
    const own = target?.rules.get(customerId);
    const now = await order.readNow(past.account, own ?? rule);
    if (typeof now === 'string') failures.push(now);
    else if (own === undefined) trials.push(...(await tryAccounts(app, [{ rule, past, ...now }], { days, refusals })));
    else members.push({ rule: own, past, ...now });
  }
  if (target !== undefined) {
    const read = new Map(members.map(({ past: { account } }) => [account.customerId, account]));
    const decide: DecideOnDay = (today, answers) =>
      decideAll([target], read, answers, (from, to) => rateOn(today, rates, from, to));
    trials.push(...(await tryAccounts(app, members, { days, refusals, decide })));
  }
  if (failures.length === 0) refuseNothingTried(rule, days, accounts, trials);
  return { days, trials, notes, failures };
}

export function refuseToday(rule: Rule): void {
  readByQuery(rule);
  if (!readsToday(rule)) return;
  throw new InputError(
    `Cannot backtest ${rule.name}: it uses today's numbers. pacekeeper does not record past numbers of an unfinished day.`,
    { nextStep: 'Run pacekeeper rules evaluate to see its result now.' },
  );
}

function refuseDaysAhead({ to }: DateRange, { account: { customerId, timeZone }, today }: Past): void {
  if (to < today) return;
  throw new InputError(
    `Found --to ${to}, expected a past day: in account ${customerId} (${timeZone}) today is ${today}.`,
    { nextStep: `Set --to to ${addDays(today, -1)} or an earlier day.` },
  );
}

/** Throws if no day was evaluated, because zeros would look like a result. */
function refuseNothingTried(
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
      nextStep: 'Run pacekeeper accounts to see all accounts with their currencies.',
    });
  }
  const { from: day, reason } = first.sums.notEvaluated[0] ?? { from, reason: 'no data' };
  throw new InputError(
    `No day from ${from} to ${to} can be evaluated for ${name}. Account ${first.customerId} on ${day}: ${reason}.`,
    {
      nextStep:
        first.missingSince === undefined
          ? 'Choose other days with --from and --to.'
          : `${first.hasOtherText ? `The query of ${table} has changed since it last read days. ` : ''}Run pacekeeper extract --query ${table} --from ${first.missingSince} --to ${to} to read the missing days.`,
    },
  );
}

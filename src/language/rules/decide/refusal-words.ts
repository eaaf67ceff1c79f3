import { doubtWords, isMade } from '../../../domain/budget-change.ts';
import { secondText } from '../../../domain/civil-date.ts';
import { unreachable } from '../../../domain/errors.ts';
import { formatMoney, formatMoneyRounded, micros } from '../../../domain/micros.ts';
import { formatPercent, parseExact } from '../../../domain/rational.ts';
import { counted, type ShowInstant } from '../../../domain/wording.ts';
import { numberWords, type Shortfall } from '../evaluate/decided-number.ts';
import type { LimitFacts, RefusalCode, RefusalFacts, Refused } from './refusal.ts';

export function refusalWords<Code extends RefusalCode>(
  { code, facts }: Refused<Code>,
  show: ShowInstant = secondText,
): string {
  return WORDS[code](facts, show);
}

const WORDS: { readonly [Code in RefusalCode]: (facts: RefusalFacts[Code], show: ShowInstant) => string } = {
  FROZEN: ({ why }) => `Budget changes are ${why}.`,
  BUDGET_NOT_KNOWN: ({ subject, budgetId, amount, currency }) => {
    if (budgetId === null) return `The budget of ${subject} is not known.`;
    if (amount === null) return `The amount of budget ${budgetId} is not known.`;
    return `Budget ${budgetId} shows ${money(amount, currency)}, which is not a valid amount.`;
  },
  TOTAL_BUDGET: ({ budgetId, amount, currency }) => {
    const of = amount === null ? '' : ` of ${money(amount, currency)}`;
    return `Budget ${budgetId} is a total budget (CUSTOM_PERIOD)${of}, expected a daily budget. Give the campaign a daily budget.`;
  },
  BUDGET_REMOVED: ({ budgetId }) => `Budget ${budgetId} was removed.`,
  CURRENCY_NOT_KNOWN: ({ currency }) =>
    currency === null ? "The account's currency is not known." : `The smallest amount of ${currency} is not known.`,
  OUTCOME_OPEN: ({ budgetId }) => `The outcome of an earlier change of budget ${budgetId} is not known yet.`,
  AMOUNT_IN_DOUBT: ({ budgetId, expected, found, until, currency }, show) => {
    const doubt = { expected: micros(BigInt(expected)), found: micros(BigInt(found)), until };
    return `Budget ${budgetId} ${doubtWords(doubt, currency, show)}.`;
  },
  NOT_SERVING: (facts) => {
    if ('budgetId' in facts) {
      return `Campaign ${facts.campaignId} no longer spends from budget ${facts.budgetId}.`;
    }
    const { campaigns, count, paused } = facts;
    const named = campaigns.map(({ label, status }) => `${label} is ${status.toLowerCase()}`).join(', ');
    const rest = count - campaigns.length;
    const more = rest > 0 ? ` and ${rest} more ${rest === 1 ? 'does' : 'do'} not run` : '';
    const mayCount = paused > 0 ? ' With "include_paused: true" in the rule, paused campaigns count.' : '';
    return `No campaign of the budget runs now: ${named}${more}.${mayCount}`;
  },
  ALREADY_DECIDED_TODAY: ({ budgetId, state }) => {
    const end = state === null ? ', or one is under way' : isMade({ state }) ? '' : `, which was ${state}`;
    return `Budget ${budgetId} already had its daily change${end}.`;
  },
  WAITS_FOR_APPROVAL: ({ budgetId, proposal }) =>
    proposal === null
      ? 'Another change of this budget awaits approval.'
      : `Change ${proposal} of budget ${budgetId} awaits approval.`,
  REJECTED: ({ proposal, by, day, from, to, currency, cooldownDays, until }) => {
    const change = `${money(from, currency)} to ${money(to, currency)}`;
    const held = cooldownDays === 0 ? '' : `, after the cooldown of ${counted(cooldownDays, 'day')}`;
    return `${change} was rejected by ${by} on ${day} (${proposal}). Rules may ask again from ${until}${held}.`;
  },
  DECIDED_BY_OTHER: ({ budgetId, rule, subject }) =>
    `The rule ${rule} already decided on budget ${budgetId} for ${subject}. Decreases go first, then rules by file name.`,
  FOREIGN_CHANGE: ({ budgetId, from, to, currency, until }) => {
    const before = money(from, currency);
    const now = money(to, currency);
    return until === null
      ? `Budget ${budgetId} is at ${now}, no longer at ${before}: it was changed since.`
      : `Budget ${budgetId} was changed elsewhere from ${before} to ${now}, seen today: rules wait until ${until}.`;
  },
  COOLDOWN: ({ budgetId, by, day, cooldownDays, until }) => {
    const wait = cooldownDays === 0 ? 'rules wait' : `the cooldown of ${counted(cooldownDays, 'day')} lasts`;
    return `Budget ${budgetId} ${CHANGED[by]} on ${day}: ${wait} until ${until}.`;
  },
  NOT_ENOUGH_DATA: ({ missing, currency }) =>
    `There is too little data: ${missing.map((one) => shortfallWords(one, currency)).join('; ')}.`,
  TARGET_UNKNOWN: ({ change, subject }) => `"${change}" gives no amount for ${subject}: a value in it is not known.`,
  NOT_POSITIVE: ({ change, from, to, currency }) =>
    `${changeWords(change, to, currency)} would leave ${rounded(to, currency)} of ${money(from, currency)}, which is not a valid budget.`,
  TOO_LARGE: ({ change, from, to, currency }) =>
    `${changeWords(change, to, currency)} would change ${money(from, currency)} to ${rounded(to, currency)}, more than the largest possible amount.`,
  UNIT_SANITY: ({ change, from, to, currency }) => {
    const apart = BigInt(to) > BigInt(from) ? 'more than 20 times as much' : 'less than a twentieth of it';
    const amounts = `${money(from, currency)} to ${rounded(to, currency)}, ${apart}`;
    return `${changeWords(change, to, currency)} would change ${amounts}. This looks like a wrong unit, such as cents. No setting permits it.`;
  },
  AT_FLOOR: atWords,
  AT_CEILING: atWords,
  AT_DRIFT: atWords,
  NO_CHANGE: ({ change, amount, currency, unit, limit }) => {
    const requested = changeWords(change, amount, currency);
    const now = money(amount, currency);
    if (unit === null) return `${requested} leaves ${now} unchanged.`;
    const held = limit === null ? '' : `, limited by the ${limitWords(limit, currency)},`;
    return `${requested}${held} would change ${now} by less than ${money(unit, currency)}, the smallest amount.`;
  },
  OUTSIDE_LIMITS: (facts) => {
    const { currency } = facts;
    const to = money(facts.to, currency);
    return 'unit' in facts
      ? `${to} is not a multiple of ${money(facts.unit, currency)}, the smallest amount.`
      : `${to} would be ${facts.side} the ${limitWords(facts.limit, currency)}: set the budget by hand if you want this.`;
  },
  TOTAL_UNKNOWN: ({ budgetId, isTotal }) =>
    isTotal
      ? `Budget ${budgetId} is a total budget without a daily amount, so no budget is raised. Give its campaign a daily budget, or remove daily_total and daily_exposure.`
      : `The amount of budget ${budgetId} is not known, so no budget is raised. Give the budget a daily amount, or remove daily_total and daily_exposure.`,
  ACCOUNT_TOTAL: ({ from, to, sum, most, currency }) =>
    `After a change from ${money(from, currency)} to ${money(to, currency)}, the account's daily budgets would total ${money(sum, currency)}. At most ${money(most, currency)} is allowed.`,
  EXPOSURE: ({ from, to, sum, most, currency }) =>
    `After a change from ${money(from, currency)} to ${money(to, currency)}, today could cost up to ${money(sum, currency)}, twice the highest amount of each budget. At most ${money(most, currency)} is allowed.`,
  CHANGES_PER_RUN: ({ most }) =>
    `The run already changes ${most} ${most === 1 ? 'budget' : 'budgets'}, the limit of automation.changes_per_run.`,
  PLAN_INCOMPLETE: ({ rule, budgetId, code }) => {
    const other = budgetId === null ? 'Another budget' : `Budget ${budgetId}`;
    const because = code === null ? 'cannot change as planned' : `cannot change (${code})`;
    return `${other} of ${rule} ${because}, so none of its budgets changes: their total must stay the same.`;
  },
};

const CHANGED: Readonly<Record<RefusalFacts['COOLDOWN']['by'], string>> = {
  rule: 'was changed by a rule',
  undo: 'was changed by an undo',
  foreign: 'was changed elsewhere',
  refused: 'may have been changed by a request that the service refused',
};

export function limitWords(limit: LimitFacts, currency: string): string {
  switch (limit.name) {
    case 'step':
      return `step of ${formatPercent(parseExact(limit.share), 6)}`;
    case 'drift':
      return `drift of ${formatPercent(parseExact(limit.share), 6)} over ${counted(limit.days, 'day')} from ${money(limit.base, currency)}`;
    case 'floor':
    case 'ceiling':
      return `${limit.name} of ${money(limit.amount, currency)}`;
    default:
      return unreachable(limit);
  }
}

function atWords({ budgetId, amount, limit, end, currency }: RefusalFacts['AT_FLOOR']): string {
  const is = `Budget ${budgetId} is at ${money(amount, currency)}.`;
  if (limit.name !== 'drift') return `${is} Its ${limit.name} is ${money(end, currency)}.`;
  const reach = `${formatPercent(parseExact(limit.share), 6)} from ${money(limit.base, currency)}`;
  return `${is} Its drift limit is ${money(end, currency)}: ${reach} over ${counted(limit.days, 'day')}.`;
}

function shortfallWords({ name, found, least, unit }: Shortfall, currency: string): string {
  const isMoney = unit === 'micros';
  const needed = `at least ${numberWords(least, unit, currency)} ${isMoney ? 'is' : 'are'} needed`;
  if (found === null) return `${name} unknown, ${needed}`;
  const amount = numberWords(found, unit, currency);
  return isMoney ? `${name} of ${amount}, ${needed}` : `${amount} ${name}, ${needed}`;
}

function changeWords(change: string | null, to: string, currency: string): string {
  return `"${change ?? `set budget to ${money(to, currency)}`}"`;
}

function money(amount: string, currency: string | null): string {
  return formatMoney(BigInt(amount), currency ?? undefined);
}

function rounded(amount: string, currency: string): string {
  return formatMoneyRounded(BigInt(amount), currency);
}

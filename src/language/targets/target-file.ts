import * as z from 'zod';
import { type CivilDate, endOfGrain } from '../../domain/civil-date.ts';
import { type Diagnostic, finding } from '../../domain/diagnostic.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { unitsOf } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { add, compare, formatPercent, formatRational, rational } from '../../domain/rational.ts';
import { columnOf, VALUE } from '../rules/evaluate/plan-rule.ts';
import { checkRule, type RuleContext } from '../rules/file/rule-file.ts';
import { limits, mode, type RuleFile, ruleFileSchema } from '../rules/file/rule-schema.ts';
import { shareOf } from '../rules/language/expression.ts';
import { paceSchema } from '../rules/pacing/check-pace.ts';
import type { Shares } from '../rules/pacing/merge-parts.ts';
import { bandText } from '../rules/pacing/pace-words.ts';
import type { Rule, RuleTable } from '../rules/rule.ts';
import { readYaml, type YamlPlaces } from '../yaml/read-yaml.ts';
import { amount, calendarDay, currencyCode, customerIdText, nonEmptyText, scalar } from '../yaml/scalars.ts';
import type { Target } from './target.ts';

const SPLITS = ['need', 'shares', 'return'] as const;
const ALL = rational(1n);
const ANY = { low: rational(0n), high: ALL };

/** `every` is every month. */
const month = scalar('"every", or a month such as 2026-12', (text) => {
  if (text === 'every') return text;
  return /^\d{4}-\d{2}$/.test(text) ? parseCivilDate(`${text}-01`) : undefined;
});

const year = scalar('a year such as 2026', (text) => (/^2\d{3}$/.test(text) ? text : undefined));

const SHARE = 'a percentage such as 60%, or two such as 20% to 50%';
const SHARE_TEXT = /^(\d{1,3}(?:\.\d{1,6})?)%(?: to (\d{1,3}(?:\.\d{1,6})?)%)?$/i;
const share = scalar(SHARE, (text) => {
  const [, from, to = from] = SHARE_TEXT.exec(text) ?? [];
  const low = from && shareOf(from);
  const high = to && shareOf(to);
  return low && high && compare(low, high) <= 0 && compare(high, ALL) <= 0 ? { low, high } : undefined;
});

const { curve, band, months, weights, pauses } = paceSchema.shape;

export const targetFileSchema = z.strictObject({
  description: nonEmptyText.meta({ description: 'The agreement in one sentence.' }),
  currency: currencyCode.meta({ description: 'The currency of all amounts of the target.', examples: ['EUR'] }),
  amount: amount.optional().meta({
    description: 'The amount for each month, or for all days from `from` to `to`.',
    examples: [12000],
  }),
  reallocate: nonEmptyText.optional().meta({
    description:
      'Instead of an amount: the value by which budgets are compared. Budgets with low values give to those with high ones. The total stays the same.',
    examples: ['conversions_value / cost'],
  }),
  over: ruleFileSchema.shape.over.meta({
    description: 'The days of `reallocate`.',
    examples: ['28 days'],
  }),
  month: month.optional().meta({ description: 'One month such as 2026-12, or every month. Default: every.' }),
  year: year.optional().meta({ description: 'All days of a year such as 2026, for one amount.' }),
  from: calendarDay.optional().meta({ description: 'The first day. Then `to` is the last, and `month` is left out.' }),
  to: calendarDay.optional().meta({ description: 'The last day.' }),
  members: z
    .array(
      z.strictObject({
        account: customerIdText.meta({ description: 'The customer id of an account.' }),
        where: nonEmptyText.optional().meta({
          description: 'Selects campaigns of the account, as in rules. Default: all.',
          examples: ["campaign_name LIKE 'Brand%'"],
        }),
        share: share.optional().meta({
          description: 'The part of the amount for `split: shares`, or its bounds for `split: return`.',
          examples: ['60%', '20% to 50%'],
        }),
      }),
    )
    .min(1, { error: 'at least one account' })
    .meta({ description: 'The accounts that spend the amount together.' }),
  split: z.enum(SPLITS).default('need').meta({
    description:
      'need: budgets that are fully spent get more. shares: each account has its `share`. return: the more an account returns, the more it gets.',
  }),
  table: nonEmptyText.optional().meta({
    description: 'The table with the daily cost of each campaign. Default: the query FROM campaign that has it.',
    examples: ['campaign_spend'],
  }),
  curve,
  band,
  months,
  weights,
  pauses,
  limits: limits.optional().meta({ description: 'Limits on every change, as in rules.' }),
  mode,
});

type TargetFile = z.output<typeof targetFileSchema>;

export interface TargetFileCheck {
  readonly target: Target | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** `tables` has the queries and models. `broken` names those whose errors are already reported. */
export function checkTargetFile(
  name: string,
  source: string,
  tables: ReadonlyMap<string, RuleTable>,
  broken: ReadonlySet<string>,
  context: RuleContext,
): TargetFileCheck {
  const reading = readYaml(source, targetFileSchema);
  if (reading.kind === 'refused') return { target: undefined, diagnostics: reading.diagnostics };
  return checkTarget({ name, file: reading.value, places: reading.places }, tables, broken, context);
}

interface WrittenTarget {
  readonly name: string;
  readonly file: TargetFile;
  readonly places: YamlPlaces;
}

/** Checks what the shape alone does not show. */
export function checkTarget(
  { name, file, places }: WrittenTarget,
  tables: ReadonlyMap<string, RuleTable>,
  broken: ReadonlySet<string>,
  context: RuleContext,
): TargetFileCheck {
  const without = checkPurpose(file, places);
  if (without.length > 0) return { target: undefined, diagnostics: without };
  const diagnostics = [...checkDays(file, places), ...checkMembers(file, places), ...checkSplit(file, places)];
  const table = file.table ?? spendTables([...tables.values()])[0]?.name;
  if (table === undefined && broken.size === 0) {
    const message =
      '"table" is missing: no query FROM campaign has campaign.id, metrics.cost_micros and segments.date.';
    diagnostics.push(finding('MISSING_KEY', places.spanOf([]), message, 'Run pacekeeper init for campaign_spend.'));
  }
  diagnostics.push(...checkReturn(file, tables.get(table ?? ''), places));
  const rules = new Map<CustomerId, Rule>();
  for (const [index, member] of file.members.entries()) {
    const rule = ruleOf(file, member.where, table ?? '');
    const check = checkRule(
      { name, written: { ...rule, reallocate: file.reallocate }, file: rule, places: placesOf(places, index) },
      tables,
      broken,
      context,
    );
    diagnostics.push(...check.diagnostics);
    if (check.rule)
      rules.set(member.account, {
        ...check.rule,
        target: name,
        currency: undefined,
        byReturn: file.split === 'return',
        amountAt: file.amount === undefined ? places.spanOf(['reallocate']) : check.rule.amountAt,
      });
  }
  const known = new Map(diagnostics.map((one) => [JSON.stringify([one.code, one.span, one.message]), one]));
  const all = [...known.values()].sort((one, other) => one.span.start.offset - other.span.start.offset);
  const failed = all.some(({ severity }) => severity === 'error') || rules.size < file.members.length;
  const target = { name, currency: file.currency, rules, shares: sharesOf(file) };
  return { target: failed ? undefined : target, diagnostics: all };
}

/** The queries that have the cost of every campaign on every day. */
export function spendTables(tables: readonly RuleTable[]): readonly RuleTable[] {
  return tables.filter(
    ({ columns, resource }) =>
      resource === 'campaign' &&
      ['campaign_id', 'cost_micros', 'date'].every((name) => columns.some((column) => column.name === name)),
  );
}

function ruleOf(file: TargetFile, where: string | undefined, table: string): RuleFile {
  const { description, currency, amount, over, limits, mode, curve, band, months, weights, pauses } = file;
  const about = { description, from: table, where, currency, limits, mode };
  if (amount === undefined) return { ...about, for: 'budget', over };
  const [from, to] = daysOfTarget(file);
  const digits = formatRational(unitsOf(amount), 6);
  return {
    ...about,
    for: 'account',
    change: `pace budget to ${digits} ${from === undefined || to === undefined ? 'per month' : `from ${from} to ${to}`}`,
    pace: { curve, band, months, weights, pauses },
  };
}

function daysOfTarget(file: TargetFile): [CivilDate | undefined, CivilDate | undefined] {
  const { from, to, year, month = 'every' } = file;
  if (month !== 'every') return [month, endOfGrain('month', month)];
  const first = year && parseCivilDate(`${year}-01-01`);
  return first ? [first, endOfGrain('year', first)] : [from, to];
}

const OF_AMOUNT = ['month', 'year', 'from', 'to', 'split', 'curve', 'band', 'months', 'weights', 'pauses'] as const;

/** A target has an amount, or it reallocates. */
function checkPurpose({ amount, reallocate, limits }: TargetFile, places: YamlPlaces): Diagnostic[] {
  const refuse = (key: string, message: string, hint: string) =>
    finding('BAD_VALUE', places.keySpanOf([key]), message, hint);
  if (reallocate === undefined) {
    const hint = 'Add "amount: 12000", or "reallocate: conversions_value / cost" and "over: 28 days".';
    if (amount === undefined) return [finding('MISSING_KEY', places.spanOf([]), '"amount" is missing.', hint)];
    return places.has(['over']) ? [refuse('over', '"over" is only for "reallocate".', 'Remove it.')] : [];
  }
  if (amount !== undefined) {
    return [refuse('amount', 'Found "amount" and "reallocate", expected one of them.', 'Write two targets.')];
  }
  const unused = OF_AMOUNT.filter((key) => places.has([key])).map((key) =>
    refuse(key, `"${key}" is only for targets with an amount.`, 'Remove it.'),
  );
  if (limits?.step !== undefined) return unused;
  const message = '"limits.step" is missing: the largest part of a budget that moves at once.';
  return [
    ...unused,
    finding('MISSING_KEY', places.spanOf(['limits']), message, 'Add limits: { step: 10%, floor: 5 }.'),
  ];
}

function checkDays({ from, to, month, year }: TargetFile, places: YamlPlaces): Diagnostic[] {
  const refuse = (key: string, message: string, hint: string) => [
    finding('BAD_VALUE', places.spanOf([key]), message, hint),
  ];
  const ways = [month && '"month"', year && '"year"', (from ?? to) && 'days of its own'].filter(Boolean);
  if (ways.length > 1) {
    const hint = 'Write "month", or "year", or "from" and "to".';
    return refuse(month === undefined ? 'year' : 'month', `The target has ${ways.join(' and ')}.`, hint);
  }
  if (from === undefined && to !== undefined) return refuse('to', '"from" is missing: the first day.', 'Add it.');
  if (to === undefined && from !== undefined) return refuse('from', '"to" is missing: the last day.', 'Add it.');
  return [];
}

function checkMembers({ members }: TargetFile, places: YamlPlaces): Diagnostic[] {
  return members.flatMap(({ account }, index) => {
    if (members.findIndex((one) => one.account === account) === index) return [];
    const message = `The account ${account} is a member already.`;
    const hint = 'Join both with OR in one "where".';
    return [finding('BAD_VALUE', places.spanOf(['members', index, 'account']), message, hint)];
  });
}

function checkSplit({ split, members }: TargetFile, places: YamlPlaces): Diagnostic[] {
  const wrong = members.flatMap(({ account, share }, index) => {
    const isFixed = share !== undefined && compare(share.low, share.high) === 0;
    if (split === 'return' || (split === 'need' ? share === undefined : isFixed)) return [];
    const message =
      split === 'need'
        ? `The account ${account} has a share, but the target has no "split: shares" or "split: return".`
        : `The account ${account} has no fixed share, expected a percentage such as 60%.`;
    return [finding('BAD_VALUE', places.spanOf(['members', index, 'share']), message)];
  });
  if (wrong.length > 0 || split === 'need') return wrong;
  const bounds = members.map(({ share = ANY }) => share);
  const low = bounds.reduce((sum, share) => add(sum, share.low), rational(0n));
  const high = bounds.reduce((sum, share) => add(sum, share.high), rational(0n));
  if (compare(low, ALL) <= 0 && compare(high, ALL) >= 0) return [];
  const sum = compare(low, high) === 0 ? formatPercent(low, 6) : bandText({ low, high });
  const message = `The shares add up to ${sum}, expected 100%.`;
  return [finding('BAD_VALUE', places.spanOf(['members']), message)];
}

function checkReturn({ split }: TargetFile, table: RuleTable | undefined, places: YamlPlaces): Diagnostic[] {
  if (split !== 'return' || table === undefined || columnOf(table.columns, VALUE) !== undefined) return [];
  const message = `"split: return" needs ${VALUE} in the query ${table.name}.`;
  return [finding('UNUSABLE_TABLE', places.spanOf(['split']), message, `Add ${VALUE} to its SELECT.`)];
}

function sharesOf({ split, members }: TargetFile): Shares | undefined {
  return split === 'need' ? undefined : new Map(members.map(({ account, share = ANY }) => [account, share]));
}

/** Finds the parts of the member's pacing rule in the target's file. */
function placesOf(places: YamlPlaces, index: number): YamlPlaces {
  const purpose = places.has(['reallocate']) ? 'reallocate' : 'amount';
  const inTarget = ([key, ...rest]: Parameters<YamlPlaces['has']>[0]): Parameters<YamlPlaces['has']>[0] => {
    if (key === undefined) return [];
    if (key === 'from') return ['table'];
    if (key === 'change') return [purpose];
    if (key === 'where') return ['members', index, 'where'];
    return key === 'pace' && purpose === 'amount' ? rest : [key, ...rest];
  };
  return {
    spanOf: (path) => places.spanOf(inTarget(path)),
    keySpanOf: (path) => places.keySpanOf(inTarget(path)),
    has: (path) => places.has(inTarget(path)),
    // The text of a change stands in no target's file.
    stretchOf: (path, start, end) =>
      path[0] === 'change' ? places.spanOf([purpose]) : places.stretchOf(inTarget(path), start, end),
  };
}

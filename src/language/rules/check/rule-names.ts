import type { SummedColumn } from '../../../domain/member.ts';
import { ownerOf } from '../../gaql/catalogue/catalogue.ts';
import { isMoney, unitOf } from '../../gaql/catalogue/units.ts';
import {
  amountColumn,
  COMPUTED,
  COMPUTED_OTHERWISE,
  type Column,
  IMPRESSIONS_FIELD,
  isSummable,
  LOST_FIELDS,
  RATIOS,
  SHARE_FIELD,
} from '../../gaql/check/column.ts';
import type { SubjectKind } from '../rule.ts';
import { CLOCK_NAMES, type ClockName } from './checked-expression.ts';

export type Meaning =
  | MetricMeaning
  | {
      readonly kind: 'attribute';
      readonly column: string;
      readonly inMicros: boolean;
      /** `labels` is text, too: resource names of labels as JSON. */
      readonly type: 'text' | 'number' | 'money' | 'labels';
    }
  | { readonly kind: 'budget' }
  | { readonly kind: 'clock'; readonly name: ClockName }
  | { readonly kind: 'quotient'; readonly dividend: MetricMeaning; readonly divisor: MetricMeaning }
  | { readonly kind: 'refused'; readonly code: RefusedName; readonly message: string; readonly hint: string };

export interface MetricMeaning extends SummedColumn {
  readonly kind: 'metric';
  readonly inMicros: boolean;
  readonly neverNegative: boolean;
  readonly money: boolean;
}

const NEVER_NEGATIVE = [IMPRESSIONS_FIELD, 'metrics.clicks', 'metrics.interactions', 'metrics.cost_micros'];

type RefusedName = 'METRIC_NOT_SUMMABLE' | 'METRIC_IN_WHERE' | 'SEGMENT_IN_RULE' | 'ATTRIBUTE_OF_SEVERAL' | 'NO_BUDGET';

export type Place = 'where' | 'values';

const BUDGET = 'budget';

/** Conversions arrive days after their clicks, so conversion metrics become final later. */
export function isOfConversions({ role, field }: Pick<Column, 'role' | 'field'>): boolean {
  return role === 'metric' && field.includes('conversion');
}

export function namesOf(columns: readonly Column[], subject: SubjectKind, place: Place): Map<string, Meaning> {
  const names = new Map<string, Meaning>();
  for (const column of columns) {
    names.set(column.name, meaningOf(column, false, subject, place));
    const amount = amountColumn(column.name, column.type);
    if (amount !== undefined) names.set(amount, meaningOf(column, true, subject, place));
  }
  for (const [name, fields] of Object.entries(RATIOS)) {
    const quotient = place === 'where' ? undefined : quotientOf(name, fields, columns);
    if (quotient) names.set(name, quotient);
  }
  for (const column of place === 'where' ? [] : columns) {
    if (isShare(column)) names.set(column.name, shareOf(column, columns));
  }
  for (const name of CLOCK_NAMES) {
    // A column of a model keeps its name. A segment such as `hour` could not be used anyway.
    if (columns.every((column) => column.name !== name || column.role === 'segment')) {
      names.set(name, place === 'where' ? clockInWhere(name) : { kind: 'clock', name });
    }
  }
  return names.set(BUDGET, budgetMeaning(subject, place));
}

function isShare({ field }: Column): boolean {
  return [SHARE_FIELD, ...LOST_FIELDS].some((one) => one === field);
}

export function usableNames(names: ReadonlyMap<string, Meaning>): string[] {
  return [...names].flatMap(([name, { kind }]) => (kind === 'refused' ? [] : [name]));
}

function meaningOf(column: Column, inMicros: boolean, subject: SubjectKind, place: Place): Meaning {
  const { name, role, type } = column;
  if (role === 'segment') return segment(column);
  if (role === 'attribute') {
    const refusal = refusedAttribute(column, subject, place);
    if (refusal) return refusal;
    const isNumber = type === 'INT64' || type === 'DOUBLE' || type === 'BOOLEAN';
    const isLabels = column.field.endsWith('.labels');
    const ofText = isLabels ? 'labels' : 'text';
    return { kind: 'attribute', column: name, inMicros, type: inMicros ? 'money' : isNumber ? 'number' : ofText };
  }
  if (place === 'where') return metricInWhere(inMicros ? (amountColumn(name, type) ?? name) : name);
  if (column.field === COMPUTED_OTHERWISE) {
    const message = `"${name}" is computed and may be a ratio, but rules add up values of days.`;
    const hint =
      'Keep sums such as sum(clicks) in the model, and divide in the rule. For a count, write CAST(… AS INTEGER).';
    return { kind: 'refused', code: 'METRIC_NOT_SUMMABLE', message, hint };
  }
  if ((type !== 'INT64' && type !== 'DOUBLE') || !isSummable(column)) {
    const message = `"${name}" cannot be summed over days, but rules use sums.`;
    return { kind: 'refused', code: 'METRIC_NOT_SUMMABLE', message, hint: PARTS_HINT };
  }
  return metric(column, type, inMicros);
}

function metric(column: Column, type: 'INT64' | 'DOUBLE', inMicros: boolean): MetricMeaning {
  // Some metrics are amounts in currency units, such as metrics.conversions_value.
  const money = inMicros || (type === 'DOUBLE' && isMoney(unitOf(column.field, type)));
  const neverNegative = NEVER_NEGATIVE.includes(column.field);
  return { kind: 'metric', column: column.name, type, inMicros, neverNegative, money };
}

function quotientOf(name: string, fields: readonly [string, string], columns: readonly Column[]): Meaning | undefined {
  const [dividend, divisor] = fields.map((field) => {
    const column = columns.find((candidate) => candidate.field === field);
    if (column?.type !== 'INT64' && column?.type !== 'DOUBLE') return undefined;
    return metric(column, column.type, amountColumn(column.name, column.type) !== undefined);
  });
  if (dividend && divisor) return { kind: 'quotient', dividend, divisor };
  const message = `"${name}" needs ${fields.join(' and ')}, but the query does not select both.`;
  return { kind: 'refused', code: 'METRIC_NOT_SUMMABLE', message, hint: `Select ${fields.join(' and ')}.` };
}

/** The mean of several shares is weighted by eligible impressions. */
function shareOf(column: Column, columns: readonly Column[]): Meaning {
  const shown = columns.find(({ field }) => field === IMPRESSIONS_FIELD)?.name;
  const share = columns.find(({ field }) => field === SHARE_FIELD)?.name;
  if (shown === undefined || share === undefined) {
    const message = `"${column.name}" needs ${IMPRESSIONS_FIELD} and ${SHARE_FIELD}, but the query does not select both.`;
    return {
      kind: 'refused',
      code: 'METRIC_NOT_SUMMABLE',
      message,
      hint: `Select ${IMPRESSIONS_FIELD} and ${SHARE_FIELD}.`,
    };
  }
  const counted = (lost: string | undefined): MetricMeaning => ({
    kind: 'metric',
    column: lost === undefined ? `${shown} / ${share}` : `${shown} / ${share} * ${lost}`,
    type: 'DOUBLE',
    impressions: { impressions: shown, share, lost },
    inMicros: false,
    neverNegative: true,
    money: false,
  });
  if (column.field === SHARE_FIELD) {
    const whole = columns.find(({ field }) => field === IMPRESSIONS_FIELD);
    const dividend = whole && metric(whole, 'INT64', false);
    if (dividend) return { kind: 'quotient', dividend, divisor: counted(undefined) };
  }
  return { kind: 'quotient', dividend: counted(column.name), divisor: counted(undefined) };
}

function budgetMeaning(subject: SubjectKind, place: Place): Meaning {
  if (place === 'where') {
    const message = 'The budget is not an attribute: "where" filters by attributes of the newest day.';
    return { kind: 'refused', code: 'METRIC_IN_WHERE', message, hint: 'Move the part with budget to "when".' };
  }
  if (subject !== 'ad_group' && subject !== 'keyword') return { kind: 'budget' };
  const message = `${subject === 'keyword' ? 'A keyword' : 'An ad group'} has no budget of its own.`;
  return { kind: 'refused', code: 'NO_BUDGET', message, hint: 'Campaigns, budgets and accounts have one.' };
}

function metricInWhere(name: string): Meaning {
  const message = `"${name}" is a metric: "where" filters by attributes only, such as names and states.`;
  return { kind: 'refused', code: 'METRIC_IN_WHERE', message, hint: 'Move the part with the metric to "when".' };
}

function clockInWhere(name: string): Meaning {
  const message = `"${name}" is a value of the clock: "where" filters by attributes only, such as names and states.`;
  return { kind: 'refused', code: 'METRIC_IN_WHERE', message, hint: `Move the part with ${name} to "when".` };
}

function segment({ name, field }: Column): Meaning {
  const message = `"${name}" splits the rows of a day, but rules use their sum.`;
  const hint =
    field === 'segments.date'
      ? 'Choose days with a window: over: 7 days.'
      : `Use a query that filters by ${field} in its WHERE.`;
  return { kind: 'refused', code: 'SEGMENT_IN_RULE', message, hint };
}

const CAMPAIGN = ['customer', 'campaign', 'campaign_budget'];
const OWNERS: Readonly<Record<Exclude<SubjectKind, 'keyword'>, readonly string[]>> = {
  campaign: CAMPAIGN,
  budget: CAMPAIGN,
  account: ['customer'],
  ad_group: [...CAMPAIGN, 'ad_group'],
};
const SUBJECT_WORDS = { campaign: 'a campaign', budget: 'a budget', account: 'an account', ad_group: 'an ad group' };

function refusedAttribute({ name, field }: Column, subject: SubjectKind, place: Place): Meaning | undefined {
  if (subject === 'keyword') return undefined;
  const owner = ownerOf(field);
  if (owner === COMPUTED) {
    const message = `"${name}" is computed from rows, so ${SUBJECT_WORDS[subject]} may have several.`;
    return { kind: 'refused', code: 'ATTRIBUTE_OF_SEVERAL', message, hint: "Filter the rows in the model's WHERE." };
  }
  const isMember = subject === 'account' && place === 'where' && CAMPAIGN.includes(owner);
  if (isMember || OWNERS[subject].includes(owner)) return undefined;
  const message = `"${name}" belongs to ${owner}, but ${SUBJECT_WORDS[subject]} may have several.`;
  const finer = owner === 'ad_group' ? 'ad_group' : 'keyword';
  const hint =
    subject === 'account' && CAMPAIGN.includes(owner)
      ? 'Use it in "where", or write the rule for: campaign.'
      : `Write an alert rule for: ${finer}, or filter the rows in the query's WHERE.`;
  return { kind: 'refused', code: 'ATTRIBUTE_OF_SEVERAL', message, hint };
}

export const PARTS_HINT = 'Select the counts behind the metric and divide their sums, as in cost / clicks.';

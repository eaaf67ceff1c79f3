import { addDays, daysOf } from '../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import {
  type ColumnValue,
  countImpressions,
  DOUBLE_MOST,
  type Member,
  type MemberDemand,
  type SummedColumn,
} from '../../src/domain/member.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { Verdict } from '../../src/language/rules/decide/decision.ts';
import { evaluateRules, type RuleEvaluation } from '../../src/language/rules/evaluate/evaluate-rules.ts';
import type { CampaignBudget, EvaluatedAccount } from '../../src/language/rules/evaluate/evaluated-account.ts';
import type { OfTargets } from '../../src/language/rules/pacing/evaluate-pace.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import { money, type RuleText, ruleOf } from './rule-fixtures.ts';

export const TODAY = civilDate('2026-11-20');
export const YESTERDAY = addDays(TODAY, -1);

/** A row of a table: `ago` days before today, 1 unless told otherwise; names of columns else. */
export type TableRow = { readonly ago?: number } & { readonly [column: string]: ColumnValue | undefined };

/** A campaign with 412 clicks that cost 1,322.52, unless told otherwise. */
export function row(changes: TableRow = {}): TableRow {
  return {
    ago: 1,
    campaign_id: 1n,
    campaign_name: 'Shoes',
    campaign_status: 'ENABLED',
    clicks: 412n,
    impressions: 10_000n,
    cost_micros: 1_322_520_000n,
    ...changes,
  };
}

/** What the warehouse does with SQL, done with loops. */
export function membersOf(rows: readonly TableRow[], demand: MemberDemand): Member[] {
  const byIds = new Map<string, TableRow[]>();
  for (const one of rows) {
    const ids = demand.ids.map((column) => one[column]);
    if (ids.some((id) => typeof id !== 'bigint' || id <= 0n)) continue;
    const key = ids.join();
    byIds.set(key, [...(byIds.get(key) ?? []), one]);
  }
  const members = [...byIds].map(([key, own]) => ({
    ids: key === '' ? [] : key.split(',').map(BigInt),
    stretches: demand.stretches.map((range) => {
      const days = daysOf(range);
      const held = own.filter(({ ago = 1 }) => days.includes(addDays(TODAY, -ago)));
      const newest = held.toSorted((one, other) => (one.ago ?? 1) - (other.ago ?? 1))[0];
      if (newest === undefined) return undefined;
      return {
        sums: demand.metrics.map((metric) =>
          held.reduce<bigint | null>((sum, one) => addValue(sum, valueIn(one, metric), metric.type), 0n),
        ),
        attributes: demand.attributes.map((column) => newest[column] ?? null),
      };
    }),
  }));
  return members.filter(({ stretches }) => stretches.some((stretch) => stretch !== undefined));
}

function valueIn(row: TableRow, { column, impressions, until }: SummedColumn): ColumnValue {
  if (until !== undefined && Number(row[until.hours]) >= until.hour) return 0n;
  if (impressions === undefined) return row[column] ?? null;
  const numberIn = (name: string) => (row[name] === undefined || row[name] === null ? undefined : Number(row[name]));
  const lost = impressions.lost === undefined ? 'eligible' : numberIn(impressions.lost);
  return countImpressions(numberIn(impressions.impressions), numberIn(impressions.share), lost) ?? null;
}

function addValue(sum: bigint | null, value: ColumnValue, type: 'INT64' | 'DOUBLE'): bigint | null {
  if (sum === null || value === null) return null;
  if (type === 'DOUBLE' && Math.abs(Number(value)) >= DOUBLE_MOST) return null;
  return sum + (type === 'INT64' ? BigInt(value) : BigInt(Math.round(Number(value) * 1_000_000)));
}

export function budgetOf(id: number, amount: string, campaignName?: string): CampaignBudget {
  return { budgetId: budgetId(String(id)), campaignName, amount: money(amount) };
}

/** An account whose campaign 1 has a budget of 20, unless told otherwise: by campaign. */
export function accountOf(
  budgets: Readonly<Record<number, CampaignBudget>> = { 1: budgetOf(71, '20') },
  changes: Partial<EvaluatedAccount> = {},
): EvaluatedAccount {
  return {
    customerId: customerId('1234567890'),
    currency: 'EUR',
    today: TODAY,
    lastSettled: YESTERDAY,
    settled: () => true,
    readToday: false,
    holidays: new Set(),
    highestOn: (id) => Object.values(budgets).find(({ budgetId }) => budgetId === id)?.amount,
    budgets: new Map(Object.entries(budgets).map(([campaign, budget]) => [campaignId(campaign), budget])),
    ...changes,
  };
}

export function evaluateAll(
  rules: readonly Rule[],
  rows: readonly TableRow[],
  account: EvaluatedAccount = accountOf(),
  ofTargets?: OfTargets,
): RuleEvaluation[] {
  return [
    ...evaluateRules(
      rules,
      account,
      (demand) => membersOf(rows, demand),
      () => true,
      ofTargets,
    ).values(),
  ];
}

/** What one rule says, its text as the checker reads it. */
export function verdictsOf(text: RuleText, rows: readonly TableRow[], account?: EvaluatedAccount): readonly Verdict[] {
  const [evaluation] = evaluateAll([ruleOf(text)], rows, account);
  if (evaluation?.kind !== 'evaluated') throw new Error(evaluation?.reason);
  return evaluation.verdicts;
}

/** Its only verdict. */
export function verdictOf(text: RuleText, rows: readonly TableRow[], account?: EvaluatedAccount): Verdict {
  const [only, ...others] = verdictsOf(text, rows, account);
  if (only === undefined || others.length > 0) throw new Error(`${others.length} verdicts more than one`);
  return only;
}

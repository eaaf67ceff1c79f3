import type { CivilDate } from '../../domain/civil-date.ts';
import { InvariantError } from '../../domain/errors.ts';
import {
  type ColumnValue,
  columnsBehind,
  countImpressions,
  type Member,
  type MemberDemand,
  type MemberGrain,
  type SummedColumn,
} from '../../domain/member.ts';
import type { Micros } from '../../domain/micros.ts';
import { civilDate } from '../../domain/parse-civil-date.ts';
import type { Rational } from '../../domain/rational.ts';
import type { QueryFile } from '../../language/gaql/query-file.ts';
import { planRule } from '../../language/rules/evaluate/plan-rule.ts';
import type { Rule } from '../../language/rules/rule.ts';
import { DaySums } from '../../language/trial/day-sums.ts';
import type { Entity } from '../ads/entities.ts';
import { type DayTable, dayTable } from '../ads/execute-query.ts';
import { isMetric, readField, SANDBOX_CATALOGUE } from '../ads/fields.ts';
import { METRICS, metricOf, type Sums } from '../ads/metrics.ts';
import type { Budget, Market } from '../market/market.ts';
import type { SimulatedMarket } from '../market/simulated-market.ts';
import type { SpentDay } from './spent-day.ts';

const AMOUNT = 'campaign_budget.amount_micros';
const LATER = civilDate('9999-12-31');

/** Sums per day for each account, campaign, ad group or keyword. */
export class SimulatedTable {
  readonly #table: DayTable;
  readonly #grains: ReadonlyMap<MemberGrain, GrainDays>;
  #spent: SpentDay | undefined;

  /** @param first The oldest day that `add` accepts. */
  constructor(query: QueryFile, rules: readonly Rule[], simulated: SimulatedMarket, first: CivilDate) {
    const { account, seed } = simulated;
    const market: Market = {
      identity: 'simulation',
      seed,
      simulatedCost: true,
      accounts: [account],
      days: () => [],
      visitDay: (_account, _date, _moment, visit) => this.#spent?.visit(visit),
    };
    // On this late day, all conversions are known.
    const moment = { today: LATER, elapsedShare: 1, amountOn: (budget: Budget) => budget.baseAmount };
    const budgetNow = (budget: Budget) => ({ amountNow: budget.baseAmount, removed: false });
    this.#table = dayTable({
      query,
      catalogue: SANDBOX_CATALOGUE,
      market,
      account,
      moment,
      budgetNow,
      links: [],
      changes: [],
      resourceNames: false,
    });
    const plans = rules.map((rule) => planOn(first, rule));
    this.#grains = new Map(
      [...new Set(plans.map(({ grain }) => grain))].map((grain) => {
        const own = plans.filter((plan) => plan.grain === grain);
        const metrics = new Map(own.flatMap((plan) => plan.metrics.map((one) => [one.column, one])));
        const attributes = [...new Set(own.flatMap((plan) => plan.attributes))];
        return [grain, grainDays(grain, query, this.#table.entities, [...metrics.values()], attributes, first)];
      }),
    );
  }

  /** Call this method once per day, in ascending order. */
  add(spent: SpentDay, amountOf: (budget: Budget) => Micros): void {
    this.#spent = spent;
    for (const row of this.#table.rowsOn(spent.totals.date)) {
      for (const grain of this.#grains.values()) grain.addRow(row.entity, row.sums);
    }
    for (const grain of this.#grains.values()) grain.endDay(spent.totals.date, amountOf);
  }

  /** Rules see only the share `passed` of the day. If `passed` is undefined, rules see the complete day. */
  seePartOf(date: CivilDate, passed: Rational | undefined): void {
    for (const { days, metrics } of this.#grains.values()) {
      days.seeAs(date, passed && { hadRows: true, factors: metrics.map(() => passed) });
    }
  }

  members(demand: MemberDemand): Iterable<Member> {
    return this.#grains.get(demand.grain)?.days.members(demand) ?? [];
  }
}

type GrainDays = ReturnType<typeof grainDays>;

function grainDays(
  grain: MemberGrain,
  query: QueryFile,
  entities: readonly Entity[],
  metrics: readonly SummedColumn[],
  attributes: readonly string[],
  first: CivilDate,
) {
  const days = new DaySums(first, { metrics, attributes });
  const readers = metrics.map((metric) => readerOf(query, metric));
  const { memberOf, members } = membersOf(grain, entities);
  const valuesOf = attributeReader(query, attributes);
  const sums = readers.map(() => new Float64Array(members.length));
  const present = new Uint8Array(members.length);
  return {
    days,
    metrics,
    addRow(entity: number, row: Sums): void {
      const member = memberOf[entity] ?? -1;
      if (member < 0) return;
      present[member] = 1;
      for (const [place, read] of readers.entries()) {
        const column = sums[place];
        // If a row has no value, the sum becomes NaN, which means unknown.
        if (column) column[member] = (column[member] ?? 0) + (read(row) ?? Number.NaN);
      }
    },
    endDay(date: CivilDate, amountOf: (budget: Budget) => Micros): void {
      for (const [place, { ids, entity }] of members.entries()) {
        if (present[place] !== 1) continue;
        const own = sums.map((column) => (Number.isNaN(column[place]) ? null : BigInt(column[place] ?? 0)));
        days.add(ids, date, own, valuesOf(entity, amountOf));
      }
      present.fill(0);
      for (const column of sums) column.fill(0);
    },
  };
}

/** DOUBLE values are in millionths, rounded in each row. */
function readerOf(query: QueryFile, { column, type, impressions }: SummedColumn): (row: Sums) => number | undefined {
  const metricNamed = (name: string) => metricOf(fieldOf(query, name)).read;
  const millionths = (value: number | undefined) => (value === undefined ? undefined : Math.round(value * 1e6));
  if (impressions !== undefined) {
    const shown = metricNamed(impressions.impressions);
    const share = metricNamed(impressions.share);
    const lost = impressions.lost === undefined ? () => 'eligible' as const : metricNamed(impressions.lost);
    return (row) => millionths(countImpressions(shown(row), share(row), lost(row)));
  }
  const read = metricNamed(column);
  return type === 'INT64' ? read : (row) => millionths(read(row));
}

interface GrainMember {
  readonly ids: readonly bigint[];
  readonly entity: Entity;
}

/** `memberOf` contains the member's index for each entity. -1 means no member. */
function membersOf(grain: MemberGrain, entities: readonly Entity[]) {
  const places = new Map<string, number>();
  const members: GrainMember[] = [];
  const memberOf = Int32Array.from(entities, (entity) => {
    const ids = idsOf(grain, entity);
    if (ids === undefined) return -1;
    const known = places.get(ids.join());
    if (known !== undefined) return known;
    places.set(ids.join(), members.length);
    return members.push({ ids: ids.map(BigInt), entity }) - 1;
  });
  return { memberOf, members };
}

function idsOf(grain: MemberGrain, { campaign, keyword }: Entity): readonly string[] | undefined {
  switch (grain) {
    case 'account':
      return [];
    case 'campaign':
      return campaign && [campaign.id];
    case 'ad_group':
      return keyword && [keyword.adGroup.id];
    case 'keyword':
      return keyword && [keyword.adGroup.id, keyword.criterionId];
  }
}

/** Caches all attributes except the budget amount, because only the amount changes with time. */
function attributeReader(
  query: QueryFile,
  attributes: readonly string[],
): (entity: Entity, amountOf: (budget: Budget) => Micros) => readonly ColumnValue[] {
  const fields = attributes.map((column) => fieldOf(query, column));
  const known = new Map<Entity, readonly ColumnValue[]>();
  const moving = fields.indexOf(AMOUNT);
  return (entity, amountOf) => {
    const fixed = known.get(entity) ?? fields.map((field) => columnValue(field, entity));
    known.set(entity, fixed);
    if (moving < 0 || entity.budget === undefined) return fixed;
    return fixed.with(moving, amountOf(entity.budget));
  };
}

function columnValue(field: string, entity: Entity): ColumnValue {
  const value = readField(field, entity);
  if (Array.isArray(value)) return JSON.stringify(value);
  if (value === undefined || typeof value === 'object') return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return SANDBOX_CATALOGUE.fields.get(field)?.type === 'INT64' ? BigInt(value) : value;
}

/** Every table has the column `customer_id`, even if its query does not select this column. */
function fieldOf({ columns }: Pick<QueryFile, 'columns'>, column: string): string {
  const found = columns.find(({ name }) => name === column)?.field;
  if (found !== undefined) return found;
  if (column === 'customer_id') return 'customer.id';
  throw new InvariantError(`The rule reads the column ${column}, but its query does not select it.`);
}

const planOn = (today: CivilDate, rule: Rule) => planRule(rule, { today, lastSettled: today, settled: () => true });

const RESOURCES: readonly string[] = ['keyword_view', 'campaign', 'customer'];

/** Returns the reason as words after a colon. Undefined if the simulation can include the rule. */
export function whyLeftOut(
  rule: Rule,
  query: QueryFile | undefined,
  currency: string,
  today: CivilDate,
): string | undefined {
  if (rule.currency !== undefined && rule.currency !== currency) {
    return `it is for accounts in ${rule.currency}, but this one is in ${currency}`;
  }
  if (rule.model) return `it reads the model ${rule.from}, and the simulation covers only queries`;
  if (query === undefined) return `no query fills its table ${rule.from}`;
  if (!RESOURCES.includes(query.resource))
    return `${rule.from} reads FROM ${query.resource}, but the simulation does not cover ${query.resource}`;
  const { metrics, attributes, windows } = planOn(today, rule);
  if ([...windows.values()].some(({ window }) => window.untilNow))
    return 'it compares hours, and the simulation plays whole days';
  const read = [...metrics.flatMap(columnsBehind), ...attributes].map((column) => fieldOf(query, column));
  const asked = query.tree.where.map(({ field }) => field.name).filter((field) => field !== 'segments.date');
  const missing = [...new Set([...read, ...asked])].filter((field) => !isSimulated(field));
  if (missing.length === 0) return undefined;
  return `the simulation has no values for ${missing.join(', ')}`;
}

function isSimulated(field: string): boolean {
  return isMetric(field) ? METRICS.has(field) : SANDBOX_CATALOGUE.fields.has(field);
}

export function looksAtToday(rule: Rule, today: CivilDate): boolean {
  const { windows } = planOn(today, rule);
  return [...windows.values()].some(({ window }) => window.kind === 'today');
}

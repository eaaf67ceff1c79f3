import { addDays, type CivilDate, daysBetween } from '../../domain/civil-date.ts';
import { InvariantError, unreachable } from '../../domain/errors.ts';
import type { Catalogue, DataType } from '../../language/gaql/catalogue/catalogue.ts';
import type { CheckedQuery } from '../../language/gaql/check/check-query.ts';
import { periodNamed, resolveWindow } from '../../language/gaql/check/date-window.ts';
import {
  type ComparisonSign,
  type Condition,
  HOLDS,
  type Literal,
  type Operator,
  type Value,
} from '../../language/gaql/syntax/tree.ts';
import { type Account, type Campaign, type Market, type Moment, unitsOf } from '../market/market.ts';
import { hashOf, uniform } from '../market/random.ts';
import { conversionsOf, rankLoss, resultsHash } from '../market/results.ts';
import type { LinkedClient } from './account-tree.ts';
import { type BudgetChanged, type Entity, entitiesOf, keyOfEntity, type Now, partsOfUnit } from './entities.ts';
import { asksMetrics, type FieldValue, fieldsNamed, isList, isMetric, readField } from './fields.ts';
import { addDay, metricOf, needsConversions, SUMS } from './metrics.ts';
import { type ResultRow, renderRows } from './render-rows.ts';
import { type Cell, cellsOf, cellsUntil, SEGMENTS } from './segments.ts';
import { splitDay, type UnitDay } from './split-row.ts';

export interface Execution extends Now {
  readonly query: CheckedQuery;
  readonly catalogue: Catalogue;
  readonly market: Market;
  readonly account: Account;
  readonly moment: Moment;
  readonly links: readonly LinkedClient[];
  readonly changes: readonly BudgetChanged[];
  /** If true, rows also contain resource names that the query does not select. */
  readonly resourceNames: boolean;
}

const DATE = 'segments.date';

/** Yields one JSON row per entity, and per day and segment value if the query selects them. */
export function* executeQuery(execution: Execution): Generator<string> {
  const { query } = execution;
  const entities = entitiesWanted(execution);
  const render = renderRows(query.tree, query.resource, entities, execution.resourceNames);
  const rows = orderRows(execution, entities, groupRows(execution, entities));
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (left <= 0) return;
    left -= 1;
    yield render(row);
  }
}

function typeOf(field: string, catalogue: Catalogue): DataType {
  const known = catalogue.fields.get(field);
  if (known === undefined) throw new InvariantError(`The field ${field} passed the check but is not in the catalogue.`);
  return known.type;
}

/** WHERE joins conditions only with AND, so each condition can be tested alone. */
function conditionsOn(
  execution: Execution,
  wanted: (field: string) => boolean,
): { readonly field: string; readonly type: DataType; readonly test: Test }[] {
  const { query, catalogue, moment } = execution;
  return query.tree.where
    .filter(({ field }) => wanted(field.name))
    .map((condition) => {
      const type = typeOf(condition.field.name, catalogue);
      return { field: condition.field.name, type, test: compileCondition(condition, type, moment.today) };
    });
}

function entitiesWanted(execution: Execution): Entity[] {
  const conditions = conditionsOn(execution, (field) => !isMetric(field) && field !== DATE && !SEGMENTS.has(field));
  const source = { ...execution, ...rowsBy(execution), lostToBudget: () => lostToBudget(execution) };
  return entitiesOf(source).filter((entity) =>
    conditions.every(({ field, type, test }) => test(operandOfValue(readField(field, entity), type))),
  );
}

function rowsBy({ query }: Execution) {
  const { resource } = query;
  return { resource, byCampaign: fieldsNamed(query.tree).some(({ name }) => name.startsWith('campaign.')) };
}

const LATELY_DAYS = 7;

function lostToBudget({ market, account, moment }: Execution): ReadonlyMap<Campaign, number> {
  const units = unitsOf(account);
  const counts = new Map(account.campaigns.map((campaign) => [campaign, { shown: 0, wanted: 0 }]));
  for (let back = 1; back <= LATELY_DAYS; back += 1) {
    market.visitDay(account, addDays(moment.today, -back), moment, (unit, impressions, _clicks, _cost, wanted) => {
      const campaign = units[unit]?.campaign;
      const count = campaign && counts.get(campaign);
      if (!count) return;
      count.shown += impressions;
      count.wanted += wanted;
    });
  }
  return new Map([...counts].map(([campaign, { shown, wanted }]) => [campaign, wanted === 0 ? 0 : 1 - shown / wanted]));
}

function* groupRows(execution: Execution, entities: readonly Entity[]): Generator<ResultRow> {
  const { query, market, account, moment } = execution;
  const dateTests = conditionsOn(execution, (field) => field === DATE);
  const days = market.days(account, moment.today).filter((day) => dateTests.every(({ test }) => test(day)));
  if (query.tree.select.some(({ name }) => name === DATE)) {
    const rowsOn = dayRows(execution, entities);
    for (const day of days) yield* rowsOn(day);
  } else {
    const count = dayCounter(execution, entities);
    const found = new Buckets(entities.length * count.span);
    if (asksMetrics(query.tree)) for (const day of days) count.add(day, found);
    // Without segments, an entity gets a row even if all its metrics are zero.
    if (count.span === 1) for (const entity of entities.keys()) found.at(entity);
    yield* rowsOf(found, count, undefined, metricFilter(execution, undefined));
  }
}

export type DayTable = ReturnType<typeof dayTable>;

/** Rows of single days. The date conditions of the query are ignored. */
export function dayTable(execution: Execution) {
  const entities = entitiesWanted(execution);
  return {
    entities,
    /** Only for complete days, not for today. */
    rowsOn: dayRows(execution, entities),
  };
}

function dayRows(execution: Execution, entities: readonly Entity[]): (day: CivilDate) => Generator<ResultRow> {
  const count = dayCounter(execution, entities);
  const selected = execution.query.tree.select.map(({ name }) => name);
  const passes = metricFilter(execution, selected);
  return function* (day) {
    const found = new Buckets(entities.length * count.span);
    count.add(day, found);
    yield* rowsOf(found, count, day, passes);
  };
}

/** Metric sums by entity and cell. A cell is a combination of segment values. */
class Buckets {
  readonly #sums: (Float64Array | undefined)[];

  constructor(size: number) {
    this.#sums = Array.from({ length: size }, () => undefined);
  }

  at(index: number): Float64Array {
    const known = this.#sums[index] ?? new Float64Array(SUMS);
    this.#sums[index] = known;
    return known;
  }

  *all(): Generator<readonly [index: number, sums: Float64Array]> {
    for (const [index, sums] of this.#sums.entries()) if (sums !== undefined) yield [index, sums];
  }
}

interface DayCounter {
  /** Number of cells per entity. The sums of a cell are at the index `entity * span + cell`. */
  readonly span: number;
  readonly cells: readonly (readonly string[])[];
  add(day: CivilDate, found: Buckets): void;
}

function dayCounter(execution: Execution, entities: readonly Entity[]): DayCounter {
  const { query, market, account, moment } = execution;
  const fields = query.tree.select.map(({ name }) => name).filter((name) => SEGMENTS.has(name));
  const tests = conditionsOn(execution, (field) => SEGMENTS.has(field));
  const passes = ({ values }: Cell) =>
    tests.every(({ field, type, test }) => test(operandOfValue(values[fields.indexOf(field)], type)));
  const cells: (readonly string[])[] = [];
  const placeOf = new Map<string, number>();
  const place = (cell: Cell): number => {
    const key = cell.values.join();
    if (!placeOf.has(key)) placeOf.set(key, passes(cell) ? cells.push(cell.values) - 1 : -1);
    return placeOf.get(key) ?? -1;
  };
  const places = new Map(entities.map((entity, index) => [keyOfEntity(query.resource, entity), index]));
  const withConversions = fieldsNamed(query.tree).some(({ name }) => needsConversions(name));
  const by = { account, ...rowsBy(execution) };
  const units = unitsOf(account).map((unit) => {
    const parts = partsOfUnit(by, unit).map(({ key, weight }) => ({ entity: places.get(key) ?? -1, weight }));
    const { campaign } = unit;
    const own = cellsOf(fields, campaign.channel);
    for (const cell of own) place(cell);
    return {
      campaign,
      parts,
      weights: parts.map(({ weight }) => weight),
      cells: own,
      counted: parts.some(({ entity }) => entity >= 0),
      hash: resultsHash(market.seed, account, unit),
    };
  });
  const rankHashes = new Map(
    account.campaigns.map((campaign) => [campaign, hashOf(`rank|${market.seed}|${account.customerId}|${campaign.id}`)]),
  );
  const hourAt = fields.indexOf('segments.hour');
  return {
    span: Math.max(1, cells.length),
    cells,
    add(day, found) {
      const isToday = day === moment.today;
      const age = daysBetween(day, moment.today) + moment.elapsedShare;
      const dayHash = hashOf(`split|${day}`);
      market.visitDay(account, day, moment, (index, impressions, clicks, costMicros, wanted) => {
        const unit = units[index];
        if (unit === undefined || !unit.counted) return;
        const { campaign, hash } = unit;
        const conversions = withConversions ? conversionsOf(hash, day, clicks, campaign.results, age) : [];
        const whole: UnitDay = { impressions, clicks, costMicros, wanted, conversions };
        const loss = campaign.channel === 'DISPLAY' ? undefined : rankLoss(rankHashes.get(campaign) ?? 0, day);
        const luck = uniform(hash, dayHash, 0);
        const cellsNow = isToday ? cellsUntil(unit.cells, hourAt, moment.elapsedShare) : unit.cells;
        const cellWeights = cellsNow.map(({ weight }) => weight);
        for (const [part, ofPart] of splitDay(whole, unit.weights, luck).entries()) {
          const entity = unit.parts[part]?.entity ?? -1;
          if (entity < 0) continue;
          for (const [at, ofCell] of splitDay(ofPart, cellWeights, luck).entries()) {
            const one = cellsNow[at];
            const cell = one === undefined ? -1 : place(one);
            if (cell >= 0) addDay(found.at(entity * Math.max(1, cells.length) + cell), ofCell, loss);
          }
        }
      });
    },
  };
}

function* rowsOf(
  found: Buckets,
  { span, cells }: DayCounter,
  date: CivilDate | undefined,
  passes: (row: ResultRow) => boolean,
): Generator<ResultRow> {
  for (const [index, sums] of found.all()) {
    const row: ResultRow = { entity: Math.floor(index / span), date, segments: cells[index % span] ?? [], sums };
    if (passes(row)) yield row;
  }
}

/** If `segmented` is set, omits rows whose selected metrics are all zero, or without metrics, rows without impressions. */
function metricFilter(execution: Execution, segmented: readonly string[] | undefined): (row: ResultRow) => boolean {
  const conditions = conditionsOn(execution, isMetric).map(({ field, test }) => ({ metric: metricOf(field), test }));
  const shown = segmented?.filter(isMetric);
  const watched = (shown?.length === 0 ? ['metrics.impressions'] : shown)?.map(metricOf);
  return ({ sums }) => {
    if (watched !== undefined && !watched.some(({ read }) => (read(sums) ?? 0) !== 0)) return false;
    return conditions.every(({ metric, test }) => test(metric.read(sums)));
  };
}

/** Without ORDER BY, rows are streamed and never all in memory. */
function orderRows(execution: Execution, entities: readonly Entity[], rows: Iterable<ResultRow>): Iterable<ResultRow> {
  const { orderBy } = execution.query.tree;
  if (orderBy.length === 0) return rows;
  const keys = orderBy.map(({ field, direction }) => ({
    keyOf: sortKey(field.name, execution, entities),
    sign: direction === 'DESC' ? -1 : 1,
  }));
  return [...rows].sort((a, b) => {
    for (const { keyOf, sign } of keys) {
      const order = compareOperands(keyOf(a), keyOf(b));
      if (order !== 0) return order * sign;
    }
    return 0;
  });
}

function sortKey(
  field: string,
  { catalogue, query }: Execution,
  entities: readonly Entity[],
): (row: ResultRow) => Operand {
  if (field === DATE) return ({ date }) => date ?? '';
  if (isMetric(field)) {
    const metric = metricOf(field);
    return ({ sums }) => metric.read(sums) ?? 0;
  }
  if (SEGMENTS.has(field)) {
    const type = typeOf(field, catalogue);
    const at = query.tree.select.filter(({ name }) => SEGMENTS.has(name)).findIndex(({ name }) => name === field);
    return ({ segments }) => operandOfValue(segments[at], type) ?? '';
  }
  const type = typeOf(field, catalogue);
  const values = entities.map((entity) => operandOfValue(readField(field, entity), type) ?? '');
  return ({ entity }) => values[entity] ?? '';
}

type Operand = string | number | bigint | readonly string[];

type Test = (value: Operand | undefined) => boolean;

/** The value `undefined` means NULL. Only IS NULL and CONTAINS NONE accept NULL. */
function compileCondition({ operator, values }: Condition, type: DataType, today: CivilDate): Test {
  const [first, second] = values;
  if (!first) return (value) => (value === undefined) === (operator === 'IS NULL');
  switch (operator) {
    case 'IN':
    case 'NOT IN': {
      const asked = new Set(values.map((one) => String(operandOf(one, type))));
      return (value) => value !== undefined && asked.has(String(value)) === (operator === 'IN');
    }
    case 'CONTAINS ANY':
    case 'CONTAINS ALL':
    case 'CONTAINS NONE': {
      const asked = new Set(values.map((one) => String(operandOf(one, type))));
      return (value) => containsAs(operator, isList(value) ? value : [], asked);
    }
    case 'BETWEEN': {
      const low = operandOf(first, type);
      const high = operandOf(second ?? first, type);
      return (value) => value !== undefined && compareOperands(value, low) >= 0 && compareOperands(value, high) <= 0;
    }
    case 'DURING': {
      const period = periodNamed(literalOf(first).text);
      const days = period && resolveWindow({ kind: 'period', period }, today);
      if (!days) throw new InvariantError(`DURING ${literalOf(first).text} passed the check but is unknown.`);
      const dayOf = (value: string) => value.slice(0, days.to.length);
      return (value) => typeof value === 'string' && dayOf(value) >= days.from && dayOf(value) <= days.to;
    }
    default:
      return compileComparison(operator, first, type);
  }
}

function containsAs(
  operator: 'CONTAINS ANY' | 'CONTAINS ALL' | 'CONTAINS NONE',
  held: readonly string[],
  asked: ReadonlySet<string>,
): boolean {
  const found = new Set(held.filter((one) => asked.has(one)));
  if (operator === 'CONTAINS ALL') return found.size === asked.size;
  return found.size > 0 === (operator === 'CONTAINS ANY');
}

function operandOfValue(value: FieldValue | undefined, type: DataType): Operand | undefined {
  if (isList(value)) return value;
  if (value === undefined || typeof value === 'object') return undefined;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return type === 'INT64' ? BigInt(value) : value;
}

function compareOperands(a: Operand, b: Operand): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compileComparison(operator: Operator, value: Value, type: DataType): Test {
  switch (operator) {
    case 'LIKE':
    case 'NOT LIKE':
      return matches(likePattern(literalOf(value).text), operator === 'LIKE');
    case 'REGEXP_MATCH':
    case 'NOT REGEXP_MATCH':
      return matches(regexpPattern(literalOf(value).text), operator === 'REGEXP_MATCH');
    default: {
      const constant = operandOf(value, type);
      const accepts = HOLDS[operator as ComparisonSign];
      return (candidate) => candidate !== undefined && accepts(compareOperands(candidate, constant));
    }
  }
}

function matches(pattern: RegExp, wanted: boolean): Test {
  return (candidate) => candidate !== undefined && pattern.test(String(candidate)) === wanted;
}

function literalOf(value: Value): Literal {
  if (value.kind === 'placeholder')
    throw new InvariantError(`The parameter :${value.name} passed the check but has no value.`);
  return value;
}

function operandOf(value: Value, type: DataType): Operand {
  const { text } = literalOf(value);
  switch (type) {
    case 'INT64':
      return BigInt(text);
    case 'DOUBLE':
      return Number(text);
    case 'BOOLEAN':
      return text.toUpperCase();
    case 'DATE':
      return text.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
    case 'STRING':
    case 'ENUM':
    case 'RESOURCE_NAME':
    case 'DATE_TIME':
    case 'MESSAGE':
      return text;
    default:
      return unreachable(type);
  }
}

/** LIKE ignores case. `[%]` and `[_]` match a literal `%` and `_`. */
function likePattern(text: string): RegExp {
  const pattern = text.replace(/\[([%_[\]])\]|%|_|[\\^$.*+?()[\]{}|]/g, (found, bracketed: string | undefined) => {
    if (bracketed !== undefined) return /[[\]]/.test(bracketed) ? `\\${bracketed}` : bracketed;
    if (found === '%') return '.*';
    if (found === '_') return '.';
    return `\\${found}`;
  });
  return new RegExp(`^${pattern}$`, 'isu');
}

/** An invalid expression matches nothing. */
function regexpPattern(text: string): RegExp {
  const flags = text.startsWith('(?i)') ? 'isu' : 'su';
  try {
    return new RegExp(`^(?:${text.replace(/^\(\?i\)/, '')})$`, flags);
  } catch {
    return /(?!)/;
  }
}

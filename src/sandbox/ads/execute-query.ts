import type { CivilDate } from '../../domain/civil-date.ts';
import { InvariantError, unreachable } from '../../domain/errors.ts';
import type { Catalogue, DataType } from '../../gaql/catalogue/catalogue.ts';
import type { CheckedQuery } from '../../gaql/check/check-query.ts';
import { periodNamed, resolveWindow } from '../../gaql/check/date-window.ts';
import {
  type ComparisonSign,
  type Condition,
  HOLDS,
  type Literal,
  type PatternOperator,
  type Value,
} from '../../gaql/syntax/tree.ts';
import type { Account, Market, Moment } from '../market/market.ts';
import type { LinkedClient } from './account-tree.ts';
import {
  asksMetrics,
  type BudgetChanged,
  type Entity,
  entitiesOf,
  type FieldValue,
  isMetric,
  type Now,
  readField,
} from './fields.ts';
import { METRICS, metricIndex, type ResultRow, renderRows } from './render-rows.ts';

export interface Execution extends Now {
  readonly query: CheckedQuery;
  readonly catalogue: Catalogue;
  readonly market: Market;
  readonly account: Account;
  readonly moment: Moment;
  readonly links: readonly LinkedClient[];
  readonly changes: readonly BudgetChanged[];
  /** Adds unselected resource names, as the public interface does. */
  readonly resourceNames: boolean;
}

const DATE = 'segments.date';

/** A row is an entity, or an entity's day if the date is selected. Metrics are sums over the days that WHERE leaves. */
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

/** WHERE knows only AND, so each kind of condition is tested by itself. */
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
  const { query, account, links, changes } = execution;
  const conditions = conditionsOn(execution, (field) => !isMetric(field) && field !== DATE);
  return entitiesOf(query.resource, account, execution, links, changes).filter((entity) =>
    conditions.every(({ field, type, test }) => test(operandOfValue(readField(field, entity), type))),
  );
}

function* groupRows(execution: Execution, entities: readonly Entity[]): Generator<ResultRow> {
  const { query, market, account, moment } = execution;
  const dateTests = conditionsOn(execution, (field) => field === DATE);
  const days = market.days(account, moment.today).filter((day) => dateTests.every(({ test }) => test(day)));
  if (query.tree.select.some(({ name }) => name === DATE)) {
    const rowsOn = dayRows(execution, entities);
    for (const day of days) yield* rowsOn(day);
  } else {
    const { sums, addDay } = daySums(execution, entities);
    if (asksMetrics(query.tree)) for (const day of days) addDay(day);
    yield* rowsOf(sums, undefined, metricFilter(execution, undefined));
  }
}

export type DayTable = ReturnType<typeof dayTable>;

/** The query's own days do not matter. */
export function dayTable(execution: Execution) {
  const entities = entitiesWanted(execution);
  return {
    entities,
    /** Expects a complete day. `moment` needs only the amounts. */
    rowsOn: dayRows(execution, entities),
  };
}

function dayRows(execution: Execution, entities: readonly Entity[]): (day: CivilDate) => Generator<ResultRow> {
  const { sums, addDay } = daySums(execution, entities);
  const selected = execution.query.tree.select.map(({ name }) => name);
  const passes = metricFilter(execution, selected);
  return function* (day) {
    for (const column of sums) column.fill(0);
    addDay(day);
    yield* rowsOf(sums, day, passes);
  };
}

function daySums(
  { query, market, account, moment }: Execution,
  entities: readonly Entity[],
): { readonly sums: readonly Float64Array[]; addDay(day: CivilDate): void } {
  const sums = METRICS.map(() => new Float64Array(entities.length));
  const entityOf = entityIndexes(query.resource, account, entities);
  const add = (metric: number, entity: number, value: number) => {
    const column = sums[metric];
    if (column) column[entity] = (column[entity] ?? 0) + value;
  };
  const addDay = (day: CivilDate) =>
    market.visitDay(account, day, moment, (keyword, impressions, clicks, costMicros) => {
      const entity = entityOf[keyword] ?? -1;
      if (entity < 0) return;
      add(0, entity, impressions);
      add(1, entity, clicks);
      add(2, entity, costMicros);
    });
  return { sums, addDay };
}

function* rowsOf(
  columns: readonly Float64Array[],
  date: CivilDate | undefined,
  passes: (row: ResultRow) => boolean,
): Generator<ResultRow> {
  const [impressions, clicks, costMicros] = columns;
  if (!impressions || !clicks || !costMicros) throw new InvariantError('A metric has no sums.');
  for (let entity = 0; entity < impressions.length; entity += 1) {
    const sums = [impressions[entity] ?? 0, clicks[entity] ?? 0, costMicros[entity] ?? 0] as const;
    const row: ResultRow = { entity, date, sums };
    if (passes(row)) yield row;
  }
}

/** Per keyword the index of its entity, or -1 if WHERE excludes it. */
function entityIndexes(resource: string, account: Account, entities: readonly Entity[]): Int32Array {
  const places = new Map<unknown, number>();
  const keyOf = (entity: Entity) => entity.keyword ?? entity.campaign ?? entity.link ?? entity.account;
  entities.forEach((entity, index) => {
    places.set(keyOf(entity), index);
  });
  return Int32Array.from(account.keywords, (keyword) => {
    const owner = resource === 'keyword_view' ? keyword : resource === 'campaign' ? keyword.campaign : account;
    return places.get(owner) ?? -1;
  });
}

/** `segmented` is SELECT with the date: rows whose selected metrics are all zero are left out. */
function metricFilter(execution: Execution, segmented: readonly string[] | undefined): (row: ResultRow) => boolean {
  const conditions = conditionsOn(execution, isMetric).map(({ field, test }) => ({ at: metricIndex(field), test }));
  const shown = segmented?.filter(isMetric).map(metricIndex);
  const watched = shown?.length === 0 ? [0] : shown;
  return ({ sums }) => {
    if (watched !== undefined && !watched.some((at) => sums[at] !== 0)) return false;
    return conditions.every(({ at, test }) => test(sums[at]));
  };
}

/** Only ORDER BY needs all rows in memory. */
function orderRows(execution: Execution, entities: readonly Entity[], rows: Iterable<ResultRow>): Iterable<ResultRow> {
  const { orderBy } = execution.query.tree;
  if (orderBy.length === 0) return rows;
  const keys = orderBy.map(({ field, direction }) => ({
    keyOf: sortKey(field.name, execution.catalogue, entities),
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

function sortKey(field: string, catalogue: Catalogue, entities: readonly Entity[]): (row: ResultRow) => Operand {
  if (field === DATE) return ({ date }) => date ?? '';
  if (isMetric(field)) {
    const at = metricIndex(field);
    return ({ sums }) => sums[at] ?? 0;
  }
  const type = typeOf(field, catalogue);
  const values = entities.map((entity) => operandOfValue(readField(field, entity), type) ?? '');
  return ({ entity }) => values[entity] ?? '';
}

/** Numbers are whole, so they compare exactly with bigints. */
type Operand = string | number | bigint;

type Test = (value: Operand | undefined) => boolean;

/** `undefined` is NULL, which only IS NULL accepts. `today` is the account's. */
function compileCondition(condition: Condition, type: DataType, today: CivilDate): Test {
  switch (condition.kind) {
    case 'comparison':
      return compileComparison(condition.operator, condition.value, type);
    case 'membership': {
      const values = new Set(condition.values.map((value) => String(operandOf(value, type))));
      if (condition.operator !== 'IN' && condition.operator !== 'NOT IN') {
        throw new InvariantError(`${condition.operator} passed the check, but the sandbox has no lists.`);
      }
      const wanted = condition.operator === 'IN';
      return (value) => value !== undefined && values.has(String(value)) === wanted;
    }
    case 'between': {
      const low = operandOf(condition.low, type);
      const high = operandOf(condition.high, type);
      return (value) => value !== undefined && compareOperands(value, low) >= 0 && compareOperands(value, high) <= 0;
    }
    case 'during': {
      const period = periodNamed(literalOf(condition.period).text);
      const days = period && resolveWindow({ kind: 'period', period }, today);
      if (!days)
        throw new InvariantError(`DURING ${literalOf(condition.period).text} passed the check but is unknown.`);
      const dayOf = (value: string) => value.slice(0, days.to.length);
      return (value) => typeof value === 'string' && dayOf(value) >= days.from && dayOf(value) <= days.to;
    }
    case 'null_test': {
      const wanted = condition.operator === 'IS NULL';
      return (value) => (value === undefined) === wanted;
    }
    default:
      return unreachable(condition);
  }
}

function operandOfValue(value: FieldValue | undefined, type: DataType): Operand | undefined {
  if (value === undefined || typeof value === 'object') return undefined;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return type === 'INT64' ? BigInt(value) : value;
}

function compareOperands(a: Operand, b: Operand): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compileComparison(operator: ComparisonSign | PatternOperator, value: Value, type: DataType): Test {
  switch (operator) {
    case 'LIKE':
    case 'NOT LIKE':
      return matches(likePattern(literalOf(value).text), operator === 'LIKE');
    case 'REGEXP_MATCH':
    case 'NOT REGEXP_MATCH':
      return matches(regexpPattern(literalOf(value).text), operator === 'REGEXP_MATCH');
    default: {
      const constant = operandOf(value, type);
      const accepts = HOLDS[operator];
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

/** `[%]` and `[_]` mean the characters themselves. Ignores case. */
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

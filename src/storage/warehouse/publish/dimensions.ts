import { columnName } from '../../../language/gaql/check/column.ts';
import { CUSTOMER } from '../../columns/budget-columns.ts';
import { bySql, day } from '../../columns/column.ts';
import { CUSTOMER_COLUMN, columnOfField, identifier, type StoredField, storageType } from '../query-table.ts';
import { type NewestRows, newestTable, SEEN_ON } from './newest-rows.ts';
import { columnIn, type Describe, fieldColumns, type PublishedTable, publishedColumns } from './published-table.ts';

interface Dimension {
  readonly name: string;
  readonly description: string;
  /** The account and these fields form the key. */
  readonly ids: readonly StoredField[];
  /** These columns exist even if no query selects them, so that charts keep working. */
  readonly always: readonly StoredField[];
  readonly owner: string;
}

const id = (field: string): StoredField => ({ field, name: columnName(field), type: 'INT64' });
const text = (field: string): StoredField => ({ field, name: columnName(field), type: 'STRING' });

const DIMENSIONS: readonly Dimension[] = [
  {
    name: 'dim_campaign',
    description: 'One row per campaign, with its attributes on the newest day.',
    ids: [id('campaign.id')],
    always: [text('campaign.name')],
    owner: 'campaign',
  },
  {
    name: 'dim_ad_group',
    description: 'One row per ad group, with its attributes on the newest day.',
    ids: [id('ad_group.id')],
    always: [id('campaign.id'), text('ad_group.name')],
    owner: 'ad_group',
  },
  {
    name: 'dim_keyword',
    description: 'One row per keyword of an ad group, with its attributes on the newest day.',
    ids: [id('ad_group.id'), id('ad_group_criterion.criterion_id')],
    always: [
      id('campaign.id'),
      text('ad_group_criterion.keyword.text'),
      { ...text('ad_group_criterion.keyword.match_type'), type: 'ENUM' },
    ],
    owner: 'ad_group_criterion',
  },
];

const KEYWORD_TEXT = 'ad_group_criterion.keyword.text';
const OF_ACCOUNT = publishedColumns([bySql(CUSTOMER, columnIn('named', CUSTOMER_COLUMN))]);
const LAST_SEEN = publishedColumns([
  bySql(day('last_seen', 'Newest day with a row for this entry.'), columnIn('named', SEEN_ON)),
]);

export interface DimensionTable {
  readonly table: PublishedTable;
  readonly ids: readonly StoredField[];
  readonly sources: readonly NewestRows[];
  /** If there are several sources, the table is made from these. */
  readonly gathered: Gathered | undefined;
}

/** The newest rows of several sources, as a SELECT for each, and which source has which attributes. */
export interface Gathered {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  readonly selecting: readonly (readonly [attribute: string, source: number])[];
}

export const GATHERED = 'gathered';
export const SELECTING = 'selecting';

/** The tables of newest rows must be filled before these tables. */
export function dimensionTables(newest: readonly NewestRows[], describe: Describe): DimensionTable[] {
  return DIMENSIONS.map((dimension) => {
    const sources = newest.filter(({ query }) => isSource(dimension, query));
    const attributes = attributesOf(dimension, sources);
    const columns = [...dimension.ids, ...attributes].flatMap((column) =>
      fieldColumns(column, columnIn('named', column.name), describe),
    );
    const table: PublishedTable = {
      name: dimension.name,
      group: 'statistics',
      sources: sources.map(({ query }) => ({ kind: 'query', name: query.name })),
      references: { customer_id: 'account (customer_id)' },
      description: dimension.description,
      columns: [...OF_ACCOUNT, ...columns, ...LAST_SEEN],
      key: [CUSTOMER_COLUMN, ...dimension.ids.map(({ name }) => name)],
      from: fromSources(dimension, sources, attributes),
      order: keyOf(dimension).map(identifier).join(', '),
      indexes: [],
    };
    const gathered = sources.length > 1 ? gatherSources(dimension, sources, attributes) : undefined;
    return { table, ids: dimension.ids, sources, gathered };
  });
}

/** For keywords, the query must also select the text, because other criteria have ids too. */
function isSource({ ids, owner }: Dimension, query: NewestRows['query']): boolean {
  const named = ids.every(({ field }) => columnOfField(query, field) !== undefined);
  return named && (owner !== 'ad_group_criterion' || columnOfField(query, KEYWORD_TEXT) !== undefined);
}

function attributesOf({ ids, always, owner }: Dimension, sources: readonly NewestRows[]): StoredField[] {
  const attributes = new Map(always.map((column) => [column.field, column]));
  const selected = sources.flatMap(({ query }) => query.columns);
  for (const { field, type } of selected) {
    const isId = ids.some((column) => column.field === field);
    if (field.startsWith(`${owner}.`) && !isId && !attributes.has(field)) {
      attributes.set(field, { field, name: columnName(field), type });
    }
  }
  return [...attributes.values()];
}

/** Takes each attribute from the newest row of a query with this attribute. On equal days, the first query counts. */
function fromSources(dimension: Dimension, sources: readonly NewestRows[], attributes: readonly StoredField[]): string {
  const key = keyOf(dimension);
  const keyList = key.map(identifier).join(', ');
  const seenOn = identifier(SEEN_ON);
  const [first] = sources;
  if (first === undefined) {
    const nothing = [...key, ...attributes.map(({ name }) => name), SEEN_ON];
    return `FROM (SELECT ${nothing.map((name) => `NULL AS ${identifier(name)}`).join(', ')}) AS named WHERE false`;
  }
  if (sources.length === 1) return `FROM (${newestOf(dimension, first, attributes)}) AS named`;
  const values = attributes.map(({ name }) => {
    // Queries that select the attribute come first, even with NULL, because an attribute can become empty.
    const having = `source IN (SELECT source FROM ${SELECTING} WHERE attribute = '${name}')`;
    const column = identifier(name);
    const order = `${having} DESC, ${seenOn} DESC, source`;
    return `first_value(${column}) OVER (PARTITION BY ${keyList} ORDER BY ${order}) AS ${column}`;
  });
  const newest = `PARTITION BY ${keyList} ORDER BY ${seenOn} DESC, source`;
  return `FROM (SELECT ${[keyList, ...values, seenOn].join(', ')}, row_number() OVER (${newest}) AS place
    FROM ${GATHERED}) AS named WHERE place = 1`;
}

function gatherSources(
  dimension: Dimension,
  sources: readonly NewestRows[],
  attributes: readonly StoredField[],
): Gathered {
  const columns = [...keyOf(dimension), ...attributes.map(({ name }) => name), SEEN_ON].map(identifier);
  return {
    columns: ['source', ...columns],
    rows: sources.map(
      (source, index) => `SELECT ${index}, one.* FROM (${newestOf(dimension, source, attributes)}) AS one`,
    ),
    selecting: sources.flatMap(({ query }, index) =>
      attributes
        .filter(({ field }) => columnOfField(query, field) !== undefined)
        .map(({ name }) => [name, index] as const),
    ),
  };
}

const keyOf = ({ ids }: Dimension): string[] => [CUSTOMER_COLUMN, ...ids.map(({ name }) => name)];

function newestOf(dimension: Dimension, source: NewestRows, attributes: readonly StoredField[]): string {
  const { query, ids: told } = source;
  const { ids, owner } = dimension;
  const seenOn = identifier(SEEN_ON);
  const own = ids.map(({ field, name }) => `${ownName(query, field)} AS ${identifier(name)}`);
  // A missing id was stored as 0 and becomes NULL again.
  const values = attributes.map(({ field, name, type }) => {
    const column = columnOfField(query, field);
    const value = column === undefined ? `CAST(NULL AS ${SQL_TYPES[storageType(type)]})` : ownName(query, field);
    const isId = column !== undefined && told.includes(column.name);
    return `${isId ? `nullif(${value}, 0)` : value} AS ${identifier(name)}`;
  });
  const keyword = owner === 'ad_group_criterion' ? `${ownName(query, KEYWORD_TEXT)} IS NOT NULL` : 'true';
  const one = [CUSTOMER_COLUMN, ...ids.map(({ field }) => ownName(query, field))].join(', ');
  const newer = [SEEN_ON, ...told].map((name) => `${identifier(name)} DESC`).join(', ');
  const named = ids.map(({ field }) => `${ownName(query, field)} <> 0`).join(' AND ');
  const columns = [...keyOf(dimension), ...attributes.map(({ name }) => name), SEEN_ON].map(identifier);
  return `SELECT ${columns.join(', ')} FROM (
      SELECT ${[CUSTOMER_COLUMN, ...own, ...values, seenOn].join(', ')}, ${keyword} AS "is one",
        row_number() OVER (PARTITION BY ${one} ORDER BY ${newer}) AS "its place"
      FROM ${newestTable(source)} WHERE ${named}) AS placed WHERE "its place" = 1 AND "is one"`;
}

/** Types that both engines know. */
const SQL_TYPES = { INTEGER: 'bigint', REAL: 'double precision', TEXT: 'text' } as const;

function ownName(query: NewestRows['query'], field: string): string {
  const column = columnOfField(query, field);
  return column === undefined ? 'NULL' : identifier(column.name);
}

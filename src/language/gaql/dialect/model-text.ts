import { MICROS, resultPath } from '../check/column.ts';

export interface ModelColumn {
  readonly name: string;
  readonly sql: string;
}

export function modelText(table: string, columns: readonly ModelColumn[], comment: string): string {
  const lines = columns.map(({ name, sql }) => (sql === named(name) ? sql : `${sql} AS ${named(name)}`));
  const head = comment.split('\n').map((line) => `-- ${line}`.trimEnd());
  return `${[...head, 'SELECT', `  ${lines.join(',\n  ')}`, `FROM ${table} AS base`].join('\n')}\n`;
}

const RESERVED = new Set(
  (
    'add all alter and as autoincrement between case cast check collate commit constraint create current_date ' +
    'current_time current_timestamp default deferrable delete distinct drop else escape except exists foreign from ' +
    'group having in index insert intersect into is isnull join limit not nothing notnull null on or order primary ' +
    'raise references returning select set table then to transaction union unique update using values when where'
  ).split(' '),
);

export function named(column: string): string {
  return RESERVED.has(column) ? `"${column}"` : column;
}

export const textSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SQL that reads `part` of a JSON object, or of each object if `isList`. */
export function partSql(column: string, part: string, isList: boolean): string {
  if (isList) {
    return `(SELECT json_group_array(${partSql('item.value', part, false)}) FROM json_each(${column}) AS item)`;
  }
  const names = resultPath(part);
  const path = (from: number, to: number) => `'$.${names.slice(from, to).join('.')}'`;
  const one = `json_extract(${column}, ${path(0, names.length)})`;
  const inLists = names.slice(1).map((_, index) => {
    const list = path(0, index + 1);
    const values = `nullif(json_group_array(json_extract(value, ${path(index + 1, names.length)})), '[]')`;
    return `(SELECT ${values} FROM json_each(${column}, ${list}) WHERE json_type(${column}, ${list}) = 'array')`;
  });
  // The service writes int64 values as text in JSON, so a number needs a cast.
  const first = part.endsWith(MICROS) ? `CAST(${one} AS INTEGER)` : one;
  return inLists.length === 0 ? first : `coalesce(${[first, ...inLists].join(', ')})`;
}

/** SQL for an id in a resource name: index 1 of `customers/1/adGroupAds/5~7` is 7. */
export function partOfNameSql(column: string, index: number, isList: boolean): string {
  if (isList)
    return `(SELECT json_group_array(${partOfNameSql('names.value', index, false)}) FROM json_each(${column}) AS names)`;
  const json = `'[[' || replace(replace(json_quote(${column}), '/', '"],["'), '~', '","') || ']]'`;
  const id = "iif(value GLOB '*[^0-9]*', value, CAST(value AS INTEGER))";
  return `(SELECT ${id} FROM json_each(${json}, '$[#-1]') WHERE key = ${index})`;
}

/** `Campaign Name` becomes `campaign_name`. */
export function snakeName(text: string): string {
  const name = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return /^[a-z]/.test(name) ? name : `x_${name}`;
}

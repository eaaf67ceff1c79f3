import { createHash } from 'node:crypto';
import { type CivilDate, instantText } from '../../domain/civil-date.ts';
import { type CustomerId, isId, readCustomerId } from '../../domain/ids.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { textSql } from '../../language/gaql/dialect/model-text.ts';
import { type FixedReading, linkOfDigest } from '../../storage/records/read-link-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN, identifier } from '../../storage/warehouse/query-table.ts';
import { linkSource } from './link-source.ts';

export interface LinkOrder {
  /** SHA-256 of the key of the address. */
  readonly digest: string;
  /** The last part of the path, decoded. Not validated, like `query`. */
  readonly file: string;
  readonly query: string;
}

export type LinkReading =
  | { readonly kind: 'refused'; readonly status: 400 | 404 | 410 | 503; readonly problem: string }
  | {
      readonly kind: 'read';
      readonly id: string;
      readonly sql: string;
      readonly format: LinkFormat;
      /** Undefined if the rows can change without a publication. */
      readonly etag: string | undefined;
    };

export const LINK_FORMATS = ['csv', 'json'] as const;
export type LinkFormat = (typeof LINK_FORMATS)[number];

const NO_LINK = 'No such link. Its address may be incomplete';

/** Checks the key, and makes the SELECT from parts that pacekeeper knows. No text of the address becomes SQL. */
export async function linkReading(app: StateApp, { digest, file, query }: LinkOrder): Promise<LinkReading> {
  const link = await linkOfDigest(app.state.db, digest);
  const format = LINK_FORMATS.find((one) => file === `${link?.name}.${one}`);
  if (link === undefined || format === undefined) return refused(404, NO_LINK);
  if (link.revokedAt !== undefined) return refused(410, 'This link was revoked');
  if (link.expiresAt <= instantText(app.clock.now())) return refused(410, 'This link has expired');
  const source = await linkSource(app, link);
  if (source.kind !== 'found') return refused(source.kind === 'gone' ? 410 : 503, source.problem.replace(/\.$/, ''));
  const { fixed, id } = link;
  const known = source.columns ?? fixed.columns;
  if (!fixed.columns.every((column) => known.includes(column))) return refused(410, 'A column of this link is gone');
  const narrowed = narrowedBy(new URLSearchParams(query), fixed.columns);
  if (typeof narrowed === 'string') return refused(400, narrowed);
  const sql = selectOf(source.from, fixed, narrowed);
  const { publication } = source;
  const identity = createHash('sha256').update(JSON.stringify([publication, `${id}`, sql, format]));
  const etag = publication === undefined ? undefined : `"${identity.digest('base64url')}"`;
  return { kind: 'read', id: String(id), sql, format, etag };
}

const refused = (status: 400 | 404 | 410 | 503, problem: string): LinkReading => ({ kind: 'refused', status, problem });

type Narrowed = Pick<FixedReading, 'columns' | 'customers' | 'from' | 'to'>;

const FIELDS = ['key', 'from', 'to', 'customer_id', 'columns'];

/** Returns the problem as text, without the text of the visitor. Only shown columns narrow, so no answer tells of others. */
function narrowedBy(fields: URLSearchParams, shown: readonly string[]): Narrowed | string {
  const names = [...fields.keys()];
  if (!names.every((name) => FIELDS.includes(name)) || new Set(names).size < names.length)
    return `An address of a link takes ${FIELDS.join(', ')}, each once`;
  const columns = listIn(fields, 'columns');
  if (!columns.every((column) => shown.includes(column)) || new Set(columns).size < columns.length)
    return `A column is unknown or repeated. This link has ${shown.join(', ')}`;
  const customers: CustomerId[] = [];
  for (const text of listIn(fields, 'customer_id')) {
    const reading = readCustomerId(text);
    if (reading.kind === 'refused') return 'An id in customer_id is wrong. Write ids of ten digits, with commas';
    customers.push(reading.id);
  }
  if (customers.length > 0 && !shown.includes(CUSTOMER_COLUMN)) return 'This link has no column customer_id';
  const days: { from?: CivilDate; to?: CivilDate } = {};
  for (const end of ['from', 'to'] as const) {
    const text = fields.get(end);
    if (text === null) continue;
    const day = parseCivilDate(text);
    if (day === undefined) return `The day in "${end}" is wrong. Write it as 2026-03-31`;
    if (!shown.includes(DATE_COLUMN)) return 'This link has no column date';
    days[end] = day;
  }
  return { columns, customers, ...days };
}

const listIn = (fields: URLSearchParams, name: string) =>
  fields.has(name) ? (fields.get(name) ?? '').split(',').map((part) => part.trim()) : [];

/** All limits hold together, so an address can only narrow those of the link. */
function selectOf(from: string, fixed: FixedReading, narrowed: Narrowed): string {
  const columns = narrowed.columns.length > 0 ? narrowed.columns : fixed.columns;
  const values = Object.entries(fixed.where).map(
    ([column, value]) => `CAST(${identifier(column)} AS TEXT) = ${textSql(value)}`,
  );
  const limits = [...limitsOf(fixed), ...limitsOf(narrowed), ...values];
  const where = limits.length > 0 ? `\nWHERE ${limits.join('\n  AND ')}` : '';
  return `SELECT ${columns.map(identifier).join(', ')}\nFROM ${from}${where}`;
}

function limitsOf({ customers, from, to }: Pick<Narrowed, 'customers' | 'from' | 'to'>): readonly string[] {
  const limits: string[] = [];
  if (customers.length > 0) limits.push(`${CUSTOMER_COLUMN} IN (${customers.filter(isId).join(', ')})`);
  if (from !== undefined) limits.push(`${DATE_COLUMN} >= ${textSql(from)}`);
  if (to !== undefined) limits.push(`${DATE_COLUMN} <= ${textSql(to)}`);
  return limits;
}

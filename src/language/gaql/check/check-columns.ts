import type { Span } from '../../../domain/diagnostic.ts';
import { type Catalogue, type CatalogueField, type CatalogueResource, ownerOf } from '../catalogue/catalogue.ts';
import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { SelectedField } from '../syntax/tree.ts';
import { amountColumn, type Column, columnName, columnOf, MICROS } from './column.ts';

export interface SelectedColumn {
  readonly ref: SelectedField;
  readonly field: CatalogueField;
}

const ALIAS = /^[a-z][a-z0-9_]{0,62}$/;
const CUSTOMER = { field: 'customer.id', column: 'customer_id' };
const DAY = { field: 'segments.date', column: 'date' };

/** `customer.id` is omitted, because every table has a column for the account. */
export function checkColumns(selected: readonly SelectedColumn[], report: Report): Column[] {
  const taken = new Map<string, string>([
    [CUSTOMER.column, 'the account'],
    [DAY.column, 'the day'],
  ]);
  const fields = new Set<string>();
  const columns: Column[] = [];
  for (const { ref, field } of selected) {
    if (fields.has(ref.name)) {
      report({ code: 'DUPLICATE_FIELD', span: ref.span, message: `${quote(ref.name)} is selected twice.` });
      continue;
    }
    fields.add(ref.name);
    if (!checkAlias(ref, report)) continue;
    const column = columnOf(field, ref.alias?.name);
    if (ref.name === CUSTOMER.field && column.name === CUSTOMER.column) continue;
    const clash = ref.name === DAY.field ? undefined : namesOf(column).find((name) => taken.has(name));
    if (clash !== undefined) {
      const message = `${quote(ref.name)} needs the column name ${clash}, but ${taken.get(clash)} already has it.`;
      const hint = `Give it another name: ${ref.name} AS another_name${ref.name.endsWith(MICROS) ? MICROS : ''}.`;
      report({ code: 'DUPLICATE_COLUMN', span: (ref.alias ?? ref).span, message, hint });
      continue;
    }
    for (const name of namesOf(column)) {
      taken.set(name, name === column.name ? ref.name : `the amount of ${ref.name} in currency units`);
    }
    columns.push(column);
  }
  return columns;
}

/** Each column of integer micros gets a second column with the amount in currency units. */
function namesOf({ name, type }: Column): string[] {
  const amount = amountColumn(name, type);
  return amount === undefined ? [name] : [name, amount];
}

function checkAlias({ name, alias }: SelectedField, report: Report): boolean {
  if (alias === undefined) return true;
  const refuse = (message: string, hint: string) => {
    report({ code: 'BAD_ALIAS', span: alias.span, message, hint });
    return false;
  };
  if (!ALIAS.test(alias.name)) {
    return refuse(
      `Invalid column name ${quote(alias.name)}.`,
      'Use at most 63 lower-case letters, digits and underscores, starting with a letter.',
    );
  }
  if ((name === DAY.field) !== (alias.name === DAY.column)) {
    return refuse(
      `The column ${DAY.column} always holds ${DAY.field}: table updates and rules rely on it.`,
      name === DAY.field ? 'Remove the alias.' : 'Choose another name.',
    );
  }
  if (name.endsWith(MICROS) === alias.name.endsWith(MICROS)) return true;
  // A rule that reads micros as currency units would be wrong by a factor of a million.
  return refuse(
    `${name.endsWith(MICROS) ? `The name of a column in micros must end with ${MICROS}` : `Only the name of a column in micros may end with ${MICROS}`}: amounts and rules rely on it.`,
    name.endsWith(MICROS) ? microsHint(name, alias.name) : 'Choose another name.',
  );
}

function microsHint(field: string, alias: string): string {
  const column = `${alias}${MICROS}`;
  const write = column === columnName(field) ? 'Remove the alias' : `Write AS ${column}`;
  return `${write}. pacekeeper also publishes the amount in currency units, as ${alias}.`;
}

/** Returns the columns that identify a row, or [] if SELECT lacks a part of the key. */
export function rowKey(
  columns: readonly Column[],
  resource: CatalogueResource,
  catalogue: Catalogue,
  select: Span,
  report: Report,
): readonly string[] {
  const keys = keysOf(columns, resource, catalogue);
  const missing = missingIn(keys);
  if (missing.length > 0) {
    const message = `The rows are not unique: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not selected.`;
    const hint = `Add ${missing.join(', ')} to SELECT.`;
    report({ code: 'MISSING_ROW_KEY', severity: 'warning', span: select, message, hint });
    return [];
  }
  if (resource.name === CLICKS) return [];
  const segments = columns.filter(({ role }) => role === 'segment').map(({ name }) => name);
  const days = segments.filter((name) => name === 'date');
  return [...new Set(['customer_id', ...days, ...keys.flatMap((key) => key.columns), ...segments])];
}

/** A click has a row for each keyword and place, and no field tells all of them apart. So the table keeps all rows. */
const CLICKS = 'click_view';

/** The fields that the query must also select to make its rows unique. */
export function missingRowKey(
  { resource, columns }: { readonly resource: string; readonly columns: readonly Column[] },
  catalogue: Catalogue,
): readonly string[] {
  const known = catalogue.resources.get(resource);
  return known ? missingIn(keysOf(columns, known, catalogue)) : [];
}

type Key = ReturnType<typeof keyOf>;

const missingIn = (keys: readonly Key[]): readonly string[] => [...new Set(keys.flatMap((key) => key.missing))];

function keysOf(columns: readonly Column[], resource: CatalogueResource, catalogue: Catalogue): readonly Key[] {
  const own = identities([resource.name], catalogue);
  const ownKey = new Set(resource.key.map(own));
  const splitting = resource.segmentedBy
    .filter((owner) => columns.some(({ field }) => ownerOf(field) === owner))
    .map((owner) => ({ name: owner, key: catalogue.resources.get(owner)?.key ?? [`${owner}.resource_name`] }))
    // If the row's key contains the key of the resource, the resource cannot split rows.
    .filter(({ key }) => !key.every((field) => ownKey.has(own(field))));
  return [
    keyOf(resource, columns, own),
    ...splitting.map((owner) => keyOf(owner, columns, identities([resource.name, owner.name], catalogue))),
    { columns: [], missing: identifying(columns, resource, catalogue) },
  ];
}

/** Fields that identify what a selected field only names. Two conversion actions can have the same name. */
function identifying(
  columns: readonly Column[],
  { name }: CatalogueResource,
  { fields }: Catalogue,
): readonly string[] {
  const named = columns.flatMap(({ field, role }) => (role === 'segment' ? field.replace(/_name$/, '') : []));
  const wanted = named.filter((field) => fields.get(field)?.type === 'RESOURCE_NAME');
  return [...wanted, ...(name === CLICKS ? [`${CLICKS}.keyword`] : [])].filter(
    (field) => !columns.some((column) => column.field === field),
  );
}

function keyOf(
  { name, key }: Pick<CatalogueResource, 'name' | 'key'>,
  columns: readonly Column[],
  identityOf: (field: string) => string,
): { readonly columns: readonly string[]; readonly missing: readonly string[] } {
  const columnOf = (field: string) => columns.find((column) => column.field === field)?.name;
  const partOf = (field: string) =>
    columnOf(field) ?? columns.find((column) => identityOf(column.field) === identityOf(field))?.name;
  const parts = key.flatMap((field) => partOf(field) ?? []);
  if (parts.length === key.length) return { columns: parts, missing: [] };
  // A resource name alone identifies a resource. An id does too, if the key has only one field.
  const whole = columnOf(`${name}.resource_name`) ?? (key.length === 1 ? columnOf(`${name}.id`) : undefined);
  return whole === undefined
    ? { columns: [], missing: key.filter((field) => partOf(field) === undefined) }
    : { columns: [whole], missing: [] };
}

/** Returns the same text for fields of the same meaning, such as `campaign.id` and `campaign.resource_name`. */
function identities(referrers: readonly string[], { resources, fields }: Catalogue): (field: string) => string {
  return (field) => {
    const owner = ownerOf(field);
    const rest = field.slice(owner.length + 1);
    if (rest === 'resource_name') return owner;
    // An id in a composite key is not unique.
    const ownerKey = resources.get(owner)?.key ?? [];
    if (rest === 'id' && ownerKey.length === 1 && ownerKey[0] === field) return owner;
    const known = fields.get(field);
    const refers = known?.type === 'RESOURCE_NAME' && !known.repeated && referrers.includes(owner);
    return refers && resources.has(rest) ? rest : field;
  };
}

import type { CatalogueField } from '../catalogue/catalogue.ts';
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

/** The columns of the table, each name once. `customer.id` fills the account's own column, which is always there. */
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
      report({
        code: 'DUPLICATE_COLUMN',
        span: (ref.alias ?? ref).span,
        message: `${quote(ref.name)} would be the column ${clash}, which is ${taken.get(clash)} already.`,
        hint: `Give it a name of its own: ${ref.name} AS another_name${ref.name.endsWith(MICROS) ? MICROS : ''}.`,
      });
      continue;
    }
    for (const name of namesOf(column)) {
      taken.set(name, name === column.name ? ref.name : `the amount of ${ref.name} in currency units`);
    }
    columns.push(column);
  }
  return columns;
}

/** The column's own name, and that of the amount in currency units which is published beside integer micros. */
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
      `${quote(alias.name)} cannot be a column's name.`,
      'Use lower-case letters, digits and underscores, a letter first, 63 at most.',
    );
  }
  if ((name === DAY.field) !== (alias.name === DAY.column)) {
    return refuse(
      `The day is always the column ${DAY.column}: tables are replaced and rules evaluated by it.`,
      name === DAY.field ? 'Take the alias away.' : 'Choose another name.',
    );
  }
  if (name.endsWith(MICROS) === alias.name.endsWith(MICROS)) return true;
  // A rule that took micros for units would be wrong by a factor of a million.
  return refuse(
    `A column of micros ends with ${MICROS}, and no other does: amounts and rules go by that.`,
    name.endsWith(MICROS) ? microsHint(name, alias.name) : 'Choose another name.',
  );
}

function microsHint(field: string, alias: string): string {
  const column = `${alias}${MICROS}`;
  const write = column === columnName(field) ? 'Take the alias away' : `Write AS ${column}`;
  return `${write}; the amount in currency units is published beside ${column} as ${alias}.`;
}

import type { IToken } from 'chevrotain';
import type { Span } from '../../../domain/diagnostic.ts';
import { renamedField } from '../catalogue/catalogue.ts';
import type { CheckContext } from '../check/check-query.ts';
import { amountColumn, columnName } from '../check/column.ts';
import type { Report } from '../report.ts';
import { tokenSpan } from '../syntax/syntax-messages.ts';
import * as t from '../syntax/tokens.ts';
import { type Edit, rangeOf } from './edits.ts';
import { type ModelColumn, named } from './model-text.ts';
import { columnFor, type Item, readItem } from './select-items.ts';

export interface Draft {
  readonly context: CheckContext;
  readonly report: Report;
  readonly note: (span: Span, message: string) => void;
  readonly edits: Edit[];
}

export interface OutputColumn extends ModelColumn {
  readonly isOfTable: boolean;
  readonly span: Span;
}

export function tableColumn(name: string, span: Span): OutputColumn {
  return { name, sql: named(name), isOfTable: true, span };
}

/** Puts the account and the day first, as in every table. */
export function inOrder(columns: readonly OutputColumn[]): readonly ModelColumn[] {
  const isFirst = ({ name }: OutputColumn) => name === 'customer_id' || name === 'date';
  const day = columns.filter(({ name }) => name === 'date');
  return [{ name: 'customer_id', sql: 'customer_id' }, ...day, ...columns.filter((column) => !isFirst(column))];
}

export function turnSelect(tokens: readonly IToken[], draft: Draft): readonly OutputColumn[] {
  const { context, report, note, edits } = draft;
  const { parts, commas } = split(tokens);
  const items = parts.map((part) => readItem(part, context.catalogue, report));
  const columns = new Map<string, string>();
  const columnOfItem = ({ field, alias }: FieldItem) =>
    alias === undefined ? columnName(field) : columnFor(field, alias);
  for (const item of items) {
    if (item.kind === 'field' && !columns.has(item.field)) columns.set(item.field, columnOfItem(item));
  }
  const columnOf = (field: string) => named(columns.get(field) ?? columnName(field));
  const selected = new Set<string>();
  const output: OutputColumn[] = [];
  const turn = (item: Item): string | undefined => {
    if (item.kind === 'other') return item.tokens.length > 0 ? undefined : '';
    if (item.kind === 'wrong') return '';
    const { aliasSpan: span } = item;
    if (item.kind === 'field' && !selected.has(item.field)) {
      selected.add(item.field);
      const column = columns.get(item.field) ?? columnName(item.field);
      output.push(tableColumn(column, span));
      return turnField(item, column, draft);
    }
    if (item.kind === 'field' && columnOfItem(item) === columns.get(item.field)) {
      note(span, `Removed ${item.field}, which is selected twice.`);
      return '';
    }
    const { fields, sql, of = '' } = item.kind === 'computed' ? item.computation : again(item);
    const name = columnFor(of, item.alias ?? columnName(fields[0] ?? ''));
    output.push({ name, sql: sql(columnOf), isOfTable: false, span });
    const lacking = [...new Set(fields)].filter((field) => !columns.has(field) && !selected.has(field));
    for (const field of lacking) selected.add(field);
    return lacking.join(', ');
  };
  const texts: (string | undefined)[] = items.map(turn);
  // A query must select a field, even if a model computes all columns.
  const filled = items.findIndex((item) => item.tokens.length > 0);
  if (filled >= 0 && !texts.some((text) => text !== '')) texts[filled] = 'customer.id';
  for (const [index, { tokens: written }] of items.entries()) {
    const [first] = written;
    const text = texts[index];
    if (text !== undefined && first) edits.push({ ...rangeOf(first, written.at(-1)), text });
  }
  const last = texts.findLastIndex((text) => text !== '');
  for (const [index, comma] of commas.entries()) {
    if (texts[index] === '' || index >= last) edits.push({ ...rangeOf(comma), text: '' });
  }
  refuseDoubles(output, report);
  return output;
}

function split(tokens: readonly IToken[]): { readonly parts: readonly IToken[][]; readonly commas: readonly IToken[] } {
  const parts: IToken[][] = [[]];
  const commas: IToken[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (token.tokenType === t.LeftParen) depth += 1;
    if (token.tokenType === t.RightParen) depth -= 1;
    if (token.tokenType === t.Comma && depth <= 0) {
      commas.push(token);
      parts.push([]);
    } else parts.at(-1)?.push(token);
  }
  return { parts, commas };
}

type FieldItem = Extract<Item, { kind: 'field' }>;

/** A field can be selected only once, so a model computes the second column. */
function again({ field, isDivided }: FieldItem) {
  const sql = (columnOf: (name: string) => string) => `${columnOf(field)}${isDivided ? ' / 1000000.0' : ''}`;
  return { fields: [field], sql, of: isDivided ? '' : field };
}

function turnField(
  { tokens, field, alias, aliasSpan, isDivided }: FieldItem,
  column: string,
  { context, note }: Draft,
): string | undefined {
  const [first] = tokens;
  const renamed = first && first.image !== field ? renamedField(first.image) : undefined;
  if (first && renamed?.name === field) note(tokenSpan(first), `${first.image} is ${field} since ${renamed.since}.`);
  const amount = amountColumn(column, context.catalogue.fields.get(field)?.type ?? 'STRING');
  if (alias !== undefined && alias === amount)
    note(aliasSpan, `${alias} is now ${column}. The published file has ${alias}, too.`);
  else if (alias !== undefined && alias !== column) note(aliasSpan, `${alias} is now ${column}.`);
  const isSame = (alias === undefined || alias === column) && !isDivided && first?.image === field;
  if (isSame) return undefined;
  return column === columnName(field) ? field : `${field} AS ${column}`;
}

function refuseDoubles(output: readonly OutputColumn[], report: Report): void {
  const computed = output.filter(({ isOfTable }) => !isOfTable);
  const names = new Set(['customer_id', ...output.flatMap(({ name, isOfTable }) => (isOfTable ? name : []))]);
  for (const { name, span } of computed) {
    const hint = 'Give one of them another name with AS.';
    if (names.has(name))
      report({ code: 'DUPLICATE_COLUMN', span, message: `Two columns have the name ${name}.`, hint });
    names.add(name);
  }
}

import { type Catalogue, renamedField } from '../catalogue/catalogue.ts';
import { applyEdits, type Edit as TextEdit } from '../dialect/edits.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { Comma, From, queryLexer } from '../syntax/tokens.ts';
import type { FieldRef, Query, SelectedField } from '../syntax/tree.ts';
import { columnName, MICROS } from './column.ts';

export interface Repair {
  /** Starts at 1. Repairs never add or remove lines. */
  readonly line: number;
  readonly what: string;
}

type Edit = Repair & TextEdit;

/** Repairs mistakes that have only one possible meaning. An alias keeps the column name of a renamed field. */
export function repairQuery(
  source: string,
  catalogue: Catalogue,
): { readonly source: string; readonly repairs: readonly Repair[] } {
  const commas = commasBeforeFrom(source);
  const withoutCommas = applyEdits(source, commas).text;
  const { tree, diagnostics } = parseQuery(withoutCommas);
  if (diagnostics.some(({ severity }) => severity === 'error')) return { source, repairs: [] };
  const edits = [
    ...tree.select.flatMap((field) => repairSelected(field, tree, catalogue)),
    ...renames(tree, catalogue),
  ];
  const repairs = [...commas, ...edits].toSorted((a, b) => a.line - b.line);
  return { source: applyEdits(withoutCommas, edits).text, repairs: repairs.map(({ line, what }) => ({ line, what })) };
}

function commasBeforeFrom(source: string): Edit[] {
  const { tokens } = queryLexer.tokenize(source);
  const edits: Edit[] = [];
  for (let index = tokens.findIndex(({ tokenType }) => tokenType === From) - 1; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token?.tokenType !== Comma) break;
    const { startOffset: start, startLine: line = 1 } = token;
    edits.push({ start, end: start + 1, text: '', line, what: 'the comma before FROM is gone' });
  }
  return edits;
}

function repairSelected(field: SelectedField, { select }: Query, catalogue: Catalogue): Edit[] {
  const { alias, name } = field;
  const renamed = renamedTo(name, catalogue);
  if (renamed !== undefined && select.some((other) => other.name === renamed)) return [];
  const edits =
    renamed === undefined ? [] : [edit(field, alias ? renamed : `${renamed} AS ${columnName(name.toLowerCase())}`)];
  if (!alias || !(renamed ?? name).endsWith(MICROS) || alias.name.endsWith(MICROS)) return edits;
  const column = `${alias.name}${MICROS}`;
  const isTaken = select.some((other) => (other.alias?.name ?? columnName(other.name)) === column && other !== field);
  return isTaken ? edits : [...edits, edit(alias, column)];
}

function renames({ where, orderBy }: Query, catalogue: Catalogue): Edit[] {
  return [...where, ...orderBy].flatMap(({ field }) => {
    const renamed = renamedTo(field.name, catalogue);
    return renamed === undefined ? [] : [edit(field, renamed)];
  });
}

function renamedTo(name: string, { fields }: Catalogue): string | undefined {
  const renaming = fields.has(name) ? undefined : renamedField(name);
  return renaming && !renaming.changesValues && fields.has(renaming.name) ? renaming.name : undefined;
}

function edit({ name, span: { start, end } }: Pick<FieldRef, 'name' | 'span'>, text: string): Edit {
  return { start: start.offset, end: end.offset, text, line: start.line, what: `${name} is now ${text}` };
}

import type { IToken, TokenType } from 'chevrotain';
import type { Diagnostic, Span } from '../../../domain/diagnostic.ts';
import { missingRowKey } from '../check/check-columns.ts';
import type { CheckContext } from '../check/check-query.ts';
import { columnName } from '../check/column.ts';
import { checkQueryFile } from '../query-file.ts';
import { type Report, reportTo } from '../report.ts';
import { formatQuery } from '../syntax/format-query.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { quote, tokenSpan } from '../syntax/syntax-messages.ts';
import * as t from '../syntax/tokens.ts';
import { Computed, dialectTokens, Macro } from './dialect-tokens.ts';
import { applyEdits } from './edits.ts';
import { modelText } from './model-text.ts';
import { turnConditions } from './turn-conditions.ts';
import { type Draft, inOrder, tableColumn, turnSelect } from './turn-select.ts';

export interface ImportNote {
  readonly span: Span;
  readonly message: string;
}

export interface ImportedQuery {
  /** Undefined if `errors` has an error. If `model` is set, the name of the query ends with `_base`. */
  readonly query: { readonly name: string; readonly text: string } | undefined;
  /** Computes the columns that the service cannot compute. */
  readonly model: { readonly name: string; readonly text: string } | undefined;
  readonly parameters: readonly string[];
  readonly notes: readonly ImportNote[];
  readonly errors: readonly Diagnostic[];
}

/** Converts and checks a query of gaarf, another reporting tool. Never throws. */
export function importQuery(name: string, source: string, context: CheckContext): ImportedQuery {
  const own: Diagnostic[] = [];
  const notes: ImportNote[] = [];
  const report = reportTo(own);
  const note = (span: Span, message: string) => void notes.push({ span, message });
  const tokens = dialectTokens(source);
  const clause = tokens.findIndex(({ tokenType }) => tokenType === t.From);
  const from = clause < 0 ? tokens.length : clause;
  refuseWhole(tokens, from, report);
  if (own.length > 0) return refused(own);

  const draft: Draft = { context, report, note, edits: [] };
  const columns = turnSelect(tokens.slice(1, from), draft);
  turnConditions(leaveOutFunctions(tokens.slice(from), source, draft), draft);
  const computed = columns.filter(({ isOfTable }) => !isOfTable);
  const isComputed = computed.length > 0;
  const lastSelected = tokens.slice(0, from).findLast(({ tokenType }) => tokenType !== t.Comma);
  const table = isComputed ? `${name.slice(0, BASE_LENGTH_MAX)}_base` : name;
  const [place] = computed;
  if (place) {
    const names = computed.map((column) => column.name).join(', ');
    note(place.span, `The table ${name} is now a model over ${table}. It computes ${names}.`);
  }

  const check = (added: readonly string[]) => {
    const end = (lastSelected?.endOffset ?? 0) + 1;
    const edits =
      added.length === 0 ? draft.edits : [...draft.edits, { start: end, end, text: `, ${added.join(', ')}` }];
    const edited = applyEdits(source, edits);
    return { ...edited, ...checkQueryFile(name, edited.text, { ...context, unbound: 'warning' }) };
  };
  const first = check([]);
  const keys = first.query?.key.length === 0 ? missingRowKey(first.query, context.catalogue) : [];
  if (lastSelected && keys.length > 0)
    note(tokenSpan(lastSelected), `Added ${keys.join(', ')}: without it, rows are not unique.`);
  const { query, text, inSource, diagnostics } = keys.length === 0 ? first : check(keys);
  const found = diagnostics.filter(({ severity }) => severity === 'error').map(inSource);
  const told = new Set(own.map(({ span }) => span.start.offset));
  const errors = [...own, ...found.filter(({ span }) => !told.has(span.start.offset))].sort(byPlace);
  if (errors.length > 0 || !query) return refused(errors);

  const added = keys.map((field) => tableColumn(columnName(field), query.tree.span));
  return {
    query: { name: table, text: formatQuery(parseQuery(text)) },
    model: isComputed
      ? {
          name,
          text: modelText(
            table,
            inOrder([...columns, ...added]),
            query.description || `The columns of ${table}, and computed ones.`,
          ),
        }
      : undefined,
    parameters: query.parameters,
    notes: notes.sort(byPlace),
    errors: [],
  };
}

/** Maximum length, so that `_base` fits into a table's name. */
const BASE_LENGTH_MAX = 58;

const byPlace = (one: { readonly span: Span }, other: { readonly span: Span }): number =>
  one.span.start.offset - other.span.start.offset;

function refused(errors: readonly Diagnostic[]): ImportedQuery {
  return { query: undefined, model: undefined, parameters: [], notes: [], errors };
}

const IN_MODEL = 'Write a SELECT over tables of queries as a model: models/NAME.sql.';

/** Reports templates, and a text that is not a query for the service. */
function refuseWhole(tokens: readonly IToken[], from: number, report: Report): void {
  const templates = tokens.filter(({ tokenType, image }) => tokenType === t.Template && /^\{[{%#]/.test(image));
  for (const token of templates) {
    const message = `Found the template ${quote(token.image)}, but a query is a fixed text.`;
    const hint = 'Render the template with your values, and import the result.';
    report({ code: 'BAD_SYMBOL', span: tokenSpan(token), message, hint });
  }
  if (templates.length > 0) return;
  const [first] = tokens;
  const table = tokens[from + 1];
  if (first && first.tokenType !== t.Select) {
    const message = `Found ${quote(first.image)}, expected SELECT: this is not a query for the service.`;
    report({ code: 'EXPECTED_SELECT', span: tokenSpan(first), message, hint: IN_MODEL });
  } else if (table && (TABLES.includes(table.tokenType) || table.image.startsWith('builtin.'))) {
    const message = `Found ${quote(table.image)} after FROM, expected a resource of the service.`;
    report({ code: 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE', span: tokenSpan(table), message, hint: IN_MODEL });
  }
}

const TABLES: readonly TokenType[] = [t.Backquoted, t.Template, t.LeftParen, Macro, Computed];

/** Removes the text from FUNCTIONS on, because a query cannot run JavaScript. */
function leaveOutFunctions(tokens: readonly IToken[], source: string, { report, edits }: Draft): readonly IToken[] {
  const place = tokens.findIndex(({ image }) => /^FUNCTIONS$/i.test(image));
  const word = tokens[place];
  if (!word) return tokens;
  const message = 'Found FUNCTIONS with JavaScript, but a query has no functions.';
  const hint = 'Remove the section. Compute its columns in a model: models/NAME.sql.';
  report({ code: 'UNEXPECTED_INPUT', span: tokenSpan(word), message, hint });
  edits.push({ start: word.startOffset, end: source.length, text: '' });
  return tokens.slice(0, place);
}

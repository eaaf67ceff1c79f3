import { CsvError, type Info, parse } from 'csv-parse/sync';
import { type Diagnostic, finding, type Span, spanAt } from '../../domain/diagnostic.ts';

export interface CsvRow {
  /** Undefined for an empty cell, and for a column that the file lacks. */
  cell(column: string): string | undefined;
  /** The whole row. */
  readonly span: Span;
}

interface CsvReading {
  readonly rows: readonly CsvRow[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Text such as "a point: 1.17" for a decimal comma. Undefined for other text. `1,000` may be a thousand. */
export function expectedPoint(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d+,(?:\d{1,2}|\d{4,})$|^0,\d+$/.test(text)) return undefined;
  return `a point: ${text.replace(',', '.')}`;
}

/** Spreadsheets of countries with decimal commas separate cells with semicolons. */
export function readCsv(source: string, required: readonly string[], optional: readonly string[] = []): CsvReading {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const spanOf = (from: number, to: number) =>
    spanAt(source, starts[from - 1] ?? source.length, (starts[to] ?? source.length + 1) - 1);
  const records: { readonly cells: readonly string[]; readonly lastLine: number }[] = [];
  const take = (cells: string[], { lines: lastLine }: Info): null => {
    records.push({ cells, lastLine });
    return null;
  };
  try {
    const delimiter = /^[^\n]*;/.test(source) ? ';' : ',';
    const options = { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true, trim: true };
    parse(source, { ...options, on_record: take });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number(error.lines ?? 1);
    return { rows: [], diagnostics: [finding('BAD_CSV', spanOf(line, line), `Invalid CSV: ${error.message}.`)] };
  }
  const [header, ...others] = records;
  const names = header?.cells.map((name) => name.toLowerCase()) ?? [];
  const missing = required.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => ![...required, ...optional].includes(name));
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  const expected = `Write ${required.join(', ')}${optional.length === 0 ? '' : `. Optional: ${optional.join(', ')}`}.`;
  const refuse = (words: string) => finding('BAD_CSV', spanOf(1, header?.lastLine ?? 1), words, expected);
  const diagnostics = [
    ...missing.map((name) => refuse(`The column "${name}" is missing.`)),
    ...unknown.map((name) => refuse(`Unknown column "${name}".`)),
    ...twice.map((name) => refuse(`The column "${name}" appears twice.`)),
  ];
  let line = header?.lastLine ?? 1;
  const rows = others.map(({ cells, lastLine }): CsvRow => {
    const span = spanOf(line + 1, lastLine);
    line = lastLine;
    if (cells.length !== names.length) {
      const words = `Found ${cells.length} cells, expected ${names.length}.`;
      diagnostics.push(finding('BAD_CSV', span, words, 'Put a cell with a comma or a semicolon in quotes.'));
    }
    return { span, cell: (column) => cells[names.indexOf(column)] || undefined };
  });
  return { rows: diagnostics.length > 0 ? [] : rows, diagnostics };
}

import { CsvError, parse } from 'csv-parse/sync';
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

interface ReadRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Spreadsheets of countries with decimal commas separate cells with semicolons. */
export function readCsv(source: string, required: readonly string[], optional: readonly string[] = []): CsvReading {
  const starts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const spanOf = (from: number, to: number) =>
    spanAt(source, starts[from - 1] ?? source.length, (starts[to] ?? source.length + 1) - 1);
  let records: readonly ReadRecord[];
  try {
    const delimiter = /^[^\n]*;/.test(source) ? ';' : ',';
    const options = { bom: true, delimiter, info: true, relax_column_count: true, trim: true };
    records = parse(source, { ...options, skip_empty_lines: true }) as unknown as readonly ReadRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = Number(error.lines ?? 1);
    return { rows: [], diagnostics: [finding('BAD_CSV', spanOf(line, line), `Invalid CSV: ${error.message}.`)] };
  }
  const [header, ...others] = records;
  const names = header?.record.map((name) => name.toLowerCase()) ?? [];
  const missing = required.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => ![...required, ...optional].includes(name));
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  const expected = `Write ${required.join(', ')}${optional.length === 0 ? '' : `. Optional: ${optional.join(', ')}`}.`;
  const refuse = (words: string) => finding('BAD_COLUMN', spanOf(1, header?.info.lines ?? 1), words, expected);
  const diagnostics = [
    ...missing.map((name) => refuse(`The column "${name}" is missing.`)),
    ...unknown.map((name) => refuse(`Unknown column "${name}".`)),
    ...twice.map((name) => refuse(`The column "${name}" appears twice.`)),
  ];
  let line = header?.info.lines ?? 1;
  const rows = others.map(({ record, info: { lines } }): CsvRow => {
    const span = spanOf(line + 1, lines);
    line = lines;
    if (record.length !== names.length) {
      const words = `Found ${record.length} cells, expected ${names.length}.`;
      diagnostics.push(finding('BAD_ROW', span, words, 'Put a cell with a comma or a semicolon in quotes.'));
    }
    return { span, cell: (column) => record[names.indexOf(column)] || undefined };
  });
  return { rows: diagnostics.length > 0 ? [] : rows, diagnostics };
}

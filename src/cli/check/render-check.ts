import type { Diagnostic } from '../../domain/diagnostic.ts';
import { inertJson } from '../../domain/inert-json.ts';
import type { FileFindings } from '../../jobs/load-inputs.ts';
import { renderFindings } from '../print-error.ts';

export function countFindings(findings: readonly FileFindings[]): Record<'errors' | 'warnings' | 'notes', number> {
  const all = findings.flatMap(({ diagnostics }) => diagnostics);
  const count = (wanted: Diagnostic['severity']) => all.filter(({ severity }) => severity === wanted).length;
  return { errors: count('error'), warnings: count('warning'), notes: count('note') };
}

/** For people: each finding with its line and a caret, then what it comes to. */
export function renderText(findings: readonly FileFindings[], width: number): string {
  const { errors, warnings, notes } = countFindings(findings);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const summary = [count(findings.length, 'file'), count(errors, 'error'), count(warnings, 'warning')];
  if (notes > 0) summary.push(count(notes, 'note'));
  const text = renderFindings(findings, width);
  return `${text === '' ? '' : `${text}\n\n`}${summary.join(', ')}.\n`;
}

/** For programs. Lines and columns start at 1, the end is exclusive, an absent hint is null. */
export function renderJson(findings: readonly FileFindings[], schemaOf?: (file: FileFindings) => unknown): string {
  const { errors, warnings } = countFindings(findings);
  const files = findings.map((file) => ({
    file: file.file,
    diagnostics: file.diagnostics.map(({ code, severity, message, hint = null, span: { start, end } }) => ({
      ...{ code, severity, message, hint },
      start: { line: start.line, column: start.column },
      end: { line: end.line, column: end.column },
    })),
    ...(schemaOf && { schema: schemaOf(file) }),
  }));
  return `${inertJson(JSON.stringify({ files, errors, warnings }, undefined, 2))}\n`;
}

const GITHUB_COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** Workflow commands, which show each finding beside its line in a review. */
export function renderGithub(findings: readonly FileFindings[]): string {
  const lines = findings.flatMap(({ file, diagnostics }) =>
    diagnostics.map(({ code, severity, message, hint, span: { start, end } }) => {
      const place = {
        file,
        line: start.line,
        col: start.column,
        endLine: end.line,
        endColumn: end.column,
        title: code,
      };
      const properties = Object.entries(place).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
      const text = hint === undefined ? message : `${message}\n${hint}`;
      return `::${GITHUB_COMMANDS[severity]} ${properties.join(',')}::${escapeData(text)}\n`;
    }),
  );
  return lines.join('');
}

const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

import type { Diagnostic, Span } from '../domain/diagnostic.ts';
import type { DiagnosticCode } from './codes.ts';

/** What a stage of the check found. The severity defaults to an error. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly span: Span;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: Diagnostic['severity'];
}

/** Takes a finding down. */
export type Report = (finding: Finding) => void;

/** A report that collects diagnostics into `found`. */
export function reportTo(found: Diagnostic[]): Report {
  return ({ severity = 'error', hint, ...finding }) =>
    found.push({ severity, ...finding, ...(hint === undefined ? {} : { hint }) });
}

import type { Diagnostic, Span } from '../../domain/diagnostic.ts';
import type { DiagnosticCode } from './codes.ts';

export interface Finding {
  readonly code: DiagnosticCode;
  readonly span: Span;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: Diagnostic['severity'];
}

export type Report = (finding: Finding) => void;

export function reportTo(found: Diagnostic[]): Report {
  return ({ severity = 'error', hint, ...finding }) =>
    found.push({ severity, ...finding, ...(hint === undefined ? {} : { hint }) });
}

import type { Diagnostic, Span } from '../../domain/diagnostic.ts';

/** Collects findings; the severity defaults to an error. */
export type Report = (finding: {
  readonly code: string;
  readonly span: Span;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly severity?: Diagnostic['severity'];
}) => void;

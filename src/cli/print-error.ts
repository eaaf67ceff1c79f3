import { renderDiagnostic } from '../domain/diagnostic.ts';
import { ApiError, InputError, type SourceFindings } from '../domain/errors.ts';

/** Exit codes: done, something failed, the input is wrong. */
export const EXIT = { done: 0, failed: 1, badInput: 2 } as const;

/** Every finding of the files, in order, a blank line between two. */
export function renderFindings(findings: readonly SourceFindings[]): string {
  return findings
    .flatMap(({ file, source, diagnostics }) => diagnostics.map((found) => renderDiagnostic(file, source, found)))
    .join('\n\n');
}

/** An error as a person reads it, and the exit code it stands for. */
export function describeError(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof InputError) {
    const parts = [renderFindings(error.findings), `error: ${error.message}`, nextStep(error.nextStep)];
    return { text: parts.filter((part) => part !== '').join('\n'), exitCode: EXIT.badInput };
  }
  if (error instanceof ApiError) {
    const parts = [`error: ${error.message}`, nextStep(error.nextStep)];
    return { text: parts.filter((part) => part !== '').join('\n'), exitCode: EXIT.failed };
  }
  const text = error instanceof Error ? `error: ${error.message}\n${error.stack ?? ''}` : `error: ${String(error)}`;
  return { text, exitCode: EXIT.failed };
}

function nextStep(text: string | undefined): string {
  return text === undefined ? '' : `next step: ${text}`;
}

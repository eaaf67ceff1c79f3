import { renderDiagnostic } from '../domain/diagnostic.ts';
import { ApiError, InputError, type SourceFindings } from '../domain/errors.ts';

/** Exit codes: done, something failed, the input is wrong. */
export const EXIT = { done: 0, failed: 1, badInput: 2 } as const;

/** Every finding of the files, in order, a blank line between two. */
export function renderFindings(findings: readonly SourceFindings[], width?: number): string {
  return findings
    .flatMap(({ file, source, diagnostics }) =>
      diagnostics.map((found) => renderDiagnostic(file, source, found, width)),
    )
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
  if (!(error instanceof Error)) return { text: `error: ${String(error)}`, exitCode: EXIT.failed };
  // A failure of the system (a full disk, a missing permission) has a code; without one it is our bug, and we want to see where.
  if (!('code' in error)) return { text: `error: ${error.message}\n${error.stack ?? ''}`, exitCode: EXIT.failed };
  const parts = [`error: ${error.message} (${error.code})`, nextStep(SYSTEM_NEXT_STEPS[String(error.code)])];
  return { text: parts.filter((part) => part !== '').join('\n'), exitCode: EXIT.failed };
}

const MAKE_ROOM =
  'Make room on the disk of the data folder and run again: the tables are as the last good run left them.';
const SYSTEM_NEXT_STEPS: Readonly<Record<string, string>> = { SQLITE_FULL: MAKE_ROOM, ENOSPC: MAKE_ROOM };

function nextStep(text: string | undefined): string {
  return text === undefined ? '' : `next step: ${text}`;
}

import { renderDiagnostic } from '../../domain/diagnostic.ts';
import {
  ApiError,
  BusyError,
  InputError,
  inSentences,
  refusesCredentials,
  type SourceFindings,
} from '../../domain/errors.ts';
import { inertJson } from '../../domain/outside-text.ts';
import type { Output } from './output.ts';

export const EXIT = { done: 0, failed: 1, badInput: 2 } as const;

export function renderFindings(findings: readonly SourceFindings[], width?: number): string {
  return findings
    .flatMap(({ file, source, diagnostics }) =>
      diagnostics.map((found) => renderDiagnostic(file, source, found, width)),
    )
    .join('\n\n');
}

export interface DescribedError {
  readonly text: string;
  /** `text` without "error: " and without the next step. */
  readonly message: string;
  readonly nextStep: string | undefined;
  readonly exitCode: number;
}

export function describeError(error: unknown): DescribedError {
  if (error instanceof InputError) {
    return described(EXIT.badInput, error.message, error.nextStep, renderFindings(error.findings));
  }
  if (error instanceof ApiError || error instanceof BusyError) {
    return described(refusesCredentials(error) ? EXIT.badInput : EXIT.failed, error.message, error.nextStep);
  }
  if (!(error instanceof Error)) return described(EXIT.failed, String(error));
  // System errors have a code. Other errors are bugs, so the stack is shown.
  if (!('code' in error)) return described(EXIT.failed, `${error.message}\n${error.stack ?? ''}`);
  const own = 'nextStep' in error && typeof error.nextStep === 'string' ? error.nextStep : undefined;
  return described(EXIT.failed, `${error.message} (${error.code})`, own ?? nextStepOf(String(error.code)));
}

/** For log lines: the message and the next step, without labels. */
export function errorSentences(error: unknown): string {
  const { message, nextStep } = describeError(error);
  return nextStep === undefined ? message : inSentences(message, nextStep);
}

function described(exitCode: number, said: string, nextStep?: string, findings = ''): DescribedError {
  const linesOf = (...parts: readonly string[]) => parts.filter((part) => part !== '').join('\n');
  const step = nextStep === undefined ? '' : `next step: ${nextStep}`;
  return { text: linesOf(findings, `error: ${said}`, step), message: linesOf(findings, said), nextStep, exitCode };
}

const MAKE_ROOM = 'Free space on the disk of the data folder, then run again. Data stored before is intact.';
const RESTORE =
  'Run pacekeeper doctor --offline to find the damaged file. For state.sqlite run pacekeeper restore, for warehouse.sqlite run pacekeeper publish.';

function nextStepOf(code: string): string | undefined {
  if (code === 'SQLITE_FULL' || code === 'ENOSPC') return MAKE_ROOM;
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT') ? RESTORE : undefined;
}

export interface ToldError {
  readonly message: string;
  readonly nextStep?: string | undefined;
}

/** The caller must redact secrets first. */
export function tellError(
  { stderr }: Pick<Output, 'stderr'>,
  as: { readonly logFormat: 'text' | 'json' | undefined; readonly nowMs: number },
  { message, nextStep }: ToldError,
): void {
  if (as.logFormat === 'json') {
    const time = new Date(as.nowMs).toISOString();
    stderr.write(`${inertJson(JSON.stringify({ level: 'error', time, msg: message, next_step: nextStep }))}\n`);
    return;
  }
  stderr.write(`error: ${message}\n`);
  if (nextStep !== undefined) stderr.write(`next step: ${nextStep}\n`);
}

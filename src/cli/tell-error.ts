import { inertJson } from '../domain/inert-json.ts';
import type { Output } from './output.ts';

/** An error as it is told: what was wrong, and what to do. */
export interface ToldError {
  /** Without "error: " before it; several lines where findings are shown. */
  readonly message: string;
  readonly nextStep?: string | undefined;
}

/**
 * Tells on stderr what ends a command: in words, or as one line of a JSON log, `{"level":"error","time":…,"msg":…,"next_step":…}`.
 * Secrets must be out of it already.
 */
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

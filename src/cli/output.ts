import type { Log } from '../domain/log.ts';
import type { TextLayout } from '../report/text-layout.ts';

/** A stream the program writes to. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Data to stdout, everything else to stderr. */
export interface Output {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** `NO_COLOR` is set. */
  readonly noColor: boolean;
}

const WIDTH_WITHOUT_TERMINAL = 100;
const WIDTH_MIN = 60;

export function textLayout({ stdout, noColor }: Output): TextLayout {
  const width = Math.max(WIDTH_MIN, stdout.isTTY ? (stdout.columns ?? WIDTH_WITHOUT_TERMINAL) : WIDTH_WITHOUT_TERMINAL);
  const emphasis = stdout.isTTY === true && !noColor;
  return { width, bold: emphasis ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text };
}

/** Progress and warnings, each passed through `redact`. */
export function createLog({ stderr }: Output, redact: (text: string) => string): Log {
  return {
    info: (line) => stderr.write(`${harmless(redact(line))}\n`),
    warn: (line) => stderr.write(`warning: ${harmless(redact(line))}\n`),
  };
}

/** What a service says may hold control characters, which would move the terminal's cursor or colour it. */
export function harmless(text: string): string {
  return text.replace(/[^\P{Cc}\n]/gu, '·');
}

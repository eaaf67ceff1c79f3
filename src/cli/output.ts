import { withoutIsolates } from '../domain/outside-text.ts';
import type { Clock } from '../domain/ports.ts';
import type { TextLayout } from '../text/text-layout.ts';

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
  /** How wide text is where stdout is no terminal, as `COLUMNS` says; undefined where it does not. */
  readonly columns?: number | undefined;
}

const WIDTH_WITHOUT_TERMINAL = 100;
const WIDTH_MIN = 60;

/** `COLUMNS` as a width; undefined where it is not set, or is none. */
export function columnsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
}

export function textLayout({ stdout, noColor, columns }: Output): TextLayout {
  const wanted = stdout.isTTY ? stdout.columns : columns;
  const width = Math.max(WIDTH_MIN, wanted ?? WIDTH_WITHOUT_TERMINAL);
  const emphasis = stdout.isTTY === true && !noColor;
  return { width, bold: emphasis ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text };
}

/** The same with the instant before each line of stderr: a log that is kept for weeks tells when something was. */
export function withInstants({ stderr, ...output }: Output, clock: Clock): Output {
  const write = (text: string) => {
    const at = new Date(clock.now()).toISOString();
    return stderr.write(text.replace(/^(?=.)/gm, `${at} `));
  };
  return { ...output, stderr: { write } };
}

/** What a service says may hold control characters, which would move the terminal's cursor or colour it, or turn the direction of what follows. */
export function harmless(text: string): string {
  return withoutIsolates(text).replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '·');
}

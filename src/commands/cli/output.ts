import { withoutIsolates } from '../../domain/outside-text.ts';
import type { Clock } from '../../domain/ports.ts';
import type { TextLayout } from '../../views/text/text-layout.ts';

export interface OutputStream {
  /** Bytes are a file, such as a spreadsheet. */
  write(data: string | Uint8Array): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Data goes to stdout. Everything else goes to stderr. */
export interface Output {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly noColor: boolean;
  /** The value of `COLUMNS`. Only used if stdout is not a terminal. */
  readonly columns?: number | undefined;
}

const WIDTH_WITHOUT_TERMINAL = 100;
const WIDTH_MIN = 60;

export function columnsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,3}$/.test(text) ? Number(text) : undefined;
}

export function textLayout({ stdout, noColor, columns }: Output): TextLayout {
  const wanted = stdout.isTTY ? stdout.columns : columns;
  const width = Math.max(WIDTH_MIN, wanted ?? WIDTH_WITHOUT_TERMINAL);
  const emphasis = stdout.isTTY === true && !noColor;
  return { width, bold: emphasis ? (text) => `\u001b[1m${text}\u001b[22m` : (text) => text };
}

export function warnTo({ stderr }: Output): (sentence: string) => void {
  return (sentence) => void stderr.write(`warning: ${sentence}\n`);
}

export function withInstants({ stderr, ...output }: Output, clock: Clock): Output {
  const write = (text: string) => {
    const at = new Date(clock.now()).toISOString();
    return stderr.write(text.replace(/^(?=.)/gm, `${at} `));
  };
  return { ...output, stderr: { write } };
}

/** A control character from a service could move the cursor or reverse the text. */
export function harmless(text: string): string {
  return withoutIsolates(text).replace(/[^\P{Cc}\n]|\p{Bidi_Control}/gu, '·');
}

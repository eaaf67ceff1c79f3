import { count, listed, oneLine, type TextLayout } from './text-layout.ts';
import { wrapText } from './wrap-text.ts';

/** `missing`: it may be so, and something is not there that many want. `failed`: a run would not do what it is for. */
export type CheckState = 'ok' | 'warning' | 'missing' | 'failed';

/** One thing that was looked at. */
export interface Check {
  /** The heading it stands under. */
  readonly part: 'Program' | 'Settings' | 'Data folder' | 'Services' | 'Work';
  readonly name: string;
  readonly state: CheckState;
  readonly found: string;
  readonly expected: string;
  /** Exactly what to do; undefined where nothing is. */
  readonly nextStep: string | undefined;
}

const STATE_WIDTH = 9;
const INDENT = '  ';

/** Everything that was looked at under its heading, with what to do where it is not well, and a sum. */
export function renderDoctor(checks: readonly Check[], { width, bold }: TextLayout): string {
  const parts = [...new Set(checks.map(({ part }) => part))];
  const nameWidth = Math.max(...checks.map(({ name }) => name.length)) + 2;
  const blocks = parts.map((part) => {
    const lines = checks.filter((check) => check.part === part).map((check) => renderCheck(check, nameWidth, width));
    return [bold(part), ...lines].join('\n');
  });
  return `${[...blocks, '', sumOf(checks)].join('\n')}\n`;
}

function renderCheck({ name, state, found, expected, nextStep }: Check, nameWidth: number, width: number): string {
  const head = `${INDENT}${state.padEnd(STATE_WIDTH)}${name.padEnd(nameWidth)}`;
  const below = ' '.repeat(head.length);
  const line = (text: string, first: string) => wrapText(oneLine(text), width, first, below);
  // What is well takes as little room as it can.
  if (nextStep === undefined) return line(found, head);
  return [line(found, head), line(`expected ${expected}`, below), line(`next step: ${nextStep}`, below)].join('\n');
}

function sumOf(checks: readonly Check[]): string {
  const of = (wanted: CheckState) => checks.filter(({ state }) => state === wanted).length;
  const parts = [
    ...(of('failed') > 0 ? [`${of('failed')} failed`] : []),
    ...(of('warning') > 0 ? [count(of('warning'), 'warning')] : []),
    ...(of('missing') > 0 ? [`${of('missing')} missing`] : []),
  ];
  const all = count(checks.length, 'check');
  return parts.length === 0 ? `All is well: ${all}.` : `${all}: ${listed(parts)}.`;
}

const PART_KEYS: Readonly<Record<Check['part'], string>> = {
  Program: 'program',
  Settings: 'settings',
  'Data folder': 'data_folder',
  Services: 'services',
  Work: 'work',
};

/** The same as JSON: one object per check. */
export function doctorRows(checks: readonly Check[]): object[] {
  return checks.map(({ part, name, state, found, expected, nextStep }) => ({
    ...{ part: PART_KEYS[part], check: name, state, found, expected, next_step: nextStep },
  }));
}

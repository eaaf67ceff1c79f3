import { listed } from '../../domain/wording.ts';
import type { CheckState, StoreCheck } from '../../engine/folder/store-check.ts';
import { type Column, state, text } from '../../storage/columns/column.ts';
import { oneList } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';

const PARTS = {
  settings: 'Settings',
  data_folder: 'Data folder',
  database: 'Database',
  services: 'Services',
  work: 'Work',
} as const;

export type Part = keyof typeof PARTS;
export type Check = StoreCheck<Part>;

interface Look {
  readonly found: string;
  readonly expected: string;
  /** The next step if something is not well. */
  readonly advice?: string | undefined;
  /** The state if there is advice. */
  readonly as?: Exclude<CheckState, 'ok'>;
}

export function checkIn(part: Part) {
  return (name: string, { found, expected, advice: nextStep, as = 'warning' }: Look): Check => {
    return { part, name, state: nextStep === undefined ? 'ok' : as, found, expected, nextStep };
  };
}

const COLUMNS: readonly Column<Check>[] = [
  text('part', `The area of the check: ${Object.keys(PARTS).join(', ')}.`, 'part', {
    title: 'Part',
    shown: (check) => PARTS[check.part],
  }),
  text('check', 'The name of the check.', 'name', { title: 'Check', wraps: true }),
  state('state', 'ok, warning, missing or failed.', 'state', { title: 'State' }),
  text('found', 'The current state.', 'found', { title: 'Found', wraps: true }),
  text('expected', 'The expected state.', 'expected', {
    title: 'Expected',
    long: true,
    shown: ({ expected, nextStep }) => nextStep && `expected ${expected}`,
  }),
  text('next_step', 'The action to take; empty if there is nothing to do.', 'nextStep', {
    title: 'Next step',
    long: true,
    shown: ({ nextStep }) => nextStep && `next step: ${nextStep}`,
  }),
];

export const DOCTOR = oneList({
  name: 'doctor',
  about: 'One row per check.',
  evident: ['check', 'found', 'expected', 'next_step'],
  columns: COLUMNS,
  after: (checks) => [sumOf(checks)],
});

function sumOf(checks: readonly Check[]): string {
  const of = (wanted: CheckState) => checks.filter(({ state: found }) => found === wanted).length;
  const parts = [
    of('failed') > 0 ? `${of('failed')} failed` : '',
    of('warning') > 0 ? count(of('warning'), 'warning') : '',
    of('missing') > 0 ? `${of('missing')} missing` : '',
  ].filter((one) => one !== '');
  const all = count(checks.length, 'check');
  return parts.length === 0 ? `All is well: ${all}.` : `${all}: ${listed(parts)}.`;
}

export function inOrder(checks: readonly Check[]): Check[] {
  return Object.keys(PARTS).flatMap((part) => checks.filter((check) => check.part === part));
}

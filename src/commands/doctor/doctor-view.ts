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

export const PART_KEYS = Object.keys(PARTS) as readonly (keyof typeof PARTS)[];

export type Check = StoreCheck<keyof typeof PARTS>;

const COLUMNS: readonly Column<Check>[] = [
  text('part', `The area of the check: ${PART_KEYS.join(', ')}.`, 'part', {
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

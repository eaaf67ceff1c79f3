import { InvalidArgumentError } from 'commander';
import type { CivilDate, DateRange } from '../domain/civil-date.ts';
import { InputError } from '../domain/errors.ts';
import { parseCivilDate } from '../domain/parse-civil-date.ts';
import { optionOf } from './takes.ts';

export interface RangeOptions {
  readonly from?: CivilDate;
  readonly to?: CivilDate;
}

/** Windows and warm-ups reach beyond a day that is given, and before and after these the calendar ends or nothing is meant. */
const [FIRST, LAST] = ['1970-01-01', '2999-12-31'];

export const dayOption = (description: string) => optionOf<CivilDate>('<date>', description, dateOption);

/** Throws `InvalidArgumentError` for what is no day. */
export function dateOption(text: string): CivilDate {
  const date = parseCivilDate(text);
  if (date === undefined) throw new InvalidArgumentError('Expected a date such as 2026-03-31.');
  if (date < FIRST || date > LAST) throw new InvalidArgumentError(`Expected a day from ${FIRST} to ${LAST}.`);
  return date;
}

/** Both ends or none, in order. */
export function rangeOf({ from, to }: RangeOptions): DateRange | undefined {
  refuseReversed({ ...(from && { from }), ...(to && { to }) });
  if (from === undefined && to === undefined) return undefined;
  if (from !== undefined && to !== undefined) return { from, to };
  throw new InputError(
    `Found ${from === undefined ? '--to' : '--from'} alone, expected both ends of the days to read.`,
    {
      nextStep: 'Give the first day with --from and the last one with --to.',
    },
  );
}

export function refuseReversed({ from, to }: RangeOptions): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw new InputError(`--from ${from} is after --to ${to}.`, { nextStep: 'Give the earlier day with --from.' });
}

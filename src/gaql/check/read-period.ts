import type { Report } from '../report.ts';
import { quote } from '../syntax/syntax-messages.ts';
import type { Value } from '../syntax/tree.ts';
import { shown } from './bind-parameters.ts';
import { PERIOD_NAMES, type PeriodName, periodNamed } from './date-window.ts';
import { didYouMean } from './suggest.ts';

/** The period that DURING is followed by; undefined, and reported, where there is none of that name. */
export function readPeriod(written: Value, report: Report): PeriodName | undefined {
  const period = written.kind === 'name' ? periodNamed(written.text) : undefined;
  // Days of the calendar were refused when values were bound.
  if (period || written.kind === 'placeholder') return period;
  const inQuotes = written.kind === 'string' ? periodNamed(written.text) : undefined;
  report({
    code: 'INVALID_VALUE_WITH_DURING_OPERATOR',
    span: written.span,
    message: inQuotes
      ? `Found ${shown(written)}, and DURING takes a period without quotes.`
      : `DURING has no period ${written.parameter === undefined ? quote(written.text) : shown(written)}.`,
    hint: inQuotes
      ? `Write ${inQuotes}.`
      : [didYouMean(written.text, PERIOD_NAMES) ?? `Periods are ${PERIOD_NAMES.join(', ')}.`, otherLength(written.text)]
          .filter((part) => part !== '')
          .join(' '),
  });
  return undefined;
}

/** What is written for a number of days that has no name. */
function otherLength(text: string): string {
  const days = /^LAST_(\d{1,5})_DAYS?$/i.exec(text)?.[1];
  return days === undefined ? '' : `Any other length is BETWEEN :today-${days} AND :yesterday.`;
}

import { daysBetween } from '../../../domain/civil-date.ts';
import { type Diagnostic, finding, type Span } from '../../../domain/diagnostic.ts';
import { AMOUNT_RANGE, parseAmount } from '../../../domain/micros.ts';
import { parseCivilDate } from '../../../domain/parse-civil-date.ts';
import type { WrittenChange, WrittenDay, WrittenPeriod } from '../language/expression.ts';
import { DEFAULT_PACE, type Pace } from './pace.ts';

const FLIGHT_DAYS_MAX = 366;
const MONTHLY = 'Write "pace budget to 3000 per month".';

type Target = Pick<Pace, 'per' | 'starts' | 'ends'>;

export function readTarget({ digits, targetSpan, period }: Extract<WrittenChange, { kind: 'pace' }>, text: string) {
  const diagnostics: Diagnostic[] = [];
  const refuse = (span: Span, message: string, hint?: string): undefined => {
    diagnostics.push(finding('BAD_VALUE', span, message, hint));
  };
  const amount = parseAmount(digits);
  if (amount === undefined) {
    refuse(targetSpan, `Found ${digits}, expected an amount ${AMOUNT_RANGE}.`);
  }
  if (amount === 0n) {
    const message = 'A target of 0 leaves nothing to spend, and pacekeeper never sets a budget to 0.';
    refuse(targetSpan, message, 'Write a higher amount, or pause the campaign by hand.');
  }
  const target = readPeriod(period, refuse);
  const change =
    target === undefined || amount === undefined || diagnostics.length > 0
      ? undefined
      : ({ kind: 'pace', pace: { ...DEFAULT_PACE, ...target, amount }, text } as const);
  return { change, diagnostics, amountAt: targetSpan };
}

type Refuse = (span: Span, message: string, hint: string) => undefined;

function readPeriod(period: WrittenPeriod, refuse: Refuse): Target | undefined {
  if (period.kind === 'per') {
    if (period.word.toLowerCase() === 'month') return { per: 'month', starts: undefined, ends: undefined };
    const message = `Found "per ${period.word}", expected "per month". Targets are for calendar months or flights.`;
    return refuse(period.span, message, `${MONTHLY.slice(0, -1)}, or a flight "from 2026-11-20 to 2026-12-24".`);
  }
  const from = readDay(period.from, refuse);
  const to = readDay(period.to, refuse);
  if (from === undefined || to === undefined) return undefined;
  const days = daysBetween(from, to) + 1;
  const span = { start: period.from.span.start, end: period.to.span.end };
  if (days < 1)
    return refuse(span, `Found ${to}, expected ${from} or later: the flight starts on that day.`, 'Swap the two days.');
  if (days > FLIGHT_DAYS_MAX) {
    const message = `Found a flight of ${days} days, expected at most ${FLIGHT_DAYS_MAX}.`;
    return refuse(
      span,
      message,
      `Write a shorter flight. For a monthly target, ${MONTHLY.charAt(0).toLowerCase()}${MONTHLY.slice(1)}`,
    );
  }
  return { per: 'flight', starts: from, ends: to };
}

function readDay({ text, span }: WrittenDay, refuse: Refuse) {
  return (
    parseCivilDate(text) ?? refuse(span, `Found ${text}, expected a day such as 2026-11-20.`, 'Write year-month-day.')
  );
}

import type { StillArriving } from '../../domain/still-arriving.ts';

/** Two sentences for people who compare conversions. */
export function arrivingWords(arriving: StillArriving): string {
  const { completeUntil, days, soFar, more, taughtBy } = arriving;
  const complete =
    completeUntil === undefined
      ? 'No day is complete for conversions yet.'
      : `Conversions are complete until ${completeUntil}. CPA, ROAS and changes of conversions end there.`;
  const young = days === 1 ? 'the younger day' : `the ${days} younger days`;
  return `${complete} Still arriving: ${young} ${days === 1 ? 'has' : 'have'} ${numberWords(soFar)} so far; ${usualWords(arriving)} (${more === undefined ? 'by the settings' : `from ${taughtBy} days read again`}).`;
}

/** Words such as "about 12 more are usual", or until when more come. */
export function usualWords({ more, windowDays }: StillArriving): string {
  if (more === undefined) return `more come for ${windowDays === 1 ? 'a day' : `${windowDays} days`}`;
  const about = numberWords(Math.abs(more));
  return about === '0' ? 'no more are usual' : `about ${about} ${more < 0 ? 'fewer' : 'more'} are usual`;
}

/** At most one digit after the point. */
export function numberWords(conversions: number | undefined): string {
  return conversions === undefined
    ? 'an unknown number'
    : conversions.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

import type { DateRange } from '../../domain/civil-date.ts';
import { unreachable } from '../../domain/errors.ts';
import { formatMoney } from '../../domain/micros.ts';
import { formatRational, type Rational } from '../../domain/rational.ts';
import type { Rule } from '../rule.ts';
import type { Curve, Pace } from './pace.ts';

/** The key `pace` of a rule in words, with what holds where the file says nothing. */
export function paceText({ curve, band, rollover, starts, ends, months }: Pace, currency: string | undefined): string {
  return [
    `curve ${curveText(curve)}`,
    `band ${bandText(band)}`,
    ...(rollover === 'none' ? [] : [`rollover ${rollover}`]),
    ...(starts === undefined ? [] : [`starts ${starts}`]),
    ...(ends === undefined ? [] : [`ends ${ends}`]),
    ...[...months].map(([month, amount]) => `${formatMoney(amount, currency)} in ${month}`),
  ].join(', ');
}

/** Why a rule does not pace on any of the days, though it is there; undefined where it does. */
export function pacesOutside({ change }: Pick<Rule, 'change'>, { from, to }: DateRange): string | undefined {
  if (change?.kind !== 'pace') return undefined;
  const { starts, ends } = change.pace;
  if (starts !== undefined && starts > to) return `paces from ${starts} on, and is quiet on all of these days`;
  return ends !== undefined && ends < from ? `paced until ${ends}, and is quiet on all of these days` : undefined;
}

export function bandText({ low, high }: Pace['band']): string {
  return `${percent(low)} to ${percent(high)}`;
}

function curveText(curve: Curve): string {
  switch (curve.kind) {
    case 'even':
    case 'weekday':
      return curve.kind;
    case 'custom':
      return curve.weights.map((weight) => formatRational(weight, 6)).join(' ');
    default:
      return unreachable(curve);
  }
}

const percent = ({ n, d }: Rational): string => `${formatRational({ n: n * 100n, d }, 6)}%`;

import type { Rational } from '../../../domain/rational.ts';
import { shareOf } from '../language/expression.ts';

/** How limits are written, in rules and in settings. */
export const COOLDOWN = /^([1-9]\d{0,2}) days?$/i;
const SHARE = '(\\d{1,4}(?:\\.\\d{1,6})?)%';
export const STEP = new RegExp(`^${SHARE}$`);
export const DRIFT = new RegExp(`^${SHARE} over ([1-9]\\d{0,2}) days?$`, 'i');

export function readDays(text: string | undefined, pattern: RegExp): number | undefined {
  const days = pattern.exec(text?.trim() ?? '')?.[1];
  return days === undefined ? undefined : Number(days);
}

export function readDrift(text: string | undefined): { readonly share: Rational; readonly days: number } | undefined {
  const [, percent, days] = DRIFT.exec(text?.trim() ?? '') ?? [];
  const share = percent === undefined ? undefined : shareOf(percent);
  return share && { share, days: Number(days) };
}

export function readStep(text: string | undefined): Rational | undefined {
  const percent = STEP.exec(text?.trim() ?? '')?.[1];
  return percent === undefined ? undefined : shareOf(percent);
}

import { CURRENCY_DECIMALS, MICROS_PER_UNIT, type Micros, micros, smallestUnit } from '../../domain/micros.ts';

/** The sandbox bills these in whole units, although ISO 4217 has two decimals. IDR is documented, the others are typical. */
const WHOLE = ['COP', 'HUF', 'IDR', 'TWD'];

/** In micros. */
export function billableUnit(currency: string): Micros {
  return WHOLE.includes(currency) ? micros(MICROS_PER_UNIT) : (smallestUnit(currency) ?? micros(1n));
}

export const CURRENCIES: readonly string[] = [...CURRENCY_DECIMALS.keys()].sort();

import { parseArgs } from 'node:util';
import type { SoakSizes } from './run-soak.ts';

export interface SoakOptions {
  readonly kind: 'options';
  readonly sizes: SoakSizes;
  /** Undefined when the figures are not worth keeping. */
  readonly page: string | undefined;
  /** As it was called, for the page. */
  readonly command: string;
}

const PAGE = 'docs/benchmarks.md';
const SIZES: SoakSizes = { accounts: 1_000, hours: 24, latencyMs: 50, webhooks: 200 };
const HOURS_MIN = 4;

/** Reads the options of the soak; figures of fewer accounts or hours than it is meant for reach a page only if it is named. */
export function readSoakOptions(
  args: readonly string[],
): SoakOptions | { readonly kind: 'wrong'; readonly message: string } {
  try {
    const text = { type: 'string' as const };
    const options = { accounts: text, hours: text, 'latency-ms': text, webhooks: text, page: text };
    const { values } = parseArgs({ args: [...args], options });
    const count = (name: 'accounts' | 'hours' | 'latency-ms' | 'webhooks', otherwise: number): number => {
      const given = values[name];
      if (given === undefined) return otherwise;
      if (/^[1-9]\d{0,5}$/.test(given)) return Number(given);
      throw new RangeError(`Reading --${name}: found ${given}, expected a whole number from 1 on.`);
    };
    const sizes: SoakSizes = {
      accounts: count('accounts', SIZES.accounts),
      hours: count('hours', SIZES.hours),
      latencyMs: count('latency-ms', SIZES.latencyMs),
      webhooks: count('webhooks', SIZES.webhooks),
    };
    if (sizes.hours < HOURS_MIN) {
      throw new RangeError(`Reading --hours: found ${sizes.hours}, expected at least ${HOURS_MIN}, a quarter each.`);
    }
    const full = sizes.accounts >= SIZES.accounts && sizes.hours >= SIZES.hours;
    const command = ['npm run soak', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
    return { kind: 'options', sizes, page: values.page ?? (full ? PAGE : undefined), command };
  } catch (error) {
    return { kind: 'wrong', message: error instanceof Error ? error.message : String(error) };
  }
}

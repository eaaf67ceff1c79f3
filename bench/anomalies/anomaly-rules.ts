import { readFileSync } from 'node:fs';
import { loadCatalogue } from '../../src/config/load-catalogue.ts';
import { packageRoot } from '../../src/config/package-root.ts';
import type { Rule } from '../../src/rules/rule.ts';
import { queryOfDays } from '../query.ts';
import { checkedRule } from '../rules/checked-rule.ts';
import { DAYS } from '../rules/rules-job.ts';

export type Grain = 'campaign' | 'keyword';

/** Of a weekday's usual clicks: with fewer, a day says too little. */
export const CLICKS_LEAST: Readonly<Record<Grain, number>> = { campaign: 20, keyword: 5 };

/** A rule of the comparison, as the file would say it. */
export interface Variant {
  readonly name: string;
  readonly text: string;
  readonly withHolidays?: boolean;
}

const WEEKDAYS = 'same weekday over 4 weeks';
const LASTING = 'lasting: 2 days';

/** Outside a share and outside so many spreads of the usual clicks of the weekday. */
function byWeekday(usual: 'mean' | 'median', spread: string, low: string, high: string, spreads: string): string {
  const middle = `${usual}(clicks) ${WEEKDAYS}`;
  const reach = `${spreads} * ${spread}(clicks) ${WEEKDAYS}`;
  return `${middle} >= LEAST AND clicks NOT BETWEEN ${low} * ${middle} AND ${high} * ${middle}
  AND clicks NOT BETWEEN ${middle} - ${reach} AND ${middle} + ${reach}`;
}

const byDaysBefore = (low: string, high: string): string =>
  `AND clicks NOT BETWEEN ${low} * clicks over previous 7 days / 7 AND ${high} * clicks over previous 7 days / 7`;

const ruleText = (when: string, ...more: string[]): string =>
  ['over: yesterday', `when: >-\n  ${when}`, ...more].join('\n');

const MEAN = byWeekday('mean', 'deviation', '0.67', '1.33', '3');
const MEDIAN = byWeekday('median', 'mad', '0.67', '1.33', '3');

/** The file in `rules/` as it is shipped, from its "over" to its "alert". */
function shippedText(): string {
  const file = readFileSync(new URL('rules/weekday-anomaly.yaml', packageRoot()), 'utf8');
  const text = /^over:[\s\S]*?(?=^alert:)/m.exec(file)?.[0].replaceAll(/^#.*\n/gm, '') ?? '';
  const found = text.replace('>= 20', '>= LEAST').trimEnd();
  if (!found.includes('LEAST') || !found.endsWith(LASTING)) {
    throw new Error(
      'Reading rules/weekday-anomaly.yaml: found other words than expected, so the measurement is of another rule.',
    );
  }
  return found;
}

/** What is compared on both grains. */
export function comparedVariants(): Variant[] {
  const shipped = shippedText();
  return [
    { name: 'mean and deviation', text: ruleText(MEAN) },
    { name: 'mean and deviation, 2 days', text: ruleText(MEAN, LASTING) },
    { name: 'median and MAD', text: ruleText(MEDIAN) },
    { name: 'median and MAD, 2 days', text: ruleText(MEDIAN, LASTING) },
    { name: 'as shipped, 1 day', text: shipped.replace(LASTING, '').trimEnd() },
    { name: 'as shipped, 1 day, holidays listed', text: shipped.replace(LASTING, '').trimEnd(), withHolidays: true },
    { name: '**as shipped**', text: shipped },
    { name: '**as shipped**, holidays listed', text: shipped, withHolidays: true },
  ];
}

/** Thresholds from which those of the shipped rule were chosen. */
export interface Choice extends Variant {
  readonly share: string;
  readonly spreads: string;
  readonly daysBefore: boolean;
}

export function choices(): Choice[] {
  const bounds = [
    ['0.50', '2.00'],
    ['0.60', '1.67'],
    ['0.67', '1.50'],
  ] as const;
  return bounds.flatMap(([low, high]) =>
    ['0', '2', '3', '4.45'].flatMap((spreads) =>
      [false, true].map((daysBefore): Choice => {
        const when = [byWeekday('median', 'mad', low, high, spreads), ...(daysBefore ? [byDaysBefore(low, high)] : [])];
        const share = `${low}–${high}`;
        const text = ruleText(when.join('\n  '), LASTING);
        return { name: `${share} ${spreads} ${daysBefore}`, text, share, spreads, daysBefore };
      }),
    ),
  );
}

/** Fires where there are enough clicks on the weekday for the others to say something. */
export const LOOKED_AT: Variant = { name: 'looked at', text: ruleText(`median(clicks) ${WEEKDAYS} >= LEAST`) };

/** The rule, checked as the product checks it. */
export function ruleOf({ name, text }: Variant, grain: Grain): Rule {
  const query = queryOfDays(DAYS);
  const source = `description: A rule of the measurement.
from: ${query.name}
for: ${grain}
${text.replaceAll('LEAST', String(CLICKS_LEAST[grain]))}
alert: { text: "far from usual" }
`;
  return checkedRule(name, source, query, { version: '0', catalogueOf: () => loadCatalogue('v25') });
}

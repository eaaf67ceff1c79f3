import { benchVariant, shippedText, type Variant } from './variant.ts';

export type Grain = 'campaign' | 'keyword';

/** Of a weekday's usual clicks: with fewer, a day says too little. */
export const CLICKS_LEAST: Readonly<Record<Grain, number>> = { campaign: 20, keyword: 5 };

const WEEKDAYS = 'same weekday over 4 weeks';
const LASTING = 'lasting: 2 days';

/** Outside a share and outside so many spreads of the usual clicks of the weekday. */
function byWeekday(usual: 'mean' | 'median', spread: string, low: string, high: string, spreads: string): string {
  const middle = `${usual}(clicks) ${WEEKDAYS}`;
  const reach = `${spreads} * ${spread}(clicks) ${WEEKDAYS}`;
  return `${middle} >= LEAST AND clicks NOT BETWEEN ${low} * ${middle} AND ${high} * ${middle}
  AND clicks NOT BETWEEN ${middle} - ${reach} AND ${middle} + ${reach}`;
}

const ruleText = (when: string, ...more: string[]): string =>
  ['over: yesterday', `when: >-\n  ${when}`, ...more].join('\n');

const MEAN = byWeekday('mean', 'deviation', '0.67', '1.33', '3');
const MEDIAN = byWeekday('median', 'mad', '0.67', '1.33', '3');

/** The shipped rule, with the clicks of any grain. */
function shippedRule(): string {
  const found = shippedText('weekday-anomaly').replace('>= 20', '>= LEAST');
  if (!found.includes('LEAST') || !found.endsWith(LASTING)) {
    throw new Error(
      'Reading rules/weekday-anomaly.yaml: found other words than expected, so the measurement is of another rule.',
    );
  }
  return found;
}

const QUERY = 'queries/keyword_stats.sql';

function variantOf(grain: Grain, name: string, text: string): Variant {
  return benchVariant(name, { query: QUERY, for: grain }, text.replaceAll('LEAST', String(CLICKS_LEAST[grain])));
}

export function comparedVariants(grain: Grain): Variant[] {
  const shipped = shippedRule();
  const oneDay = shipped.replace(LASTING, '').trimEnd();
  const variant = (name: string, text: string) => variantOf(grain, name, text);
  const asShipped = [variant('as shipped, 1 day', oneDay), variant('**as shipped**', shipped)];
  if (grain === 'keyword') return asShipped;
  return [
    variant('mean and deviation', ruleText(MEAN)),
    variant('mean and deviation, 2 days', ruleText(MEAN, LASTING)),
    variant('median and MAD', ruleText(MEDIAN)),
    variant('median and MAD, 2 days', ruleText(MEDIAN, LASTING)),
    ...asShipped,
    { ...variant('**as shipped**, holidays listed', shipped), withHolidays: true },
  ];
}

/** Fires where there are enough clicks on the weekday for the others to say something. */
export function lookedAt(grain: Grain): Variant {
  return variantOf(grain, 'looked at', ruleText(`median(clicks) ${WEEKDAYS} >= LEAST`));
}

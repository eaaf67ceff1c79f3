import { benchVariant, type Read, shippedText, type Variant } from './variant.ts';
import type { Change } from './year.ts';

/** Rules on a metric of results, and the changes that they should find. */
export interface ResultRules {
  readonly name: string;
  readonly lookedAt: Variant;
  /** The condition of `lookedAt`: words that follow "days". */
  readonly enough: string;
  readonly variants: readonly Variant[];
  /** Changes by column of the table. */
  readonly columns: readonly (readonly Change[])[];
}

const WEEKDAYS = 'same weekday over 4 weeks';
const LASTING = 'lasting: 2 days';

const READ: Read = { query: 'queries/library/campaign_conversions.sql', for: 'campaign' };

const rule = (name: string, over: string, when: string, ...more: string[]): Variant =>
  benchVariant(name, READ, [`over: ${over}`, `when: >-\n  ${when.replaceAll('\n', '\n  ')}`, ...more].join('\n'));

const changes = (metric: Change['metric'], times: number, lengths: readonly number[]): Change[] =>
  lengths.map((days) => ({ metric, times, days }));

const byDaysBefore = (metric: string, low: string, high: string): string =>
  `AND ${metric} NOT BETWEEN ${low} * ${metric} over previous 7 days / 7 AND ${high} * ${metric} over previous 7 days / 7`;

const CLICKS = `median(clicks) ${WEEKDAYS} >= 20`;

function costRule(name: string, low: string, high: string, { daysBefore = true, lasting = true }): Variant {
  const usual = `median(cost) ${WEEKDAYS}`;
  const when = [
    `${CLICKS} AND cost NOT BETWEEN ${low} * ${usual} AND ${high} * ${usual}`,
    ...(daysBefore ? [byDaysBefore('cost', low, high)] : []),
  ];
  return rule(name, 'yesterday', when.join('\n'), ...(lasting ? [LASTING] : []));
}

const COST: ResultRules = {
  name: 'cost',
  lookedAt: rule('looked at', 'yesterday', CLICKS),
  enough: 'with a usual value of at least 20 clicks',
  variants: [
    costRule('0.60–1.67, 1 day', '0.60', '1.67', { lasting: false }),
    costRule('0.67–1.50, 2 days', '0.67', '1.50', {}),
    costRule('0.60–1.67, 2 days, weekday alone', '0.60', '1.67', { daysBefore: false }),
    costRule('**0.60–1.67, 2 days**', '0.60', '1.67', {}),
    costRule('0.50–2.00, 2 days', '0.50', '2.00', {}),
  ],
  columns: [0.5, 0.2, 2].map((times) => changes('cost_micros', times, [1, 2, 5])),
};

const BEFORE = 'over previous 28 days';
const CONVERSIONS_LEAST = `conversions ${BEFORE} >= 100`;
const ENOUGH_CONVERSIONS = 'after four weeks with at least 100 conversions';

/** Four on a usual day are about a hundred in four weeks. */
function conversionsByWeekday(
  name: string,
  low: string,
  high: string,
  { daysBefore = false, lasting = true },
): Variant {
  const usual = `median(conversions) ${WEEKDAYS}`;
  const when = [
    `${usual} >= 4 AND conversions NOT BETWEEN ${low} * ${usual} AND ${high} * ${usual}`,
    ...(daysBefore ? [byDaysBefore('conversions', low, high)] : []),
  ];
  return rule(name, '1 day', when.join('\n'), ...(lasting ? [LASTING] : []));
}

const conversionsByWeek = (name: string, low: string, high: string): Variant =>
  rule(
    name,
    '7 days',
    `${CONVERSIONS_LEAST} AND conversions NOT BETWEEN
${low} * conversions ${BEFORE} / 4 AND ${high} * conversions ${BEFORE} / 4`,
  );

const CONVERSIONS: ResultRules = {
  name: 'conversions',
  lookedAt: rule('looked at', '7 days', CONVERSIONS_LEAST),
  enough: ENOUGH_CONVERSIONS,
  variants: [
    conversionsByWeekday('0.50–2.00, 1 day', '0.50', '2.00', { lasting: false }),
    conversionsByWeekday('0.50–2.00, 2 days', '0.50', '2.00', {}),
    conversionsByWeekday('0.50–2.00, 2 days, days before', '0.50', '2.00', { daysBefore: true }),
    conversionsByWeekday('0.40–2.50, 2 days', '0.40', '2.50', {}),
    conversionsByWeek('**0.60–1.67, a week**', '0.60', '1.67'),
    conversionsByWeek('0.50–2.00, a week', '0.50', '2.00'),
  ],
  columns: [0.5, 0].map((times) => changes('conversions', times, [2, 5, 7])),
};

/** Eight conversions in three days, as a rule on fewer days expects them. */
const EXPECTED = { 2: '5.33', 3: '8' } as const;

const expecting = (days: 2 | 3): string => `clicks * (conversions / clicks) over previous 14 days >= ${EXPECTED[days]}`;

const stopped = (name: string, days: 2 | 3, wait: string): Variant =>
  rule(name, `${days} days`, `${expecting(days)} AND conversions = 0`, `conversion_window: ${wait}`);

const STOPPED: ResultRules = {
  name: 'no conversions',
  lookedAt: rule('looked at', '3 days', expecting(3), 'conversion_window: 1 days'),
  enough: 'with at least 8 expected conversions in three days',
  variants: [
    stopped('2 days', 2, '1 days'),
    stopped('3 days, to yesterday', 3, '0 days'),
    benchVariant('**3 days**, as shipped', READ, shippedText('conversions-stopped')),
  ],
  columns: [changes('conversions', 0, [2, 3, 4, 5, 7])],
};

const CPA: ResultRules = {
  name: 'cpa',
  lookedAt: rule('looked at', '7 days', CONVERSIONS_LEAST),
  enough: ENOUGH_CONVERSIONS,
  variants: [
    rule(
      '**0.60–1.67**',
      '7 days',
      `${CONVERSIONS_LEAST} AND cpa NOT BETWEEN 0.60 * cpa ${BEFORE} AND 1.67 * cpa ${BEFORE}`,
    ),
  ],
  columns: [1.5, 2].map((times) => changes('cost_micros', times, [7, 14])),
};

export const RESULTS: readonly ResultRules[] = [COST, CONVERSIONS, STOPPED, CPA];

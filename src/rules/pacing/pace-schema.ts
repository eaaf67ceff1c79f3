import * as z from 'zod';
import type { CivilDate } from '../../domain/civil-date.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { parseDecimal, type Rational } from '../../domain/rational.ts';
import { alternatives, amount, scalar } from '../../yaml/scalars.ts';
import { shareOf } from '../language/expression.ts';
import { ROLLOVERS } from './pace.ts';

/** A weight of a weekday, or its share of a week. */
export interface WrittenWeight {
  readonly value: Rational;
  readonly percent: boolean;
}

const WEIGHT = 'a number that is not negative such as 0.5, or a percentage such as 15%';
const WEIGHT_TEXT = /^(\d{1,6}(?:\.\d{1,6})?)(%)?$/;
const BAND = /^(\d{1,3}(?:\.\d{1,6})?)% to (\d{1,3}(?:\.\d{1,6})?)%$/i;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

const weight = scalar(WEIGHT, (text): WrittenWeight | undefined => {
  const [, digits, percent] = WEIGHT_TEXT.exec(text) ?? [];
  const value = digits === undefined ? undefined : percent ? shareOf(digits) : parseDecimal(digits);
  return value && { value, percent: percent !== undefined };
}).meta({ type: ['number', 'string'] });

const CURVE = 'even, weekday, or seven weights from Monday to Sunday such as [1, 1, 1, 1, 1, 0.5, 0.5]';
const curveName = scalar(CURVE, (text) => (text === 'even' || text === 'weekday' ? text : undefined)).meta({
  enum: ['even', 'weekday'],
});
const sevenWeights = z.array(weight).length(7, { error: CURVE });

/** A word or a list: each is told by what is wrong with it as that. */
const curve = z.unknown().transform((value, context): 'even' | 'weekday' | readonly WrittenWeight[] => {
  const read = (Array.isArray(value) ? sevenWeights : curveName).safeParse(value);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
  return z.NEVER;
});
alternatives.set(curve, [curveName, sevenWeights]);

const band = scalar('two percentages around 100% such as 95% to 105%', (text) => {
  const [low, high] = (BAND.exec(text)?.slice(1) ?? []).map(shareOf);
  if (low === undefined || high === undefined || low.n === 0n) return undefined;
  // Without 100% between them the target itself would be changed away from.
  return low.n <= low.d && high.n >= high.d ? { low, high } : undefined;
});

const day = scalar('a day such as 2026-09-15', (text): CivilDate | undefined => parseCivilDate(text));

/** The key `pace` of a rule file. */
export const paceSchema = z
  .strictObject({
    curve: curve.meta({
      description:
        'How the month is laid over its days: even, weekday (learned from what the days of the week cost of late), or weights from Monday to Sunday.',
      examples: ['even', 'weekday', [1, 1, 1, 1, 1, 0.5, 0.5]],
    }),
    band: band.meta({
      description: 'Shares of the target between which nothing is changed; 95% to 105% when it is left out.',
      examples: ['95% to 105%'],
    }),
    rollover: z.enum(ROLLOVERS).meta({
      description: 'What of a month goes on to the next: underspend, overspend, both, or none when it is left out.',
    }),
    starts: day.meta({ description: 'The first day that is paced.', examples: ['2026-09-15'] }),
    ends: day.meta({ description: 'The last day that is paced.', examples: ['2026-12-20'] }),
    months: z
      .record(z.string().regex(MONTH, { error: 'a month such as 2026-11' }), amount)
      .meta({ description: 'Targets of single months, as they are.', examples: [{ '2026-11': 5000 }] }),
  })
  .partial();

/** What can be judged of the key beyond its form, as far as it is there. */
export const loosePaceSchema = z
  .looseObject({
    curve: curve.optional().catch(undefined),
    band: band.optional().catch(undefined),
    rollover: z.enum(ROLLOVERS).optional().catch(undefined),
    starts: day.optional().catch(undefined),
    ends: day.optional().catch(undefined),
    months: z.record(z.string(), amount).optional().catch(undefined),
  })
  .optional()
  .catch(undefined);

export type LoosePace = NonNullable<z.output<typeof loosePaceSchema>>;

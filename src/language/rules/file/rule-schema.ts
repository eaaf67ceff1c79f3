import * as z from 'zod';
import { ALERT_SEVERITIES } from '../../../domain/channel.ts';
import { parseDecimal, type Rational } from '../../../domain/rational.ts';
import { amount, currencyCode, editorSchema, nonEmptyText, scalar, yesOrNo } from '../../yaml/scalars.ts';
import { loosePaceSchema, paceSchema } from '../pacing/check-pace.ts';
import { MODES, SUBJECTS } from '../rule.ts';
import { COOLDOWN, DRIFT, STEP } from './limit-forms.ts';

/** Editors must also accept numbers, although the program reads every value as text. */
const LEAST = { type: ['number', 'string'], minimum: 0 } as const;

export const OVER = /^(?:([1-9]\d{0,2}) (?:days?|(weeks?))|(month to date)|(yesterday)|(today))$/i;
export const CONVERSION_WINDOW = /^(\d|[1-8]\d|90) days?$/i;
export const LASTING = /^([1-9]|1[0-4]) days?$/i;

function matching(pattern: RegExp, expected: string) {
  return z.string({ error: expected }).regex(pattern, { error: expected });
}

const leastValue = scalar('a number of 0 or more, such as 30', (value): Rational | undefined => {
  const number = parseDecimal(value);
  return number && number.n >= 0n ? number : undefined;
});

/** Without quotes, YAML reads a leading brace as the start of a map. */
const alertText = scalar('text, in quotes if it begins with a brace', (value) => (value === '' ? undefined : value));

export const limits = z
  .strictObject({
    floor: amount.meta({
      description: 'The lowest amount that a change may set, in currency units.',
      examples: [5],
    }),
    ceiling: amount.meta({
      description: 'The highest amount that a change may set, in currency units.',
      examples: [200],
    }),
    step: matching(STEP, 'a percentage such as 20%').meta({
      description: 'The largest single change, as a share of the current amount.',
      examples: ['20%'],
    }),
    cooldown: matching(COOLDOWN, 'days such as "3 days"').meta({
      description: 'The time without changes after any change of the budget, whoever made it.',
      examples: ['3 days'],
    }),
    drift: matching(DRIFT, 'a percentage and days such as "50% over 30 days"').meta({
      description: 'The largest total change within the given days, as a share of the amount before the first change.',
      examples: ['50% over 30 days'],
    }),
    minimum: z.record(z.string(), leastValue.meta(LEAST)).meta({
      description: 'The lowest totals of metrics over the days of "over". Below them, the rule changes nothing.',
      examples: [{ clicks: 30 }],
    }),
  })
  .partial();

export const mode = z
  .enum([...MODES, 'suggest'])
  .default('propose')
  .transform((mode) => (mode === 'suggest' ? 'propose' : mode))
  .meta({
    description:
      'The mode. propose (or suggest): only suggest a change. approve: ask a person first. apply: make the change. automation.mode in the settings is the upper limit.',
  });

export const ruleFileSchema = z.strictObject({
  description: nonEmptyText.meta({ description: 'The purpose of the rule, in one sentence.' }),
  from: nonEmptyText.meta({
    description: "The table the rule reads: a query file's name without its ending.",
    examples: ['keyword_stats'],
  }),
  for: z.enum(SUBJECTS).meta({
    description:
      'The subjects of the rule. It decides on each one separately. Rules for ad groups and keywords may only alert.',
  }),
  where: nonEmptyText.optional().meta({
    description: 'Selects campaigns, ad groups or keywords by their attributes.',
    examples: ["campaign_name NOT LIKE 'Test%'"],
  }),
  over: matching(OVER, 'days such as "7 days", "month to date", "yesterday" or "today"')
    .optional()
    .meta({
      description:
        "The days for every metric without its own window: complete days, or today so far. Rules that use today's numbers may only alert.",
      examples: ['7 days', '30 days', '26 weeks', 'month to date', 'yesterday', 'today'],
    }),
  when: nonEmptyText.optional().meta({
    description:
      'The condition. Optional for a pacing rule. A window may follow a metric: over 7 days, over previous 7 days, over month to date. Or: on yesterday, on today, same weekday over 4 weeks.',
    examples: ['clicks >= 30 AND cost / clicks > 2.50'],
  }),
  lasting: matching(LASTING, 'days from 1 to 14 such as "2 days"')
    .optional()
    .meta({
      description: 'The number of consecutive complete days on which the condition must be true. Default: one day.',
      examples: ['2 days'],
    }),
  conversion_window: matching(CONVERSION_WINDOW, 'days from 0 to 90 such as "14 days"')
    .optional()
    .meta({
      description:
        'The number of days after which the conversions of a day count as complete. A rule that uses conversions reads only complete days. Default: `conversion_window` in the settings.',
      examples: ['14 days'],
    }),
  currency: currencyCode.optional().meta({
    description: 'The currency of all amounts of the rule. The rule skips accounts in other currencies.',
    examples: ['EUR'],
  }),
  change: nonEmptyText.optional().meta({
    description: 'The change of the budget when the condition is true.',
    examples: [
      'decrease budget by 15%',
      'increase budget by 5',
      'set budget to 1.2 * cost on yesterday',
      'set budget to 60 on Monday to Friday, 40 on Saturday, else 30',
      'pace budget to 3000 per month',
      'pace budget to 9000 from 2026-11-20 to 2026-12-24',
    ],
  }),
  pace: paceSchema.optional().meta({ description: 'Options of "pace budget to 3000 per month", or of a flight.' }),
  limits: limits.optional().meta({ description: 'Limits on every change of the rule.' }),
  include_paused: yesOrNo.optional().meta({
    description:
      'true: a rule that changes budgets also counts paused campaigns and changes their budgets. Removed campaigns never count.',
  }),
  mode,
  alert: z
    .strictObject({
      severity: z.enum(ALERT_SEVERITIES).default('warning').meta({ description: 'The urgency of the alert.' }),
      text: alertText.meta({
        description:
          'The message. Write values in braces: {campaign_name}, {cost / clicks}. Write literal braces as {{ and }}.',
        examples: ['{campaign_name}: {cost / clicks} a click'],
      }),
    })
    .optional()
    .meta({ description: 'A message to people when the condition is true.' }),
});

/** Keeps every valid field, so that one wrong field does not hide errors in others. */
export const looseSchema = z.looseObject({
  from: z.string().optional().catch(undefined),
  for: z.enum(SUBJECTS).optional().catch(undefined),
  where: z.string().optional().catch(undefined),
  over: z.string().optional().catch(undefined),
  when: z.string().optional().catch(undefined),
  lasting: z.string().optional().catch(undefined),
  conversion_window: z.string().optional().catch(undefined),
  change: z.string().optional().catch(undefined),
  /** Only of targets. */
  reallocate: z.string().optional().catch(undefined),
  pace: loosePaceSchema,
  limits: z
    .looseObject({
      floor: amount.optional().catch(undefined),
      ceiling: amount.optional().catch(undefined),
      step: z.string().optional().catch(undefined),
      cooldown: z.string().optional().catch(undefined),
      drift: z.string().optional().catch(undefined),
      minimum: z.record(z.string(), leastValue.optional().catch(undefined)).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  alert: z
    .looseObject({ text: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

export type RuleFile = z.output<typeof ruleFileSchema>;

export type LooseRuleFile = z.output<typeof looseSchema>;

/** Only a pacing rule may have `pace` or omit `when`. */
const PACING = { required: ['change'], properties: { change: { pattern: '^\\s*[Pp][Aa][Cc][Ee]\\b' } } } as const;

export function ruleSchema(): object {
  return {
    ...editorSchema(ruleFileSchema, 'A pacekeeper rule'),
    anyOf: [{ required: ['change'] }, { required: ['alert'] }],
    allOf: [{ anyOf: [{ required: ['when'] }, PACING] }, { anyOf: [{ not: { required: ['pace'] } }, PACING] }],
    if: { properties: { for: { enum: ['ad_group', 'keyword'] } }, required: ['for'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { change: false } },
  };
}

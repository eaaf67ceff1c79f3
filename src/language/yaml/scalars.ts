import * as z from 'zod';
import { isTimeZone } from '../../domain/civil-date.ts';
import { isId, readCustomerId } from '../../domain/ids.ts';
import { AMOUNT_RANGE, type Micros, parseAmount, smallestUnit } from '../../domain/micros.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { parseDecimal } from '../../domain/rational.ts';

export type Expect = (expected: string) => undefined;

/** For a wrong value, `read` returns undefined. The message contains `expected`, or the text given to `expect`. */
export function scalar<Value>(expected: string, read: (text: string, expect: Expect) => Value | undefined) {
  return z.string({ error: expected }).transform((text, context): Value => {
    let message = expected;
    const value = read(text.trim(), (more) => {
      message = more;
      return undefined;
    });
    if (value !== undefined) return value;
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  });
}

/** Maps a schema to schemas of its input, because JSON Schema has no transforms. */
export const alternatives = new WeakMap<z.core.$ZodType, readonly z.core.$ZodType[]>();

/** Editors see typed values. The program reads text, so both types are valid. */
const NUMBER_OR_TEXT = { type: ['number', 'string'] } as const;
const ID_OR_TEXT = { type: ['integer', 'string'] } as const;

export const nonEmptyText = scalar('text that is not empty', (value) => (value === '' ? undefined : value));

export function wholeNumber(from: number, to: number) {
  return scalar(`a whole number from ${from} to ${to}`, (value) => {
    const number = /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    return number >= from && number <= to ? number : undefined;
  }).meta({ ...ID_OR_TEXT, minimum: from, maximum: to });
}

export const yesOrNo = scalar('true or false', (value) =>
  /^(true|yes)$/i.test(value) ? true : /^(false|no)$/i.test(value) ? false : undefined,
).meta({ type: ['boolean', 'string'], enum: [true, false, 'yes', 'no'] });

/** The file contains currency units. The result is in micros. */
export const amount = scalar(`an amount ${AMOUNT_RANGE}, such as 12.50`, (value): Micros | undefined => {
  const micros = parseAmount(value);
  return micros !== undefined && micros > 0n ? micros : undefined;
}).meta({ ...NUMBER_OR_TEXT, exclusiveMinimum: 0 });

export const currencyCode = scalar('a currency code such as EUR', (value) =>
  smallestUnit(value) === undefined ? undefined : value,
);

export const exchangeRate = scalar('a number above 0 such as 0.925', (value) => {
  const number = parseDecimal(value);
  return number && number.n > 0n ? number : undefined;
}).meta({ ...NUMBER_OR_TEXT, exclusiveMinimum: 0 });

export const calendarDay = scalar('a date such as 2026-12-25', parseCivilDate).meta({ type: 'string', format: 'date' });

export const timeZone = scalar('a time zone such as Europe/Berlin', (value) => (isTimeZone(value) ? value : undefined));

/** Returns the canonical spelling of a BCP 47 language tag. */
export const localeName = scalar('a language tag such as de-DE', (value) => {
  try {
    const [locale] = Intl.NumberFormat.supportedLocalesOf(value);
    return locale;
  } catch {
    return undefined;
  }
});

export const timeOfDay = scalar('a time of day such as 03:00', readTime);

function readTime(value: string): string | undefined {
  return /^([01]?\d|2[0-3]):[0-5]\d$/.test(value) ? value.padStart(5, '0') : undefined;
}

export const timeOfDayOrNever = scalar('a time of day such as 08:00, or never', (value) =>
  value === 'never' ? value : readTime(value),
);

export const hoursOfDay = scalar('two times of day such as 22:00-07:00', (value) => {
  const [from, to, ...more] = value.split('-').map((part) => readTime(part.trim()));
  return from === undefined || to === undefined || from === to || more.length > 0 ? undefined : { from, to };
});

/** Requirement B8 defines the format. */
export const customerIdText = scalar('a customer id: digits, dashes allowed, no parentheses', (value) => {
  const reading = readCustomerId(value);
  return reading.kind === 'ok' ? reading.id : undefined;
}).meta(ID_OR_TEXT);

export const digits = scalar('an id of digits only', (value) => (isId(value) ? value : undefined)).meta(ID_OR_TEXT);

export function oneOrMany<Schema extends z.ZodType>(schema: Schema) {
  const list = z.array(schema);
  const either = z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), list);
  alternatives.set(either, [schema, list]);
  return either;
}

/** `isFirst` chooses between the schemas, so that only one schema reports findings. */
export function either<First extends z.ZodType, Other extends z.ZodType>(
  isFirst: (value: unknown) => boolean,
  first: First,
  other: Other,
) {
  const chosen = z.unknown().transform((value, context): z.output<First> | z.output<Other> => {
    const read = (isFirst(value) ? first : other).safeParse(value);
    if (read.success) return read.data as z.output<First> | z.output<Other>;
    for (const issue of read.error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  });
  alternatives.set(chosen, [first, other]);
  return chosen;
}

export function mapOr<Mapped extends z.ZodType, Other extends z.ZodType>(map: Mapped, other: Other) {
  return either((value) => typeof value === 'object' && value !== null && !Array.isArray(value), map, other);
}

export interface JsonSchema {
  readonly [word: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** Describes the text of a file, not the values read from the text. */
export function editorSchema(schema: z.ZodType, title: string): JsonSchema {
  return { ...written(schema), title };
}

function written(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const any = alternatives.get(zodSchema)?.map(withoutDialect);
      if (any) {
        delete jsonSchema.type;
        delete jsonSchema.items;
        Object.assign(jsonSchema, { anyOf: any });
      }
      // The library drops examples of transformed values, but our examples describe the text.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  }) as JsonSchema;
}

function withoutDialect(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...rest } = written(schema);
  return rest;
}

import * as z from 'zod';

/** The arguments that several tools take. Each is bounded, and none can become an option of a command. */
export const CURSOR = z
  .string()
  .max(400)
  .optional()
  .describe('The cursor of the page before, with the same arguments.');

/** The name of a table, query, rule or target. */
export const NAME = z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/);

export const CUSTOMER = z
  .string()
  .regex(/^\d[\d-]{0,19}$/)
  .describe('Account id as text, such as 1234567890.');

export const CAMPAIGN = z
  .string()
  .regex(/^\d{1,19}$/)
  .describe('Campaign id as text.');

export const DAY = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .describe('A day, such as 2026-11-30.');

export const ROWS = z.array(z.looseObject({}));

/** `--name=value`, or nothing. */
export function given(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

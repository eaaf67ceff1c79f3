import * as z from 'zod';
import { isCalendarName } from '../../gaql/check/date-window.ts';
import { oneOrMany } from '../../yaml/scalars.ts';
import { each, section, setting } from './declare.ts';

/** A name that stands in queries behind a colon. */
const parameterName = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/, 'letters, digits and underscores, as in :campaigns')
  .refine((name) => !isCalendarName(name), 'another name: this one is a day of the calendar');

/** A value that queries compare with. Scalars are read as text, so what means "nothing" in YAML is still written out. */
const parameterValue = z
  .string({ error: 'a text, a number or a date' })
  .refine((text) => !/^\s*(?:~|null)?\s*$/i.test(text), 'a text, a number or a date, neither empty nor null');

export const PARAMETERS = section(
  'Values for queries',
  {},
  {
    params: each(
      '<name>',
      { key: parameterName, shown: /^[\w-]{1,40}$/ },
      setting(
        oneOrMany(parameterValue),
        "The value that `:<name>` stands for in query files: a text, a number, a date, or a list of them; an empty value and null are refused. `--param name=value` takes its place for one run; several `--param` of one name are a list. Values are bound by the type of the field they are compared with, never pasted into the text. Days of the account's calendar (`:today-7`, `:month_start`) need no value.",
        { secrecy: 'text', required: true },
      ),
    ),
  },
);

import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import { isCalendarName } from '../../gaql/check/date-window.ts';
import { oneOrMany, scalar, wholeNumber } from '../../yaml/scalars.ts';
import { each, group, section, setting } from './declare.ts';

const EARLIEST_MS = 0;
const LATEST_MS = Date.UTC(9000, 0, 1);

const instant = scalar('an instant such as 2026-03-01T12:00:00Z', (text, expect) => {
  try {
    const startMs = Temporal.Instant.from(text).epochMilliseconds;
    return startMs >= EARLIEST_MS && startMs < LATEST_MS ? startMs : expect('a year from 1970 to 8999');
  } catch {
    return undefined;
  }
});

export const WHICH_SERVICE = section(
  'Which service',
  { isOfAreas: false },
  {
    target: setting(
      z.enum(['sandbox', 'live']),
      '`sandbox`: embedded, nothing leaves this machine. `live`: the services below. Live settings beside the sandbox are not used, and the report says so.',
      { env: ['PACEKEEPER_TARGET'], default: 'sandbox' },
    ),
    start_at_ms: setting(
      instant,
      'An instant at which the clock starts and runs on from there, for reproducible runs: `2026-03-01T12:00:00Z`',
      { env: ['PACEKEEPER_NOW'], environmentOnly: true, without: "the machine's time" },
    ),
    automation: group({
      mode: setting(
        z.enum(['propose', 'approve', 'apply']),
        "How far any rule may go: `propose`, `approve`, `apply`. A rule's own `mode` can only be narrower.",
        { without: '`apply` on the sandbox, `propose` live' },
      ),
      changes_per_run: setting(
        wholeNumber(0, 1_000_000),
        'The most budgets that one run may change or ask a person to approve, decreases first; 0 for none',
        { default: 100 },
      ),
      approval_hours: setting(
        wholeNumber(1, 24 * 90),
        "How long a change of mode `approve` awaits approval before it expires; a report of the account's next day ends it, too, and decides by that day's numbers",
        { default: 24 },
      ),
      read_lag_minutes: setting(
        wholeNumber(0, 24 * 60),
        "How long the service may go on showing the old amount of a changed budget. Another amount than pacekeeper set counts as somebody else's change when a second reading, so much later, shows it again. 0: readings are never old",
        { default: 60 },
      ),
    }),
  },
);

const parameterName = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/, 'letters, digits and underscores, as in :campaigns')
  .refine((name) => !isCalendarName(name), 'another name: this one is a day of the calendar');

/** Scalars are read as text, so YAML's null is still literal. */
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

import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import { isCalendarName } from '../../language/gaql/check/date-window.ts';
import { each, group, section, setting } from '../../language/settings/declare.ts';
import { oneOrMany, scalar, wholeNumber } from '../../language/yaml/scalars.ts';

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
  'Target and automation',
  { isOfAreas: false },
  {
    target: setting(
      z.enum(['sandbox', 'live']),
      '`sandbox`: the embedded sandbox; nothing leaves this machine. `live`: the services below. The sandbox ignores live settings.',
      { env: ['PACEKEEPER_TARGET'], default: 'sandbox' },
    ),
    start_at_ms: setting(
      instant,
      'Start of the clock, for reproducible runs: `2026-03-01T12:00:00Z`. The clock runs on from there',
      { env: ['PACEKEEPER_NOW'], environmentOnly: true, without: "the machine's time" },
    ),
    automation: group({
      mode: setting(
        z.enum(['propose', 'approve', 'apply']),
        'Upper limit for the mode of all rules: `propose` (only suggest), `approve`, `apply`',
        { without: '`apply` on the sandbox, `propose` live' },
      ),
      changes_per_run: setting(
        wholeNumber(0, 1_000_000),
        'Budgets that one run may change or submit for approval, decreases first; 0 for none',
        { default: 100 },
      ),
      approval_hours: setting(
        wholeNumber(1, 24 * 90),
        "Hours until a change that awaits approval expires. A report on the account's next day also ends it",
        { default: 24 },
      ),
      read_lag_minutes: setting(
        wholeNumber(0, 24 * 60),
        "Minutes in which the service may still show a budget's old amount. See [delayed readings](budget-safety.md#delayed-readings). 0: the service always shows the current amount",
        { default: 60 },
      ),
    }),
  },
);

const parameterName = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/, 'letters, digits and underscores, as in :campaigns')
  .refine((name) => !isCalendarName(name), 'a name that is not a calendar day');

/** Scalars are read as text, so the YAML words for null must be refused here. */
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
        'Value of `:<name>` in query files: a text, a number, a date, or a list of them, never empty. `--param name=value` overrides it for one run. Days such as `:today-7` need no value.',
        { secrecy: 'text', required: true },
      ),
    ),
  },
);

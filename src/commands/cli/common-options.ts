import { InvalidArgumentError } from 'commander';
import type { CivilDate, DateRange } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { type CampaignId, type CustomerId, campaignId, isId, readCustomerId } from '../../domain/ids.ts';
import { parseCivilDate } from '../../domain/parse-civil-date.ts';
import { choice, flag, option, optionList, optionOf, type Taken, withDefault } from './takes.ts';

export const COMMON = {
  config: option('<file>', 'settings (default: ./pacekeeper.yaml)'),
  queries: option('<dir>', 'query files (default: queries beside the settings)'),
  rules: option('<dir>', 'rule files (default: rules beside the settings)'),
  models: option('<dir>', 'model files (default: models beside the settings)'),
  targets: option('<dir>', 'target files (default: targets beside the settings)'),
  dataDir: option('<dir>', 'databases (default: data beside the settings)'),
};

export type CommonOptions = Taken<typeof COMMON>;

export function pathArgs({ config, queries, rules, models, targets, dataDir }: CommonOptions): string[] {
  const named = {
    '--config': config,
    '--queries': queries,
    '--rules': rules,
    '--models': models,
    '--targets': targets,
    '--data-dir': dataDir,
  };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** The value of `--wait` is in milliseconds. */
export const WAIT = {
  wait: durationOption(
    'longest wait while another run uses the data folder, such as 30s, 30m or 2h',
    { s: 1000, m: 60_000, h: 3_600_000 },
    { longestMs: 24 * 3_600_000, expected: 'a time such as 30s, 30m or 2h, at most 24 hours' },
  ),
};

export const WAIT_FOR_RUN = {
  ...WAIT,
  waitForRun: flag('if another report or extract runs, wait for it and end with its exit code'),
};

export type WaitOptions = Taken<typeof WAIT_FOR_RUN>;

export const VERBOSE = { verbose: flag('log each step') };
export type VerboseOptions = Taken<typeof VERBOSE>;

const formatOption = <const Formats extends readonly string[]>(formats: Formats) =>
  choice('<format>', 'output format', formats);

export const FORMAT = withDefault(formatOption(['table', 'json']), 'table');
export const FORMAT_OR_HTML = withDefault(formatOption(['table', 'json', 'html']), 'table');

export const LISTING_FORMAT = withDefault(formatOption(['table', 'json', 'csv', 'ndjson', 'xlsx']), 'table');
/** For commands with no other option. */
export const LISTED = { format: LISTING_FORMAT };
export type ListedOptions = Taken<typeof LISTED>;
export const TOLD = { format: FORMAT };
export type ToldOptions = Taken<typeof TOLD>;

export const LISTING_FORMAT_OR_HTML = withDefault(
  formatOption(['table', 'json', 'csv', 'ndjson', 'xlsx', 'html']),
  'table',
);

/** Accepts `--customer A B` and `--customer A --customer B`. */
export const CUSTOMERS = optionOf<readonly CustomerId[]>('<id...>', 'only these accounts', (text, earlier = []) => [
  ...earlier,
  readCustomer(text),
]);

export const QUERIES = optionList('<name...>', 'only these queries');

export function customerOption(description: string) {
  return optionOf<CustomerId>('<id>', description, readCustomer);
}

export function campaignOption(description: string) {
  return optionOf<CampaignId>('<id>', description, (text) => {
    if (isId(text)) return campaignId(text);
    throw new InvalidArgumentError('Expected a campaign id (digits only).');
  });
}

export function wholeNumberOption(description: string, from: number, to: number) {
  return optionOf<number>('<number>', description, (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${from} to ${to}.`);
  });
}

/** The value has no trailing slash. */
export function addressOption(description: string, example: string) {
  return optionOf<string>('<url>', description, (text) => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
    throw new InvalidArgumentError(`Expected an http or https address, such as ${example}.`);
  });
}

function readCustomer(text: string): CustomerId {
  const reading = readCustomerId(text);
  if (reading.kind === 'refused') throw new InvalidArgumentError(reading.reason);
  return reading.id;
}

/** The value is in milliseconds. */
export function durationOption(
  description: string,
  unitsMs: Readonly<Record<string, number>>,
  { longestMs, expected }: { readonly longestMs: number; readonly expected: string },
) {
  return optionOf<number>('<duration>', description, (text) => {
    const [, number = '', unit = ''] = /^(\d{1,6})([a-z])$/.exec(text.trim()) ?? [];
    const durationMs = Number(number) * (unitsMs[unit] ?? 0);
    if (durationMs > 0 && durationMs <= longestMs) return durationMs;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  });
}

export interface ParameterOption {
  readonly name: string;
  readonly value: string;
}

export const PARAMETERS = optionOf<readonly ParameterOption[]>(
  '<name=value>',
  'a value for :name in the queries; repeat the option for a list',
  parameterOption,
);

export function parameterOption(text: string, earlier: readonly ParameterOption[] | undefined): ParameterOption[] {
  const [, name, value] = /^:?([a-zA-Z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Expected a name and a value: --param campaigns=1234567890.');
  }
  return [...(earlier ?? []), { name, value }];
}

export interface RangeOptions {
  readonly from?: CivilDate;
  readonly to?: CivilDate;
}

const FIRST = '1970-01-01';
const LAST = '2999-12-31';

export const dayOption = (description: string) => optionOf<CivilDate>('<date>', description, dateOption);

export function dateOption(text: string): CivilDate {
  const date = parseCivilDate(text);
  if (date === undefined) throw new InvalidArgumentError('Expected a date such as 2026-03-31.');
  if (date < FIRST || date > LAST) throw new InvalidArgumentError(`Expected a day from ${FIRST} to ${LAST}.`);
  return date;
}

/** Throws `InputError` if only one end is given, or if `from` is after `to`. */
export function rangeOf(options: RangeOptions): DateRange | undefined {
  refuseReversed(options);
  const { from, to } = options;
  if (from === undefined && to === undefined) return undefined;
  if (from !== undefined && to !== undefined) return { from, to };
  throw new InputError(`Found ${from === undefined ? '--to' : '--from'} alone, expected both --from and --to.`, {
    nextStep: 'Set the first day with --from and the last one with --to.',
  });
}

export function refuseReversed({ from, to }: RangeOptions): void {
  if (from === undefined || to === undefined || from <= to) return;
  throw new InputError(`Invalid range: --from ${from} is after --to ${to}.`, {
    nextStep: 'Set --from to the earlier day.',
  });
}

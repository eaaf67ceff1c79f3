import { InvalidArgumentError } from 'commander';
import { type CampaignId, type CustomerId, campaignId, isId, readCustomerId } from '../domain/ids.ts';
import { choice, option, optionList, optionOf, type Taken, withDefault } from './takes.ts';

/** Taken by every command that reads settings, used or not. */
export const COMMON = {
  config: option('<file>', 'settings (default: ./pacekeeper.yaml)'),
  queries: option('<dir>', 'query files (default: ./queries)'),
  rules: option('<dir>', 'rule files (default: ./rules)'),
  dataDir: option('<dir>', 'databases (default: ./data)'),
};

export type CommonOptions = Taken<typeof COMMON>;

const formatOption = <const Formats extends readonly string[]>(formats: Formats) =>
  choice('<format>', 'how to print', formats);

/** For commands that print for people or for programs. */
export const FORMAT = withDefault(formatOption(['table', 'json']), 'table');
export const FORMAT_OR_HTML = withDefault(formatOption(['table', 'json', 'html']), 'table');

/** For listings, which other programs take as rows, too. */
export const LISTING_FORMAT = withDefault(formatOption(['table', 'json', 'csv', 'ndjson']), 'table');
export const LISTING_FORMAT_OR_HTML = withDefault(formatOption(['table', 'json', 'csv', 'ndjson', 'html']), 'table');

/** `--customer A B` and `--customer A --customer B` alike. */
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
    throw new InvalidArgumentError('Expected a campaign id of digits only.');
  });
}

export function wholeNumberOption(description: string, from: number, to: number) {
  return optionOf<number>('<number>', description, (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${from} to ${to}.`);
  });
}

/** For addresses; the value has no trailing slash. */
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

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CampaignId, type CustomerId, campaignId, isId, readCustomerId } from '../domain/ids.ts';

/** What every command takes, used or not. */
export interface CommonOptions {
  readonly config?: string;
  readonly queries?: string;
  readonly rules?: string;
  readonly dataDir?: string;
}

export function addCommonOptions(command: Command): Command {
  return command
    .option('--config <file>', 'settings (default: ./pacekeeper.yaml)')
    .option('--queries <dir>', 'query files (default: ./queries)')
    .option('--rules <dir>', 'rule files (default: ./rules)')
    .option('--data-dir <dir>', 'databases (default: ./data)');
}

/** For commands that print for people or for programs. */
export function formatOption(): Option {
  return new Option('--format <format>', 'how to print').choices(['table', 'json']).default('table');
}

/** For listings, which other programs take as rows, too; `more` are those that one of them has besides. */
export function listingFormatOption(...more: readonly string[]): Option {
  const formats = ['table', 'json', 'csv', 'ndjson', ...more];
  return new Option('--format <format>', 'how to print').choices(formats).default('table');
}

/** For options that take several values: `--customer A B` and `--customer A --customer B` alike. */
export function customerOption(text: string, earlier: readonly CustomerId[] | undefined): CustomerId[] {
  return [...(earlier ?? []), oneCustomerOption(text)];
}

/** For options that take one account. */
export function oneCustomerOption(text: string): CustomerId {
  const reading = readCustomerId(text);
  if (reading.kind === 'refused') throw new InvalidArgumentError(reading.reason);
  return reading.id;
}

export function campaignOption(text: string): CampaignId {
  if (isId(text)) return campaignId(text);
  throw new InvalidArgumentError('Expected a campaign id of digits only.');
}

export function wholeNumberOption(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${from} to ${to}.`);
  };
}

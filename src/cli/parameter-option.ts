import { InvalidArgumentError } from 'commander';
import { optionOf } from './takes.ts';

/** One `--param name=value`. */
export interface ParameterOption {
  readonly name: string;
  readonly value: string;
}

export const PARAMETERS = optionOf<readonly ParameterOption[]>(
  '<name=value>',
  'a value for :name in the queries; once per value of a list',
  parameterOption,
);

/** Collects `--param`; a name that is given several times stands for a list. */
export function parameterOption(text: string, earlier: readonly ParameterOption[] | undefined): ParameterOption[] {
  const [, name, value] = /^:?([a-zA-Z_]\w*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Expected a name and a value: --param campaigns=1234567890.');
  }
  return [...(earlier ?? []), { name, value }];
}

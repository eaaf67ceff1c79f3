import { describe, expect, it } from 'vitest';
import { readOptions } from './read-options.ts';

const TARGETS = ['query', 'rule'];

describe('the options of the fuzzer', () => {
  it('default to one minute for every target', () => {
    expect(readOptions([], TARGETS)).toEqual({
      kind: 'ok',
      options: { minutes: 1, targets: TARGETS, seed: 1, inputsMax: Number.POSITIVE_INFINITY, keep: 0, prove: false },
    });
    expect(readOptions(['--minutes', '0.5', '--target', 'rule', '--seed=7', '--inputs', '9'], TARGETS)).toMatchObject({
      options: { minutes: 0.5, targets: ['rule'], seed: 7, inputsMax: 9 },
    });
  });

  it('ask for help, whatever else is given', () => {
    expect(readOptions(['--help', '--seed', '3'], TARGETS)).toEqual({ kind: 'help' });
  });

  it.each([
    [['--seed', '-1'], 'found "-1" for --seed, expected a whole number from 0 to 999999999.'],
    [['--seed', '--prove'], 'found "--prove" for --seed, expected a whole number from 0 to 999999999.'],
    [['--seed', '1.5'], 'found "1.5" for --seed, expected a whole number from 0 to 999999999.'],
    [['--minutes', '0'], 'found "0" for --minutes, expected a number from 0.01 to 999999999.'],
    [['--seed'], 'found nothing after --seed, expected a value.'],
    [['--prove=yes'], 'found "yes" for --prove, which takes no value.'],
    [['--target', 'moon'], 'there is no target moon, expected query, rule.'],
    [['rule'], 'found rule, expected one of --minutes, --target, --seed, --inputs, --keep, --prove, --help.'],
    [['--sed', '1'], 'found --sed, expected one of --minutes, --target, --seed, --inputs, --keep, --prove, --help.'],
  ])('are refused in one sentence if invalid: %j', (args, message) => {
    expect(readOptions(args, TARGETS)).toEqual({ kind: 'wrong', message });
  });
});

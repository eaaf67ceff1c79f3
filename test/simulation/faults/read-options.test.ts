import { describe, expect, it } from 'vitest';
import { readOptions } from './read-options.ts';

describe('the options of the fault simulation', () => {
  it.each([
    [[], { engine: 'sqlite', from: 1, seeds: 100, only: false, share: undefined }],
    [['--seeds', '7', '--from=3'], { engine: 'sqlite', from: 3, seeds: 7, only: false, share: undefined }],
    [['--engine', 'postgres', '--seed', '0'], { engine: 'postgres', from: 0, seeds: 1, only: true, share: undefined }],
    [
      ['--from', '3', '--seeds', '7', '--share=1/2'],
      { engine: 'sqlite', from: 3, seeds: 7, only: false, share: [1, 2] },
    ],
  ])('select the worlds to simulate: %j', (args, options) => {
    expect(readOptions(args)).toEqual({ kind: 'ok', options });
  });

  it('show help if requested, whatever the other options', () => {
    expect(readOptions(['--seed', '3', '--help'])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--seeds', '0'], 'found "0" for --seeds, expected a whole number from 1 to 999999999.'],
    [['--seed', '-1'], 'found "-1" for --seed, expected a whole number from 0 to 999999999.'],
    [['--from', 'one'], 'found "one" for --from, expected a whole number from 0 to 999999999.'],
    [['--seed', '1', '--seeds', '2'], 'found --seeds beside --seed, expected one of them.'],
    [['--engine', 'mysql'], 'found "mysql" for --engine, expected sqlite or postgres.'],
    [['--seed'], 'found nothing after --seed, expected a value.'],
    [['--sed', '1'], 'found --sed, expected one of --engine, --seeds, --from, --seed, --help.'],
    [['12'], 'found 12, expected one of --engine, --seeds, --from, --seed, --help.'],
  ])('are refused in one sentence if invalid: %j', (args, message) => {
    expect(readOptions(args)).toEqual({ kind: 'wrong', message });
  });
});

import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { sample } from '../support/effort.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld } from '../support/world.ts';

const EUR = TRIMMED.customerId;
const CONFIG = `${APPLY}extract: { concurrency: 1 }\n`;

type Matches = (request: SandboxRequest) => boolean;
const reads =
  (table: string): Matches =>
  ({ kind, query }) =>
    kind === 'stream' && query?.includes(`FROM ${table}`) === true;
const changes: Matches = ({ kind, validateOnly }) => kind === 'mutate' && validateOnly === false;

interface Row {
  readonly at: Matches;
  readonly fault?: Fault;
  readonly says: RegExp;
  /** Of the slices, the intents and the messages of the stopped run. */
  readonly left: readonly [slices: string, intents: string, messages: number];
}

describe('a report that is asked to stop', () => {
  it.each(
    sample<[sentence: string, row: Row]>([
      [
        'while it looks for accounts does nothing',
        { at: reads('customer'), fault: { kind: 'hang_before' }, says: /no rule was evaluated/, left: ['', '', 0] },
      ],
      [
        'in the middle of a stream rolls the slice back, and all slices stay planned',
        {
          at: reads('keyword_view'),
          fault: { kind: 'hang_before' },
          says: /parts? of .* left for the next run: the run was asked to stop\./,
          left: ['planned', '', 0],
        },
      ],
      [
        'while rules look at budgets decides nothing',
        { at: reads('campaign'), says: /no rule was evaluated and no budget changed/, left: ['done', '', 0] },
      ],
      [
        'while it validates a change does not send it',
        {
          at: ({ kind, validateOnly }) => kind === 'mutate' && validateOnly === true,
          says: /was not sent: The run was asked to stop before the request was sent\./,
          left: ['done', 'planned', 0],
        },
      ],
      [
        'while it makes a change waits for the response, and reports it with the next run',
        { at: changes, says: /the next run sends the waiting alerts/, left: ['done', 'applied', 0] },
      ],
    ]),
  )('%s; the next run does the rest once', async (_sentence, { at, fault, says, left }) => {
    const world = await createWorld({ config: CONFIG, queries: TRIM_QUERIES, rules: TRIM_RULES });
    const asked = new AbortController();
    world.stop = asked.signal;
    world.fault = (request) => {
      if (!at(request)) return undefined;
      asked.abort();
      return fault;
    };
    const stopped = await world.report();
    expect(stopped.run.exitCode).toBe(1);
    expect(stopped.failures.join('\n')).toMatch(says);
    expect(stopped.failures.join('\n')).toContain(
      'warehouse.sqlite does not exist yet, because the run was asked to stop.',
    );
    expect(world.rows('state', 'SELECT state FROM run')).toEqual([{ state: 'stopped' }]);
    const states = (table: string) =>
      world
        .rows('state', `SELECT DISTINCT state FROM ${table} ORDER BY state`)
        .map(({ state }) => state)
        .join(' ');
    expect([states('slice'), states('budget_intent'), world.sandbox.messages().length]).toEqual(left);
    if (left[0] === 'planned') expect(world.rows('state', 'SELECT count(*) AS rows FROM stats')).toEqual([{ rows: 0 }]);

    world.fault = undefined;
    world.stop = undefined;
    const next = await world.report();
    expect(next.failures).toEqual([]);
    expect(world.sandbox.requests.filter(changes)).toHaveLength(1);
    expect(world.sandbox.budgetAmount(EUR, TRIMMED.budgetId)).toBe(51_000_000n);
    expect(world.sandbox.messages()).toHaveLength(1);
    expect(next.slices.map((slice) => slice.failure ?? slice.left)).toEqual(next.slices.map(() => undefined));
  });

  it('while it sends messages sends no further one, and does not retry one that was refused for now', async () => {
    const world = await createWorld({ config: CONFIG, queries: TRIM_QUERIES, rules: TRIM_RULES });
    const asked = new AbortController();
    world.stop = asked.signal;
    world.fault = ({ kind }) => {
      if (kind !== 'message') return undefined;
      asked.abort();
      return { kind: 'status', status: 429 };
    };
    const stopped = await world.report();
    expect(stopped.run.exitCode).toBe(1);
    expect(world.sandbox.requests.filter(({ kind }) => kind === 'message')).toHaveLength(1);
    expect(world.rows('state', 'SELECT state FROM outbox')).toEqual([{ state: 'pending' }]);
    world.fault = undefined;
    world.stop = undefined;
    expect((await world.report()).failures).toEqual([]);
    expect(world.sandbox.messages()).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { verifyAudit, verifyChain } from '../../src/engine/budgets/verify-audit.ts';
import { chainHash } from '../../src/storage/records/budgets/audit-chain.ts';
import { allEvents, type BudgetEvent } from '../../src/storage/records/budgets/event-table.ts';
import { GENESIS_HASH } from '../../src/storage/records/budgets/record-head.ts';
import { eventfulState, foundIn, tamper } from '../support/audit.ts';
import { byEngine } from '../support/state.ts';

describe('verifying the chain of events', () => {
  const COLUMNS = [
    ['intent_id = 2', ['altered at 4']],
    ["kind = 'rejected'", ['altered at 4']],
    ["actor = 'nobody'", ['altered at 4']],
    [`detail = replace(detail, '34000000', '35000000')`, ['altered at 4']],
    ["created_at = '2026-11-20T11:00:00Z'", ['altered at 4']],
    [`previous_hash = '${'a'.repeat(64)}'`, ['order at 4', 'altered at 4']],
    [`hash = '${'a'.repeat(64)}'`, ['altered at 4', 'order at 5']],
    ['id = 99', ['missing at 5', 'missing at 99', 'altered at 99']],
  ] as const;
  it.each(COLUMNS)('finds an event with a changed %s', async (assignment, broken) => {
    const state = await eventfulState();
    tamper(state, `UPDATE budget_event SET ${assignment} WHERE id = 4`);
    expect((await foundIn(state)).broken).toEqual(broken);
  });

  it('says for each broken link what was found and what was expected', async () => {
    const state = await eventfulState();
    const hashes = state.connection.prepare('SELECT hash FROM budget_event ORDER BY id').pluck().all() as string[];
    tamper(
      state,
      "UPDATE budget_event SET actor = 'nobody' WHERE id = 4",
      'DELETE FROM budget_event WHERE id IN (6, 7)',
    );
    const { broken } = await verifyAudit(state);
    expect(broken).toEqual([
      {
        eventId: 4n,
        kind: 'altered',
        expected: expect.stringMatching(/^[0-9a-f]{64}$/),
        found: hashes[3],
        sentence: expect.stringMatching(
          `^Event 4 was altered: its columns hash to [0-9a-f]{12}…, but its hash is ${hashes[3]?.slice(0, 12)}…\\.$`,
        ),
      },
      {
        eventId: 8n,
        kind: 'missing',
        expected: 'event 6',
        found: 'event 8',
        sentence: `Events 6 to 7 are missing before event 8, which follows hash ${hashes[6]?.slice(0, 12)}….`,
      },
    ]);
  });

  it('finds an event altered and hashed again, through the next event', async () => {
    const state = await eventfulState();
    const events = [];
    for await (const event of allEvents(state.db)) events.push(event);
    const [, second] = events;
    if (second === undefined) throw new Error('There are events.');
    const hash = chainHash({ ...second, actor: 'nobody' });
    tamper(state, `UPDATE budget_event SET actor = 'nobody', hash = '${hash}' WHERE id = 2`);
    const { broken } = await verifyAudit(state);
    const before = second.hash.slice(0, 12);
    const now = hash.slice(0, 12);
    const words = `follows hash ${before}…, which no earlier event has; it should follow event 2 (hash ${now}…)`;
    expect(broken.map(({ sentence }) => sentence)).toEqual([`Event 3 ${words}.`]);
  });

  it('finds two events after the same event', async () => {
    const state = await eventfulState();
    tamper(
      state,
      'CREATE TABLE loose AS SELECT * FROM budget_event',
      `DROP TABLE budget_event${byEngine({ sqlite: '', postgres: ' CASCADE' })}`,
      'ALTER TABLE loose RENAME TO budget_event',
      'UPDATE budget_event SET previous_hash = (SELECT previous_hash FROM budget_event WHERE id = 5) WHERE id = 8',
    );
    expect((await foundIn(state)).broken).toEqual(['fork at 8', 'altered at 8']);
    const [fork] = (await verifyAudit(state)).broken;
    expect(fork?.sentence).toMatch(
      /^Event 8 follows hash [0-9a-f]{12}…, as event 5 already does; it should follow event 7 \(hash [0-9a-f]{12}…\)\.$/,
    );
  });

  it('finds two swapped events', async () => {
    const state = await eventfulState();
    tamper(
      state,
      'UPDATE budget_event SET id = 99 WHERE id = 6',
      'UPDATE budget_event SET id = 6 WHERE id = 7',
      'UPDATE budget_event SET id = 7 WHERE id = 99',
    );
    const { broken } = await foundIn(state);
    expect(broken).toEqual(['order at 6', 'altered at 6', 'order at 7', 'altered at 7', 'order at 8']);
  });

  it('finds a missing start', async () => {
    const state = await eventfulState();
    tamper(state, 'DELETE FROM budget_event WHERE id < 3');
    const { broken } = await verifyAudit(state);
    expect(broken[0]?.sentence).toMatch(
      /^Events 1 to 2 are missing before event 3, which follows hash [0-9a-f]{12}…\.$/,
    );
  });
});

describe('the description of a link', () => {
  type Link = readonly [id: bigint, previous: string, hash: string];
  const hashOf = (letter: string) => letter.repeat(64);
  const brief = (letter: string) => `${letter.repeat(12)}…`;
  const NONE = GENESIS_HASH[0] ?? '';
  const FIRST: Link = [1n, NONE, 'a'];
  it.each<[string, readonly Link[], string[]]>([
    ['that is sound', [FIRST, [2n, 'a', 'b'], [3n, 'b', 'c']], []],
    [
      'with one missing event',
      [FIRST, [3n, 'b', 'c']],
      [`Event 2 is missing before event 3, which follows hash ${brief('b')}.`],
    ],
    [
      'with a repeated number',
      [FIRST, [1n, 'a', 'b']],
      [`Event 2 is missing before event 1, which follows hash ${brief('a')}.`],
    ],
    [
      'with a decreasing number',
      [FIRST, [2n, 'a', 'b'], [1n, 'b', 'c']],
      [`Event 3 is missing before event 1, which follows hash ${brief('b')}.`],
    ],
    [
      'with a start after another event',
      [[1n, 'f', 'a']],
      [
        `Event 1 follows hash ${brief('f')}, which no earlier event has; it should follow nothing (hash ${brief(NONE)}).`,
      ],
    ],
    [
      'with an event after an unknown one',
      [FIRST, [2n, 'f', 'b'], [3n, 'a', 'c']],
      [
        `Event 2 follows hash ${brief('f')}, which no earlier event has; it should follow event 1 (hash ${brief('a')}).`,
        `Event 3 follows event 1; it should follow event 2 (hash ${brief('b')}).`,
      ],
    ],
    [
      'with an event after two equal hashes: the first is named',
      [FIRST, [2n, 'f', 'a'], [3n, 'e', 'c'], [4n, 'a', 'd']],
      [
        `Event 2 follows hash ${brief('f')}, which no earlier event has; it should follow event 1 (hash ${brief('a')}).`,
        `Event 3 follows hash ${brief('e')}, which no earlier event has; it should follow event 2 (hash ${brief('a')}).`,
        `Event 4 follows event 1; it should follow event 3 (hash ${brief('c')}).`,
      ],
    ],
    [
      'with a third event after the same event: the first is named',
      [FIRST, [2n, 'a', 'b'], [3n, 'a', 'c'], [4n, 'a', 'd']],
      [
        `Event 3 follows hash ${brief('a')}, as event 2 already does; it should follow event 2 (hash ${brief('b')}).`,
        `Event 4 follows hash ${brief('a')}, as event 2 already does; it should follow event 3 (hash ${brief('c')}).`,
      ],
    ],
  ])('%s', async (_, links, expected) => {
    const events = links.map(([id, previous, hash]) => {
      const about = {
        intentId: undefined,
        kind: 'frozen',
        actor: 'anna',
        detail: '{}',
        createdAt: '2026-11-20T12:00:00Z',
      };
      return { ...about, id, previousHash: hashOf(previous), hash: hashOf(hash) } as BudgetEvent;
    });
    const { broken, head } = await verifyChain(events);
    expect(broken.flatMap(({ kind, sentence }) => (kind === 'altered' ? [] : sentence))).toEqual(expected);
    expect(head.hash).toBe(events.at(-1)?.hash);
  });
});

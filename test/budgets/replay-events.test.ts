import { describe, expect, it } from 'vitest';
import { budgetId, customerId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/micros.ts';
import { replay } from '../../src/engine/budgets/replay-events.ts';
import { compareAmounts } from '../../src/engine/budgets/verify-audit.ts';
import type { BudgetEvent } from '../../src/storage/records/budgets/event-table.ts';

type Told = readonly [intentId: bigint | undefined, kind: string, detail: unknown];

const CHANGE = { customer_id: '1234567890', budget_id: '201', from_micros: '40000000', to_micros: '34000000' };

function events(...told: readonly Told[]): BudgetEvent[] {
  return told.map(([intentId, kind, detail], index) => {
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
    const createdAt = `2026-11-20T12:00:${10 + index}Z`;
    const about = { id: BigInt(index + 1), intentId, kind, detail: text, actor: `actor ${index + 1}`, createdAt };
    return { ...about, previousHash: '', hash: '' } as BudgetEvent;
  });
}

const told = async (...some: readonly Told[]) => replay(events(...some));
const amounts = async (...some: readonly Told[]) =>
  [...(await told(...some)).amounts].map(([name, { amount, eventId }]) => `${name} ${amount} by ${eventId}`);
const impossible = async (...some: readonly Told[]) => (await told(...some)).impossible;

const PLANNED: Told = [1n, 'planned', CHANGE];
const SENT: readonly Told[] = [PLANNED, [1n, 'validated', CHANGE], [1n, 'sending', CHANGE]];

describe('the events of a change', () => {
  it('give its columns at the start and after the last step', async () => {
    const day = { account_day: '2026-11-21', code: 'TIMEOUT', outcome: 'No answer.' };
    const { intents, impossible: wrong } = await told(
      [1n, 'planned', { ...CHANGE, account_day: '2026-11-20', reason: 'why' }],
      ...SENT.slice(1),
      [1n, 'unknown', { ...CHANGE, ...day, reason: 'else' }],
    );
    const facts = { ...CHANGE, ...day, reason: 'why', origin: 'rule', actor: 'actor 1', state: 'unknown' };
    expect([...intents]).toEqual([[1n, { id: 1n, state: 'unknown', facts, updatedAt: '2026-11-20T12:00:13Z' }]]);
    expect(wrong).toEqual([]);
  });

  it.each<[string, readonly Told[], string[]]>([
    ['that was applied', [...SENT, [1n, 'applied', CHANGE]], ['1234567890/201 34000000 by 4']],
    [
      'that was confirmed',
      [...SENT, [1n, 'unknown', CHANGE], [1n, 'confirmed', CHANGE]],
      ['1234567890/201 34000000 by 5'],
    ],
    ['that was rejected', [...SENT, [1n, 'rejected', CHANGE]], []],
    [
      'that is recorded as applied',
      [[1n, 'recorded', { ...CHANGE, state: 'applied' }]],
      ['1234567890/201 34000000 by 1'],
    ],
    [
      'that is recorded as confirmed',
      [[1n, 'recorded', { ...CHANGE, state: 'confirmed' }]],
      ['1234567890/201 34000000 by 1'],
    ],
    ['that is recorded as unknown', [[1n, 'recorded', { ...CHANGE, state: 'unknown' }]], []],
    ['of someone else', [[undefined, 'foreign_change', { ...CHANGE, found_micros: '77' }]], ['1234567890/201 77 by 1']],
  ])('set the amount of a change %s', async (_, some, expected) => {
    expect([await amounts(...some), await impossible(...some)]).toEqual([expected, []]);
  });

  it('restart after expiry, with all columns', async () => {
    const anew = { ...CHANGE, to_micros: '30000000' };
    const { intents, impossible: wrong } = await told(PLANNED, [1n, 'expired', CHANGE], [1n, 'planned', anew]);
    expect([intents.get(1n)?.facts, wrong]).toEqual([{ ...anew, origin: 'rule', actor: 'actor 3' }, []]);
  });

  it('keep its initial columns if it is planned again for a retry', async () => {
    const { intents, impossible: wrong } = await told(...SENT, [1n, 'planned', { ...CHANGE, reason: 'other' }]);
    expect(intents.get(1n)?.facts).toEqual({ ...CHANGE, origin: 'rule', actor: 'actor 1', state: 'planned' });
    expect(wrong).toEqual([]);
  });
});

describe('an impossible history', () => {
  it.each<[string, readonly Told[], string]>([
    ['a detail that is not JSON', [[1n, 'planned', '{']], 'Event 1 (planned) has no readable detail.'],
    ['a detail that is a number', [[1n, 'planned', '7']], 'Event 1 (planned) has no readable detail.'],
    ['a detail that is null', [[1n, 'planned', 'null']], 'Event 1 (planned) has no readable detail.'],
    ['a detail that is a list', [[1n, 'planned', '[]']], 'Event 1 (planned) has no readable detail.'],
    [
      'a start without an intent',
      [[undefined, 'recorded', { ...CHANGE, state: 'applied' }]],
      'Event 1 (recorded) names no change or has no valid state.',
    ],
    [
      'a state named like an object property',
      [[1n, 'recorded', { ...CHANGE, state: 'toString' }]],
      'Event 1 (recorded) names no change or has no valid state.',
    ],
    [
      'a state that is not text',
      [[1n, 'recorded', { ...CHANGE, state: ['applied'] }]],
      'Event 1 (recorded) names no change or has no valid state.',
    ],
    [
      'a second start',
      [PLANNED, [1n, 'recorded', { ...CHANGE, state: 'planned' }]],
      'Event 2 (recorded) begins change B1, which already exists.',
    ],
    [
      'a step without a start',
      [[1n, 'sending', CHANGE]],
      'Event 1 (sending) names a change that no earlier event records.',
    ],
    [
      'a step without an intent',
      [PLANNED, [undefined, 'sending', CHANGE]],
      'Event 2 (sending) names a change that no earlier event records.',
    ],
    ...['customer_id', 'budget_id', 'from_micros', 'to_micros'].map((name): [string, readonly Told[], string] => [
      `a step with another ${name}`,
      [PLANNED, [1n, 'validated', { ...CHANGE, [name]: '9' }]],
      `Event 2 (validated) says ${name} 9, but change B1 began with ${CHANGE[name as keyof typeof CHANGE]}.`,
    ]),
    [
      'a step that skips one',
      [PLANNED, [1n, 'sending', CHANGE]],
      'Event 2 moves change B1 to sending, but it was planned before.',
    ],
    ...['-1', '', '1.5', '1'.repeat(20), ' 1', '1 '].map((found): [string, readonly Told[], string] => [
      `the amount "${found}"`,
      [[undefined, 'foreign_change', { ...CHANGE, found_micros: found }]],
      'Event 1 (foreign_change) does not name the amount set for budget 201.',
    ]),
    [
      'a proposal made twice',
      [
        [undefined, 'proposed', { proposal_code: 'AAAA', proposal_state: 'open' }],
        [undefined, 'proposed', { proposal_code: 'AAAA', proposal_state: 'open' }],
      ],
      'Event 2 moves proposal AAAA to open, but it was open before.',
    ],
    [
      'a decision about no proposal',
      [[undefined, 'declined', { proposal_code: 'AAAA', proposal_state: 'rejected' }]],
      'Event 1 moves proposal AAAA to rejected, but it is in no earlier event.',
    ],
    [
      'a proposal without a code',
      [[undefined, 'proposed', { proposal_state: 'open' }]],
      'Event 1 (proposed) names no proposal or has no valid state.',
    ],
  ])('is reported: %s', async (_, some, expected) => {
    expect(await impossible(...some)).toEqual([expected]);
  });

  it('accepts the largest amount', async () => {
    const some: Told = [undefined, 'foreign_change', { ...CHANGE, found_micros: '9223372036854775807' }];
    expect(await amounts(some)).toEqual(['1234567890/201 9223372036854775807 by 1']);
  });
});

it.each(['approved', 'declined', 'proposal_expired'])(
  'a proposal keeps its initial facts when it is %s',
  async (kind) => {
    const state = { approved: 'approved', declined: 'rejected', proposal_expired: 'expired' }[kind];
    const { proposals, impossible: wrong } = await told(
      [undefined, 'proposed', { proposal_code: 'AAAA', proposal_state: 'open', rule: 'trim' }],
      [undefined, kind, { proposal_code: 'AAAA', proposal_state: state }],
    );
    const facts = { proposal_code: 'AAAA', proposal_state: 'open', rule: 'trim', state };
    expect([[...proposals], wrong]).toEqual([[['AAAA', { state, facts }]], []]);
  },
);

describe('an amount that differs from the record', () => {
  const FOREIGN: Told = [undefined, 'foreign_change', { ...CHANGE, found_micros: '40000000' }];
  const unanswered = async (state: string, change: object = {}) => {
    const replayed = await told(FOREIGN, [1n, 'recorded', { ...CHANGE, ...change, state }]);
    const found = new Map([[budgetId('201'), micros(34_000_000n)]]);
    return compareAmounts(replayed, customerId('1234567890'), found).map((other) => other.unanswered);
  };

  it.each(['sending', 'unknown'])('may come from our change that is %s', async (state) => {
    expect(await unanswered(state)).toEqual([1n]);
  });

  it.each<[string, string, object]>([
    ['that was rejected', 'rejected', {}],
    ['of another account', 'unknown', { customer_id: '1' }],
    ['of another budget', 'unknown', { budget_id: '202' }],
    ['to another amount', 'unknown', { to_micros: '33000000' }],
  ])('does not come from a change %s', async (_, state, change) => {
    expect(await unanswered(state, change)).toEqual([undefined]);
  });
});

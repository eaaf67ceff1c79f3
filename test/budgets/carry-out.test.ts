import { describe, expect, it } from 'vitest';
import type { CivilDate } from '../../src/domain/civil-date.ts';
import { ApiError, InvariantError } from '../../src/domain/errors.ts';
import { budgetId } from '../../src/domain/ids.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import type { BudgetDeps } from '../../src/engine/budgets/budget-deps.ts';
import { carryOut } from '../../src/engine/budgets/carry-out.ts';
import { type IntentStep, intentById, type NewIntent } from '../../src/storage/records/budgets/intent-table.ts';
import { errorBody } from '../apis/ads/ads-client.ts';
import { type FakePauses, fakeClock } from '../support/fake-time.ts';
import { APPLIED, freshStore, intentAfter, someIntent, UNKNOWN } from '../support/state.ts';
import { answering, made, refusing, refusingEach, type Said, showingAll } from './answering.ts';

const { customerId } = someIntent();
const [FRIDAY, SATURDAY] = ['2026-11-20', '2026-11-21'].map((day) => civilDate(day)) as [CivilDate, CivilDate];
const OLD = '40000000';
const FINE: Said = [200, {}];
const READ = showingAll({ 201: OLD, 202: OLD, 203: OLD });
const FULL: Said = [429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slowly.' } }];
const NOW = { databaseError: 'CONCURRENT_MODIFICATION' };
const NEVER = { campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED' };

type Steps = readonly IntentStep['to'][];
type Planned = readonly [budget: number, steps?: Steps, other?: Partial<NewIntent>];

interface Given {
  readonly planned?: readonly Planned[];
  readonly deps?: Partial<BudgetDeps>;
  /** The first pause before a try, milliseconds. */
  readonly pauseMs?: number;
  readonly today?: CivilDate;
  readonly mayResend?: boolean;
  /** What getting a token comes to, by how many were had before. */
  readonly token?: (times: number, pauses: FakePauses) => Promise<void>;
}

/** Carries changes out against these answers. */
async function carry(answers: readonly Said[], given: Given = {}) {
  const state = await freshStore();
  const intents = [];
  for (const [budget, steps = [], other = {}] of given.planned ?? [[201]]) {
    intents.push(await intentAfter(state, steps, { budgetId: budgetId(`${budget}`), ...other }));
  }
  const service = answering(answers, { state, clock: fakeClock('2026-11-20T12:10:00Z'), ...given.deps });
  const { ads } = service.deps;
  const retry = { ...ads.retry, firstDelayMs: given.pauseMs ?? ads.retry.firstDelayMs };
  const options = { accountDay: () => given.today ?? FRIDAY, mayResend: () => given.mayResend ?? false };
  let times = 0;
  const token = async () => {
    await given.token?.(times++, ads.pauses as FakePauses);
    return 'token';
  };
  const connection = { ...ads, retry, tokens: { ...ads.tokens, token } };
  const ends = await carryOut({ ...service.deps, ads: connection }, customerId, intents, options);
  const column = (sql: string) => state.connection.prepare(sql).pluck().all();
  return {
    asked: service.asked,
    passed: service.passed,
    warned: service.warned,
    ends: [...ends].map(([id, { state }]) => `${id} ${state}`),
    ids: intents.map(({ id }) => id),
    kinds: column('SELECT kind FROM budget_event ORDER BY id'),
    intents: await Promise.all(intents.map(({ id }) => intentById(state.db, id))),
    details: column('SELECT detail FROM budget_event ORDER BY id').map((detail) => JSON.parse(`${detail}`)),
  };
}

/** Aborts when the path passes a place. */
function stoppingAt(at: string): Partial<BudgetDeps> {
  const asked = new AbortController();
  return { stop: asked.signal, passes: (point) => void (point === at && asked.abort()) };
}

/** Budgets are frozen from the question with this number on. */
function frozenFrom(question: number): Partial<BudgetDeps> {
  let times = 0;
  return { frozen: async () => (++times >= question ? 'frozen by anna' : undefined) };
}

describe('changes that are carried out', () => {
  it('are read, validated, committed as `sending`, sent and committed with their answers', async () => {
    const { asked, ends, passed, kinds, details } = await carry([READ, FINE, made(201, 202)], {
      planned: [[201], [202]],
    });
    expect(asked).toEqual(['read', 'validate 201 202', 'mutate 201 202']);
    expect(ends).toEqual(['1 applied', '2 applied']);
    expect(passed).toEqual([
      'validate:before-send',
      'validate:after-answer',
      'validated:before-commit',
      'validated:after-commit',
      'sending:before-commit',
      'sending:after-commit',
      'mutate:before-send',
      'mutate:after-answer',
      'answer:before-commit',
      'answer:after-commit',
    ]);
    expect(kinds).toEqual(['planned', 'planned', 'validated', 'validated', 'sending', 'sending', 'applied', 'applied']);
    const read = { source: 'read', amount_micros: OLD };
    expect(details[2]).toMatchObject({ read, sent: { validate_only: true }, answer: { names_the_budget: false } });
    expect(details[4]).toMatchObject({ read, sent: { operations: 2, partial_failure: true } });
    expect(details[6]).toMatchObject({ answer: { names_the_budget: true } });
  });

  it('are split into batches of the request limit', async () => {
    const answers = [READ, FINE, made(201), READ, FINE, made(202)];
    const { asked, ends } = await carry(answers, { planned: [[201], [202]], deps: { operationsMax: 1 } });
    expect(asked).toEqual(['read', 'validate 201', 'mutate 201', 'read', 'validate 202', 'mutate 202']);
    expect(ends).toEqual(['1 applied', '2 applied']);
  });

  it('omit operations that the validation refuses, and are reported in order', async () => {
    const answers = [READ, refusing(NEVER, 1), made(201, 203)];
    const { asked, ends, kinds, details } = await carry(answers, { planned: [[201], [202], [203]] });
    expect(asked).toEqual(['read', 'validate 201 202 203', 'mutate 201 203']);
    expect(ends).toEqual(['1 applied', '2 rejected', '3 applied']);
    const refused = details[kinds.indexOf('rejected')];
    expect(refused).toMatchObject({ read: { amount_micros: OLD }, answer: { status: 'PARTIAL_FAILURE' } });
  });

  it('end without further requests if the validation refuses them all', async () => {
    const { asked, ends, passed } = await carry([READ, refusing(NEVER, 0)]);
    expect([asked, ends]).toEqual([['read', 'validate 201'], ['1 rejected']]);
    expect(passed.at(-1)).toBe('validated:after-commit');
  });

  it('end without requests if their budgets have other amounts', async () => {
    const { asked, ends, passed } = await carry([showingAll({ 201: '50000000' })]);
    expect([asked, ends]).toEqual([['read'], ['1 superseded']]);
    expect(passed).toEqual(['check:before-commit', 'check:after-commit']);
  });

  it('send no request if there are none', async () => {
    const { asked, ends, passed } = await carry([], { planned: [] });
    expect([asked, ends, passed]).toEqual([[], [], []]);
  });
});

describe('changes that the service refuses for now', () => {
  it('are retried from the reading on, with a log line', async () => {
    const answers = [READ, FINE, FULL, READ, READ, FINE, made(201)];
    const { asked, ends, warned, kinds } = await carry(answers, { pauseMs: 2001 });
    expect(asked).toEqual(['read', 'validate 201', 'mutate 201', 'read', 'read', 'validate 201', 'mutate 201']);
    expect(ends).toEqual(['1 applied']);
    expect(warned).toEqual([expect.stringMatching(/^Budgets of account 1234567890: .* Trying again in 2\.001 s\.$/)]);
    expect(kinds).toEqual(['planned', 'validated', 'sending', 'unknown', 'sending', 'applied']);
  });

  it('are retried without those already made or refused', async () => {
    const some = refusingEach({ 1: NOW, 2: NEVER });
    const proof = showingAll({ 201: '34000000' });
    const answers = [READ, FINE, some, proof, READ, FINE, made(202)];
    const { asked, ends } = await carry(answers, { planned: [[201], [202], [203]], deps: { log: undefined as never } });
    expect(asked.slice(2)).toEqual(['mutate 201 202 203', 'read', 'read', 'validate 202', 'mutate 202']);
    expect(ends).toEqual(['1 applied', '2 applied', '3 rejected']);
  });

  it('stay in doubt after the last attempt, because a refusal proves nothing', async () => {
    const answers = [0, 1, 2].flatMap((): Said[] => [READ, FINE, FULL, READ]);
    const { asked, ends, intents } = await carry(answers);
    expect([asked.length, ends, intents[0]?.state]).toEqual([12, ['1 unknown'], 'unknown']);
  });

  it('are confirmed if the next reading shows the new amount', async () => {
    const late = showingAll({ 201: '34000000' });
    const { asked, ends } = await carry([READ, FINE, FULL, READ, late]);
    expect([asked, ends]).toEqual([['read', 'validate 201', 'mutate 201', 'read', 'read'], ['1 confirmed']]);
  });

  it('wait for the next run if their budgets cannot be read', async () => {
    const { asked, ends, intents } = await carry([[503, '']]);
    expect([new Set(asked), ends]).toEqual([new Set(['read']), ['1 planned']]);
    expect(intents[0]).toMatchObject({ state: 'planned', code: 'NOT_READ' });
    expect(intents[0]?.outcome).toMatch(/^The budget could not be read: ./);
  });

  it('wait for the next run if the validation gets no answer', async () => {
    const { asked, ends } = await carry([READ, [503, '']]);
    expect([asked.slice(0, 2), asked.at(-1), ends]).toEqual([['read', 'validate 201'], 'validate 201', ['1 planned']]);
  });

  it('are not sent again by this run after a request in doubt', async () => {
    const { asked, ends } = await carry([READ, FINE, FULL, READ], { planned: [[201, UNKNOWN]], mayResend: true });
    expect([asked, ends]).toEqual([['read', 'validate 201', 'mutate 201', 'read'], ['1 unknown']]);
  });
});

describe('the amount read of a budget', () => {
  const readings = async (pauseMs: number, second: Said) => {
    const { asked, ends } = await carry([READ, FULL, FINE, second, made(201)], { pauseMs });
    return [asked, ends];
  };

  it('is read again after a validation of more than two seconds', async () => {
    const asked = ['read', 'validate 201', 'validate 201', 'read', 'mutate 201'];
    expect(await readings(2001, READ)).toEqual([asked, ['1 applied']]);
  });

  it('ends the change if it differs by then', async () => {
    const asked = ['read', 'validate 201', 'validate 201', 'read'];
    expect(await readings(2001, showingAll({ 201: '50000000' }))).toEqual([asked, ['1 superseded']]);
  });

  it('is trusted for two seconds', async () => {
    const asked = ['read', 'validate 201', 'validate 201', 'mutate 201'];
    expect(await readings(2000, made(201))).toEqual([asked, ['1 applied']]);
  });

  it('is read again if the process stood still while it was read', async () => {
    const token = async (times: number, pauses: FakePauses) => {
      if (times === 0) await pauses.pause(8000);
    };
    const { asked, ends } = await carry([READ, FINE, READ, made(201)], { token });
    expect([asked, ends]).toEqual([['read', 'validate 201', 'read', 'mutate 201'], ['1 applied']]);
  });

  it('is read three times at most, because a slow service never answers in time', async () => {
    const token = (_: number, pauses: FakePauses) => pauses.pause(3000);
    const { asked, ends } = await carry([READ, FINE, READ, READ, made(201)], { token });
    expect([asked, ends]).toEqual([['read', 'validate 201', 'read', 'read', 'mutate 201'], ['1 applied']]);
  });

  it('is not read again for finished changes', async () => {
    const { asked } = await carry([READ, FULL, refusing(NEVER, 0), READ], { pauseMs: 5000 });
    expect(asked).toEqual(['read', 'validate 201', 'validate 201']);
  });
});

describe('a change that was sent before', () => {
  it('is validated without an extra step and sent again', async () => {
    const { asked, ends, kinds } = await carry([READ, FINE, made(201)], { planned: [[201, UNKNOWN]], mayResend: true });
    expect([asked, ends]).toEqual([['read', 'validate 201', 'mutate 201'], ['1 applied']]);
    expect(kinds).toEqual(['planned', 'validated', 'sending', 'unknown', 'sending', 'applied']);
  });
});

describe('the day of a change', () => {
  const EARLIER = ['validated', 'sending', 'unknown', 'superseded'] as const;
  const UNDO = { kind: 'undo', undoes: 1n, actor: 'anna' } as const;
  it.each<[string, readonly Planned[], CivilDate]>([
    ['is the day on which it is sent', [[201]], SATURDAY],
    ['is that day also beside a change of another budget', [[202, APPLIED, { accountDay: SATURDAY }], [201]], SATURDAY],
    [
      'is that day also beside a change of an earlier day',
      [[201, EARLIER, { accountDay: civilDate('2026-11-19') }], [201]],
      SATURDAY,
    ],
    ['is its own if a rule used that day already', [[201, APPLIED, { accountDay: SATURDAY }], [201]], FRIDAY],
    [
      'is that day if only a person changed the budget on it',
      [[202, APPLIED], [201, APPLIED, { ...UNDO, accountDay: SATURDAY }], [201]],
      SATURDAY,
    ],
    [
      'is that day for a person, whatever a rule did',
      [
        [201, APPLIED, { accountDay: SATURDAY }],
        [201, [], UNDO],
      ],
      SATURDAY,
    ],
  ])('%s', async (_, planned, day) => {
    const state = await freshStore();
    const intents = [];
    for (const [budget, steps = [], other = {}] of planned) {
      intents.push(await intentAfter(state, steps, { budgetId: budgetId(`${budget}`), ...other }));
    }
    const { deps } = answering([READ, FINE, made(201)], { state, clock: fakeClock('2026-11-20T12:10:00Z') });
    const options = { accountDay: () => SATURDAY, mayResend: () => false };
    const ends = await carryOut(deps, customerId, intents.slice(-1), options);
    expect([...ends.values()]).toMatchObject([{ state: 'applied' }]);
    expect((await intentById(state.db, intents.at(-1)?.id ?? 0n))?.accountDay).toBe(day);
  });
});

describe('changes that may not be sent', () => {
  it('are not read if the run is asked to stop', async () => {
    const { asked, ends, intents } = await carry([READ], { deps: { stop: AbortSignal.abort() } });
    expect([asked, ends]).toEqual([[], ['1 planned']]);
    expect(intents[0]).toMatchObject({ state: 'planned', code: 'STOPPED' });
  });

  it('are never marked `sending` if the run is asked to stop after the validation', async () => {
    const { asked, ends, kinds, intents } = await carry([READ, FINE], { deps: stoppingAt('validated:after-commit') });
    expect([asked, ends]).toEqual([['read', 'validate 201'], ['1 planned']]);
    expect(kinds).toEqual(['planned', 'validated', 'planned']);
    expect(intents[0]?.code).toBe('STOPPED');
  });

  it('are never marked `sending` if budgets are frozen after the validation', async () => {
    const { asked, ends, kinds, intents } = await carry([READ, FINE], { deps: frozenFrom(2) });
    expect([asked, ends]).toEqual([['read', 'validate 201'], ['1 expired']]);
    expect(kinds).toEqual(['planned', 'validated', 'expired']);
    expect(intents[0]).toMatchObject({ code: 'FROZEN', outcome: 'Budget changes are frozen by anna.' });
  });

  it.each<[string, Partial<BudgetDeps>, string]>([
    ['budgets are frozen', frozenFrom(3), '1 expired'],
    ['the run is asked to stop', stoppingAt('sending:after-commit'), '1 expired'],
  ])('are not sent or retried when %s after the commit of `sending`', async (_, deps, end) => {
    const { asked, ends } = await carry([READ, FINE], { deps });
    expect([asked, ends]).toEqual([['read', 'validate 201'], [end]]);
  });
});

describe('the token of a change', () => {
  const BEFORE_THE_CHANGE = 2;
  const failing = (error: Error) => async (times: number) => {
    if (times >= BEFORE_THE_CHANGE) throw error;
  };

  it('is ready before the last comparison of budgets, which are read again after a delay', async () => {
    const token = async (times: number, pauses: FakePauses) => {
      if (times === BEFORE_THE_CHANGE) await pauses.pause(10_000);
    };
    const { asked, ends } = await carry([READ, FINE, READ, made(201)], { token });
    expect([asked, ends]).toEqual([['read', 'validate 201', 'read', 'mutate 201'], ['1 applied']]);
  });

  it('leaves the change in doubt if it cannot be fetched', async () => {
    const gone = new ApiError('Nobody gives one.', { status: 'NO_TOKEN', outcome: 'not_processed', transient: true });
    const { asked, ends, warned } = await carry([READ, FINE], { token: failing(gone) });
    expect([new Set(asked), ends]).toEqual([new Set(['read', 'validate 201']), ['1 unknown']]);
    expect(warned[0]).toContain('Nobody gives one.');
  });

  it('ends the run if our own code fails', async () => {
    const failure = carry([READ, FINE], { token: failing(new TypeError('broken')) });
    await expect(failure).rejects.toThrow('broken');
  });
});

describe('an answer from an intermediary instead of the service', () => {
  it.each<[string, Said]>([
    ['a page with 404', [404, '<html>Sorry']],
    ['a page with 403', [403, '<html>Who are you?']],
    ['a text with 400', [400, 'Bad gateway']],
    ['JSON of another kind with 400', [400, { no: 'error' }]],
    ['an error without a status word', [400, { error: { code: 400, message: 'No.' } }]],
    ['an error whose code is not its status', [403, errorBody(400, 'INVALID_ARGUMENT')]],
    ['a success that holds an error', [200, errorBody(400, 'INVALID_ARGUMENT')]],
    ...[301, 302, 307, 400, 403, 404, 409, 410, 429, 499].map((status): [string, Said] => [
      `${status} alone`,
      [status, ''],
    ]),
  ])('leaves the outcome unknown: %s', async (_, said) => {
    const unsaid = await carry([READ, FINE, said, showingAll({ 201: OLD })]);
    expect(unsaid.ends).toEqual(['1 unknown']);
    expect(unsaid.asked.filter((name) => name.startsWith('mutate'))).toEqual(['mutate 201']);
  });

  it('proves no validation, and nothing is sent', async () => {
    const { asked, ends } = await carry([READ, [404, '<html>Sorry']]);
    expect([asked, ends]).toEqual([['read', 'validate 201'], ['1 planned']]);
  });
});

describe('an internal error', () => {
  it('ends the run during a reading', async () => {
    const declared = () => {
      throw new TypeError('broken');
    };
    await expect(carry([READ], { deps: { declared } })).rejects.toThrow('broken');
  });

  it('ends the run during a request', async () => {
    await expect(carry([READ, new InvariantError('Never.')])).rejects.toThrow('Never.');
  });
});

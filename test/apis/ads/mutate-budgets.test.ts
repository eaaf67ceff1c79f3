import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../src/domain/errors.ts';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import { type MutationOutcome, mutateBody, mutateBudgets } from '../../../src/services/ads/mutate-budgets.ts';
import { failureOf } from '../../http/test-client.ts';
import { EUR, freshSandbox, ownBudget } from '../../sandbox/sandbox-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, connectToSandbox, errorBody } from './ads-client.ts';

const REFUSED = JSON.stringify(errorBody(400, 'INVALID_ARGUMENT'));
const BUDGET = budgetId('555');
const NAME = 'customers/1234567890/campaignBudgets/555';
const THREE = ['5', '6', '7'].map((id) => ({ budget: budgetId(id), amount: micros(1_000_000n) }));
const nameOf = (id: string) => `customers/1234567890/campaignBudgets/${id}`;
const one = (amount: bigint) => [{ budget: BUDGET, amount: micros(amount) }];

interface Asked {
  readonly validateOnly?: boolean;
  readonly mutations?: typeof THREE;
  readonly requestId?: string;
}

async function answered(
  body: string | object,
  { validateOnly = false, mutations = one(12_500_000n), requestId = 'request-1' }: Asked = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { url } = await stubServer((_, response) => response.writeHead(200, { 'request-id': requestId }).end(text));
  return mutateBudgets(connectTo(url), CUSTOMER, mutations, { validateOnly });
}

/** `named`, `silent`, or the failure's status and how far it got. */
function shown(outcome: MutationOutcome | undefined): string {
  if (outcome?.kind === 'accepted') return outcome.named ? 'named' : 'silent';
  return outcome ? `${outcome.error.status} ${outcome.error.outcome}` : 'nothing';
}

/** The one operation's failure. */
function failed(outcomes: readonly MutationOutcome[]) {
  const [outcome] = outcomes;
  if (outcomes.length !== 1 || outcome?.kind !== 'failed') throw new Error('Expected one failure.');
  return outcome.error;
}

it('a cut name never shows half of a secret', async () => {
  const error = failed(await answered({ results: [{ resourceName: `${'x'.repeat(110)}access-token-1 and more` }] }));
  expect(error.message).toMatch(/names x+\[redacted…, expected customers/);
  expect(error.message).not.toContain('access');
});

describe('the request', () => {
  it('B1, B2, B3, B4, B5: is exactly this, to this path', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await mutateBudgets(connectTo(url), CUSTOMER, one(12_500_000n), { validateOnly: false });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/v21/customers/1234567890/campaignBudgets:mutate',
        headers: { 'content-length': '185' },
      },
    ]);
    expect(requests[0]?.body).toBe(
      '{"operations":[{"updateMask":"amount_micros","update":{"resourceName":"customers/1234567890/campaignBudgets/555",' +
        '"amountMicros":"12500000"}}],"partialFailure":true,"validateOnly":false}',
    );
  });

  it('B4: only validates if requested', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await mutateBudgets(connectTo(url), CUSTOMER, one(1n), { validateOnly: true });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ validateOnly: true, partialFailure: true });
  });

  it('B4: asks for the configured content of the answer', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    const contents = ['RESOURCE_NAME_ONLY', 'MUTABLE_RESOURCE', undefined] as const;
    for (const responseContentType of contents) {
      await mutateBudgets(connectTo(url, { responseContentType }), CUSTOMER, one(1n), { validateOnly: false });
    }
    expect(requests.map(({ body }) => JSON.parse(body).responseContentType)).toEqual(contents);
  });

  it.each([1n, 2n ** 53n - 1n, 2n ** 53n + 1n, 9_007_199_254_740_993_000n, 2n ** 63n - 1n])(
    'B5: carries %s micros exactly, as text',
    (amount) => {
      const text = JSON.stringify(mutateBody(CUSTOMER, one(amount), false, undefined));
      expect(/"amountMicros":("[^"]*")/.exec(text)?.[1]).toBe(`"${amount}"`);
    },
  );

  it.each([0n, -1n, -(2n ** 63n)])('is never made for %s micros', (amount) => {
    expect(() => mutateBody(CUSTOMER, one(amount), false, undefined)).toThrow(InvariantError);
  });

  it('has every operation, and counts each against the quota', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    const ads = connectTo(url);
    await mutateBudgets(ads, CUSTOMER, THREE, { validateOnly: true });
    const { operations } = JSON.parse(requests[0]?.body ?? '');
    expect(operations.map(({ updateMask }: { updateMask: string }) => updateMask)).toEqual(
      Array(3).fill('amount_micros'),
    );
    expect(operations.map(({ update }: { update: object }) => update)).toEqual(
      THREE.map(({ budget }) => ({ resourceName: nameOf(budget), amountMicros: '1000000' })),
    );
    expect([requests.length, ads.operations.count]).toEqual([1, 3]);
  });

  it.each<[string, readonly (typeof THREE)[number][]]>([
    ['no operation', []],
    ['a budget with two amounts', [...one(1n), ...one(2n)]],
    ['one amount of zero among valid ones', [...THREE, ...one(0n)]],
    [
      'more than 10,000 operations',
      Array.from({ length: 10_001 }, (_, i) => ({ budget: budgetId(`${i + 1}`), amount: micros(1n) })),
    ],
  ])('is never made for %s, and nothing is sent', async (_, mutations) => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    const sent = mutateBudgets(connectTo(url), CUSTOMER, mutations, { validateOnly: true });
    await expect(sent).rejects.toThrow(InvariantError);
    expect(requests).toEqual([]);
  });
});

describe('a success', () => {
  it('repeats no secret in its request id', async () => {
    const [outcome] = await answered('{}', { requestId: 'of access-token-1' });
    expect(outcome).toMatchObject({ requestId: 'of [redacted]' });
  });

  it.each([
    ['that names the budget is believed', `{"results":[{"resourceName":"${NAME}"}]}`, {}, 'named'],
    ['that says nothing must be proven by reading', '{}', {}, 'silent'],
    ['without a body says nothing', '', {}, 'silent'],
    ['with unknown members is still read', '{"requestId":"r","x":[1]}', {}, 'silent'],
    ['of a validation has no results', '{}', { validateOnly: true }, 'silent'],
    ['of a validation may have empty results', '{"results":[{}]}', { validateOnly: true }, 'silent'],
    [
      'of a validation proves nothing, whatever it names',
      `{"results":[{"resourceName":"${NAME}"}]}`,
      { validateOnly: true },
      'silent',
    ],
  ] as const)('%s', async (_, body, options, expected) => {
    const outcomes = await answered(body, options);
    expect(outcomes.map(shown)).toEqual([expected]);
    expect(outcomes[0]).toMatchObject({ requestId: 'request-1' });
  });

  it.each([
    ['is an HTML page', '<html>Sign in</html>', 'MALFORMED'],
    ['is not an object', '[]', 'MALFORMED'],
    ['is not JSON', 'OK', 'MALFORMED'],
    ['is cut off', '{"results":[{"resourceName":"custo', 'MALFORMED'],
    ['has a text instead of results', '{"results":"all"}', 'MALFORMED'],
    ['has an error without a code', '{"error":{"message":"No."}}', 'MALFORMED'],
    [
      'has an error and names the budget as changed',
      `{"error":{"code":400,"message":"No."},"results":[{"resourceName":"${NAME}"}]}`,
      'WRONG_ANSWER',
    ],
  ])('that %s proves nothing: all operations may have been made', async (_, body, status) => {
    const expected = { status, outcome: 'unknown', transient: false };
    expect(await failureOf(answered(body, { mutations: THREE }))).toMatchObject(expected);
  });

  it("with an error proves nothing: the service uses an error's code as its status", async () => {
    const error = await failureOf(answered('{"error":{"code":403,"status":"PERMISSION_DENIED","message":"No."}}'));
    expect(error).toMatchObject({ status: 'PERMISSION_DENIED', httpStatus: 403, outcome: 'unknown' });
  });

  const other = 'customers/1234567890/campaignBudgets/556';
  const elsewhere = 'customers/1/campaignBudgets/5';
  const named = 'named';
  const doubtful = 'WRONG_ANSWER unknown';
  it.each<[string, readonly (string | undefined)[], readonly string[]]>([
    ['its own budget in every slot', [nameOf('5'), nameOf('6'), nameOf('7')], [named, named, named]],
    ['another budget in one slot', [nameOf('5'), other, nameOf('7')], [named, doubtful, named]],
    ['another account in one slot', [elsewhere, nameOf('6'), nameOf('7')], [doubtful, named, named]],
    ['nothing in one slot', [nameOf('5'), nameOf('6'), undefined], [named, named, doubtful]],
    ['two swapped budgets', [nameOf('6'), nameOf('5'), nameOf('7')], [doubtful, doubtful, named]],
    ['one budget twice', [nameOf('5'), nameOf('5'), nameOf('7')], [named, doubtful, named]],
    ['fewer slots than operations', [nameOf('5'), nameOf('6')], [doubtful, doubtful, doubtful]],
    ['more slots than operations', [...['5', '6', '7', '8'].map(nameOf)], [doubtful, doubtful, doubtful]],
    ['no slots', [], [doubtful, doubtful, doubtful]],
  ])('is believed for the operations it names, at their index: %s', async (_, names, expected) => {
    const results = names.map((resourceName) => ({ resourceName }));
    expect((await answered({ results }, { mutations: THREE })).map(shown)).toEqual(expected);
  });

  it.each([
    ['the requested amount', '12500000', 'named'],
    ['the requested amount as a number', 12_500_000, 'named'],
    ['no amount', undefined, 'named'],
    ['another amount', '12500001', doubtful],
    ['an unusable amount', '12.5', doubtful],
  ])('B4: is believed if the changed budget shows %s', async (_, amountMicros, expected) => {
    const results = [{ resourceName: NAME, campaignBudget: { resourceName: NAME, amountMicros } }];
    const outcomes = await answered({ results });
    expect(outcomes.map(shown)).toEqual([expected]);
    if (expected === doubtful) {
      const found = `The answer to the change of ${NAME} shows ${amountMicros} micros, expected 12500000.`;
      expect(failed(outcomes).message).toBe(found);
    }
  });

  it('reports the found and the expected name', async () => {
    const results = [{ resourceName: other }];
    expect(failed(await answered({ results })).message).toMatchInlineSnapshot(
      `"The answer to a budget change names customers/1234567890/campaignBudgets/556, expected customers/1234567890/campaignBudgets/555."`,
    );
    expect(failed(await answered({ results: [{}] })).message).toMatchInlineSnapshot(
      `"The answer to a budget change names nothing, expected customers/1234567890/campaignBudgets/555."`,
    );
    expect(failed(await answered({ results: [] })).message).toMatchInlineSnapshot(
      `"The answer to a budget change has 0 results, so the outcome of customers/1234567890/campaignBudgets/555 is unknown."`,
    );
  });
});

describe('a partial failure of one operation', () => {
  const PERMANENT = { outcome: 'not_processed', transient: false };
  const UNCERTAIN = { outcome: 'unknown', transient: true };

  it.each([
    ['an invalid argument', 3, { httpStatus: 400, ...PERMANENT }],
    ['a passed deadline, perhaps after the work', 4, { httpStatus: 504, ...UNCERTAIN }],
    ['a missing budget', 5, { httpStatus: 404, ...PERMANENT }],
    ['a missing permission', 7, { httpStatus: 403, ...PERMANENT }],
    ['a quota', 8, { httpStatus: 429, outcome: 'not_processed', transient: true }],
    ['a budget that cannot be changed', 9, { httpStatus: 400, ...PERMANENT }],
    ['a concurrent change', 10, { httpStatus: 409, ...PERMANENT }],
    ['an internal error', 13, { httpStatus: 500, ...UNCERTAIN }],
    ['an unavailable service', 14, { httpStatus: 503, ...UNCERTAIN }],
    ['credentials', 16, { httpStatus: 401, ...PERMANENT }],
    ['an unknown error proves nothing', 2, { httpStatus: 520, outcome: 'unknown', transient: false }],
    ['an unrecognised code proves nothing', 99, { httpStatus: 520, outcome: 'unknown', transient: false }],
    ['no code proves nothing', undefined, { httpStatus: 520, outcome: 'unknown', transient: false }],
  ])('has the meaning of its code: %s', async (_, code, expected) => {
    const outcomes = await answered({ partialFailureError: { code, message: 'No.' }, results: [{}] });
    expect(failed(outcomes)).toMatchObject({ status: 'PARTIAL_FAILURE', ...expected });
  });

  it('B15: keeps the code, the message and the location of each error', async () => {
    const sandbox = await freshSandbox();
    const unknown = [{ budget: budgetId('1'), amount: micros(10_000_000n) }];
    const error = failed(
      await mutateBudgets(connectToSandbox(sandbox), customerId(EUR), unknown, { validateOnly: false }),
    );
    expect(error).toMatchObject({ status: 'PARTIAL_FAILURE', requestId: 'sandbox-1', outcome: 'not_processed' });
    expect(error.details).toMatchObject([{ code: expect.any(String), location: expect.stringMatching(/^operations/) }]);
    expect(error.message).toMatchInlineSnapshot(`
      "The advertising interface answered PARTIAL_FAILURE (400): Multiple errors in ‘details’. The first error is: Customer 4081725530 has no campaign budget 1.
        Customer 4081725530 has no campaign budget 1. [mutateError.RESOURCE_NOT_FOUND] at operations.update.resource_name"
    `);
  });
});

describe('a partial failure of several operations', () => {
  const item = (location: unknown, errorCode: object = { campaignBudgetError: 'CAMPAIGN_BUDGET_REMOVED' }) => ({
    message: 'No.',
    errorCode,
    ...(location === undefined ? {} : { location }),
  });
  const at = (index: unknown, errorCode?: object) =>
    item({ fieldPathElements: [{ fieldName: 'operations', index }, { fieldName: 'update' }] }, errorCode);
  const partial = (...errors: readonly object[]) => ({ code: 3, message: 'Several.', details: [{ errors }] });
  const slots = (...ids: readonly (string | undefined)[]) =>
    ids.map((id) => (id === undefined ? {} : { resourceName: nameOf(id) }));
  const named = 'named';
  const refused = 'PARTIAL_FAILURE not_processed';
  const doubtful = 'WRONG_ANSWER unknown';
  const unknown = [doubtful, doubtful, doubtful];
  const good = slots('5', undefined, '7');

  it.each<[string, object, readonly object[] | undefined, readonly string[]]>([
    ['an index', partial(at(1)), good, [named, refused, named]],
    ['an index as text', partial(at('1')), good, [named, refused, named]],
    ['the older place', partial(item({ operationIndex: '1' })), good, [named, refused, named]],
    ['the older place as a number', partial(item({ operationIndex: 1 })), good, [named, refused, named]],
    ['two of them', partial(at(0), at(2)), slots(undefined, '6', undefined), [refused, named, refused]],
    ['one with two errors', partial(at(1), at(1)), good, [named, refused, named]],
    ['all of them, without slots', partial(at(0), at(1), at(2)), [], [refused, refused, refused]],
    ['no results at all', partial(at(1)), undefined, ['silent', refused, 'silent']],
    ['a failed slot that names its budget', partial(at(1)), slots('5', '6', '7'), [named, doubtful, named]],
    ['a failed budget named in another slot', partial(at(1)), slots('6', undefined, '7'), [doubtful, doubtful, named]],
    [
      'an empty slot beside the failed one',
      partial(at(1)),
      slots('5', undefined, undefined),
      [named, refused, doubtful],
    ],
    ['too few slots for the others', partial(at(1)), slots('5', undefined), [doubtful, refused, doubtful]],
    ['an index beyond the operations', partial(at(3)), good, unknown],
    ['a negative index', partial(at(-1)), good, unknown],
    ['a fractional index', partial(at(1.5)), good, unknown],
    ['an index of letters', partial(at('first')), good, unknown],
    ['an index that is an object', partial(at({ value: 1 })), good, unknown],
    ['no index', partial(at(undefined)), good, unknown],
    ['no location', partial(item(undefined)), good, unknown],
    ['one valid and one missing index', partial(at(1), at(undefined)), good, unknown],
    ['no errors', { code: 3, message: 'No.' }, good, unknown],
    ['details without errors', { code: 3, message: 'No.', details: ['x'] }, good, unknown],
    ['an index of something else', partial(item({ fieldPathElements: [{ fieldName: 'x', index: 1 }] })), good, unknown],
  ])('belongs to the operations it names, or to all: %s', async (_, partialFailureError, results, expected) => {
    const outcomes = await answered({ partialFailureError, ...(results ? { results } : {}) }, { mutations: THREE });
    expect(outcomes.map(shown)).toEqual(expected);
  });

  it('without a valid index has a message of bounded length', async () => {
    const partialFailureError = { ...partial(at(9)), message: 'Several of them. '.repeat(10_000) };
    const outcomes = await answered({ partialFailureError }, { mutations: THREE });
    for (const outcome of outcomes) {
      const message = outcome.kind === 'failed' ? outcome.error.message : '';
      expect(message).toMatch(/does not say which change failed: Several of them\..*…\.$/);
      expect(message.length).toBeLessThan(700);
    }
  });

  it('gives each its own code and sentence', async () => {
    const beside = { databaseError: 'CONCURRENT_MODIFICATION' };
    const partialFailureError = partial(at(0), at(1, beside), at(2, { internalError: 'INTERNAL_ERROR' }));
    const outcomes = await answered({ partialFailureError, results: slots() }, { mutations: THREE });
    const errors = outcomes.map((outcome) => (outcome.kind === 'failed' ? outcome.error : undefined));
    expect(errors).toMatchObject([
      {
        outcome: 'not_processed',
        transient: false,
        details: [{ code: 'campaignBudgetError.CAMPAIGN_BUDGET_REMOVED' }],
      },
      { outcome: 'not_processed', transient: true, details: [{ code: 'databaseError.CONCURRENT_MODIFICATION' }] },
      { outcome: 'unknown', transient: true, details: [{ code: 'internalError.INTERNAL_ERROR' }] },
    ]);
    expect(errors[1]?.message).toMatchInlineSnapshot(`
      "The advertising interface answered PARTIAL_FAILURE (400).
        No. [databaseError.CONCURRENT_MODIFICATION] at operations.update"
    `);
  });

  it('of a validation leaves the others accepted', async () => {
    const asked = { mutations: THREE, validateOnly: true };
    expect((await answered({ partialFailureError: partial(at(1)) }, asked)).map(shown)).toEqual([
      'silent',
      refused,
      'silent',
    ]);
  });

  it('in the sandbox makes the other changes', async () => {
    const sandbox = await freshSandbox({
      fault: () => ({
        kind: 'refuse_operations',
        indexes: [1],
        errorCode: { databaseError: 'CONCURRENT_MODIFICATION' },
      }),
    });
    const account = sandbox.market.accounts.find((candidate) => candidate.customerId === EUR);
    const budgets = account?.budgets.slice(0, 3) ?? [];
    const mutations = budgets.map(({ budgetId: budget }) => ({ budget, amount: micros(33_000_000n) }));
    const outcomes = await mutateBudgets(connectToSandbox(sandbox), customerId(EUR), mutations, {
      validateOnly: false,
    });
    expect(outcomes.map(shown)).toEqual([named, refused, named]);
    expect(budgets.map(({ budgetId: budget }) => sandbox.budgetAmount(EUR, budget))).toEqual([
      33_000_000n,
      budgets[1]?.amountMicros,
      33_000_000n,
    ]);
  });

  it('of a removed budget says so', async () => {
    const sandbox = await freshSandbox();
    const { budgetId: budget } = ownBudget(sandbox, EUR);
    sandbox.removeBudget(EUR, budget);
    const mutations = [{ budget, amount: micros(33_000_000n) }];
    const outcomes = await mutateBudgets(connectToSandbox(sandbox), customerId(EUR), mutations, { validateOnly: true });
    expect(failed(outcomes).details[0]?.code).toBe('campaignBudgetError.CAMPAIGN_BUDGET_REMOVED');
  });
});

describe('a change in the sandbox', () => {
  interface Raise {
    readonly strict?: boolean;
    readonly validateOnly?: boolean;
    readonly responseContentType?: 'RESOURCE_NAME_ONLY' | 'MUTABLE_RESOURCE';
  }
  const raise = async (fault?: Fault, options: Raise = {}) => {
    const sandbox = await freshSandbox({ fault: () => fault, strict: options.strict ?? false });
    const { budgetId: budget, amountMicros } = ownBudget(sandbox, EUR);
    const amount = micros(amountMicros + 1_000_000n);
    const validateOnly = options.validateOnly ?? false;
    const ads = connectToSandbox(sandbox, { responseContentType: options.responseContentType });
    const work = mutateBudgets(ads, customerId(EUR), [{ budget, amount }], { validateOnly });
    const end = await work.then(
      (outcomes) => outcomes.map(shown),
      (error: unknown) => error,
    );
    return { end, raised: sandbox.budgetAmount(EUR, budget) === amount, requests: sandbox.requests.length };
  };

  it.each([
    ['is made and named', undefined, {}, 'named', true],
    ['is made but not named by a strict service', undefined, { strict: true }, 'silent', true],
    ['is made and named by a name', undefined, { responseContentType: 'RESOURCE_NAME_ONLY' }, 'named', true],
    ['is made and shown', undefined, { responseContentType: 'MUTABLE_RESOURCE' }, 'named', true],
    ['is not made by a validation', undefined, { validateOnly: true }, 'silent', false],
  ] as const)('B1: %s', async (_, fault, options, end, raised) => {
    expect(await raise(fault, options)).toEqual({ end: [end], raised, requests: 1 });
  });

  it.each<[string, Fault, string, boolean]>([
    ['lost its connection before', { kind: 'reset_before' }, 'unknown', false],
    ['lost its connection after', { kind: 'reset_after' }, 'unknown', true],
    ['got half an answer', { kind: 'cut', afterBytes: 20 }, 'unknown', true],
    ['got half an answer that ends cleanly', { kind: 'truncate', afterBytes: 20 }, 'unknown', true],
    ['was answered by an HTML page', { kind: 'html' }, 'unknown', false],
    ['was answered by a gateway', { kind: 'html', status: 502 }, 'unknown', false],
    ['was answered by too many requests', { kind: 'status', status: 429 }, 'unknown', false],
    ['got a page with a refusal', { kind: 'html', status: 411 }, 'unknown', false],
    ['got a redirect without a body', { kind: 'status', status: 302 }, 'unknown', false],
    ['got a refusal without a body', { kind: 'status', status: 400 }, 'unknown', false],
    ['was refused', { kind: 'status', status: 400, body: REFUSED }, 'not_processed', false],
  ])('is sent once, and the error knows the outcome: it %s', async (_, fault, outcome, raised) => {
    expect(await raise(fault)).toMatchObject({ end: { name: 'ApiError', outcome }, raised, requests: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import { mutateBody, mutateBudget } from '../../../src/apis/ads/mutate-budget.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { budgetId, customerId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/micros.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { failureOf } from '../../http/test-client.ts';
import { EUR, freshSandbox, ownBudget } from '../../sandbox/sandbox-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo, connectToSandbox } from './ads-client.ts';

const BUDGET = budgetId('555');
const NAME = 'customers/1234567890/campaignBudgets/555';
const mutation = (amount: bigint) => ({ customer: CUSTOMER, budget: BUDGET, amount: micros(amount) });

async function answered(body: string, options: { validateOnly?: boolean; status?: number } = {}) {
  const { url } = await stubServer((_, response) =>
    response.writeHead(options.status ?? 200, { 'request-id': 'request-1' }).end(body),
  );
  return mutateBudget(connectTo(url), mutation(12_500_000n), { validateOnly: options.validateOnly ?? false });
}

describe('the request', () => {
  it('B1, B2, B3, B4, B5: is exactly this, to this path', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await mutateBudget(connectTo(url), mutation(12_500_000n), { validateOnly: false });
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

  it('B4: asks only whether it could be done when told so', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{}'));
    await mutateBudget(connectTo(url), mutation(1n), { validateOnly: true });
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ validateOnly: true, partialFailure: true });
  });

  it.each([1n, 2n ** 53n - 1n, 2n ** 53n + 1n, 9_007_199_254_740_993_000n, 2n ** 63n - 1n])(
    'B5: carries %s micros exactly, as text',
    (amount) => {
      const text = JSON.stringify(mutateBody(mutation(amount), false));
      expect(/"amountMicros":("[^"]*")/.exec(text)?.[1]).toBe(`"${amount}"`);
    },
  );

  it.each([0n, -1n, -(2n ** 63n)])('is never made for %s micros', (amount) => {
    expect(() => mutateBody(mutation(amount), false)).toThrow(InvariantError);
  });
});

describe('a success', () => {
  it.each([
    ['that names the budget is believed', `{"results":[{"resourceName":"${NAME}"}]}`, {}, 'named'],
    ['that says nothing has to be proven by reading', '{}', {}, 'silent'],
    ['without any body is one that says nothing', '', {}, 'silent'],
    ['with members nobody knows is read all the same', '{"requestId":"r","x":[1]}', {}, 'silent'],
    ['of a question has no results', '{}', { validateOnly: true }, 'silent'],
    ['of a question may have empty ones', '{"results":[{}]}', { validateOnly: true }, 'silent'],
  ] as const)('%s', async (_, body, options, expected) => {
    expect(await answered(body, options)).toBe(expected);
  });

  const wrong = (...names: readonly string[]) =>
    JSON.stringify({ results: names.map((resourceName) => ({ resourceName })) });
  it.each([
    ['names another budget', wrong('customers/1234567890/campaignBudgets/556'), 'WRONG_ANSWER'],
    ['names another account', wrong('customers/1/campaignBudgets/555'), 'WRONG_ANSWER'],
    ['has no result', '{"results":[]}', 'WRONG_ANSWER'],
    ['has a result without a name', '{"results":[{}]}', 'WRONG_ANSWER'],
    ['has more results than operations', wrong(NAME, NAME), 'WRONG_ANSWER'],
    ['is an HTML page', '<html>Sign in</html>', 'MALFORMED'],
    ['is no object', '[]', 'MALFORMED'],
    ['is no JSON', 'OK', 'MALFORMED'],
    ['is cut off', '{"results":[{"resourceName":"custo', 'MALFORMED'],
    ['has a text for its results', '{"results":"all"}', 'MALFORMED'],
    ['has an error without a code', '{"error":{"message":"No."}}', 'MALFORMED'],
  ])('that %s proves nothing: the change may have been made', async (_, body, status) => {
    expect(await failureOf(answered(body))).toMatchObject({ status, outcome: 'unknown', transient: false });
  });

  it('says what it named, and what was expected', async () => {
    const { message } = await failureOf(answered(wrong('customers/1/campaignBudgets/2', 'x')));
    expect(message).toMatchInlineSnapshot(
      `"The answer to a budget change names customers/1/campaignBudgets/2, x, expected customers/1234567890/campaignBudgets/555."`,
    );
    expect((await failureOf(answered('{"results":[]}'))).message).toMatchInlineSnapshot(
      `"The answer to a budget change names no result, expected customers/1234567890/campaignBudgets/555."`,
    );
  });

  it('that holds an error is a refusal, whatever its status says', async () => {
    const error = await failureOf(answered('{"error":{"code":403,"status":"PERMISSION_DENIED","message":"No."}}'));
    expect(error).toMatchObject({ status: 'PERMISSION_DENIED', httpStatus: 403, outcome: 'not_processed' });
  });
});

describe('a partial failure', () => {
  const PERMANENT = { outcome: 'not_processed', transient: false };
  const UNCERTAIN = { outcome: 'unknown', transient: true };

  it.each([
    ['an invalid argument', 3, { httpStatus: 400, ...PERMANENT }],
    ['a deadline passed, perhaps after the work', 4, { httpStatus: 504, ...UNCERTAIN }],
    ['a budget that is not there', 5, { httpStatus: 404, ...PERMANENT }],
    ['a missing permission', 7, { httpStatus: 403, ...PERMANENT }],
    ['a quota', 8, { httpStatus: 429, outcome: 'not_processed', transient: true }],
    ['a budget that cannot be changed', 9, { httpStatus: 400, ...PERMANENT }],
    ['a change beside ours', 10, { httpStatus: 409, ...PERMANENT }],
    ['an internal error', 13, { httpStatus: 500, ...UNCERTAIN }],
    ['a service that is away', 14, { httpStatus: 503, ...UNCERTAIN }],
    ['credentials', 16, { httpStatus: 401, ...PERMANENT }],
    ['an unknown error proves nothing', 2, { httpStatus: 520, outcome: 'unknown', transient: false }],
    ['nor does an unrecognised code', 99, { httpStatus: 520, outcome: 'unknown', transient: false }],
    ['nor does no code', undefined, { httpStatus: 520, outcome: 'unknown', transient: false }],
  ])('has the meaning of its code: %s', async (_, code, expected) => {
    const body = JSON.stringify({ partialFailureError: { code, message: 'No.' }, results: [{}] });
    expect(await failureOf(answered(body))).toMatchObject({ status: 'PARTIAL_FAILURE', ...expected });
  });

  it('B15: keeps the code, the message and the location of each error', async () => {
    const sandbox = await freshSandbox();
    const ads = connectToSandbox(sandbox);
    const customer = customerId(EUR);
    const unknown = { customer, budget: budgetId('1'), amount: micros(10_000_000n) };
    const error = await failureOf(mutateBudget(ads, unknown, { validateOnly: false }));
    expect(error).toMatchObject({ status: 'PARTIAL_FAILURE', requestId: 'sandbox-1', outcome: 'not_processed' });
    expect(error.details).toMatchObject([{ code: expect.any(String), location: expect.stringMatching(/^operations/) }]);
    expect(error.message).toMatchInlineSnapshot(`
      "The advertising interface answered PARTIAL_FAILURE (400): Multiple errors in ‘details’. The first error is: Customer 4081725530 has no campaign budget 1.
        Customer 4081725530 has no campaign budget 1. [mutateError.RESOURCE_NOT_FOUND] at operations.update.resource_name"
    `);
  });
});

describe('a change in the sandbox', () => {
  const raise = async (fault?: Fault, options: { strict?: boolean; validateOnly?: boolean } = {}) => {
    const sandbox = await freshSandbox({ fault: () => fault, strict: options.strict ?? false });
    const { budgetId: budget, amountMicros } = ownBudget(sandbox, EUR);
    const amount = micros(amountMicros + 1_000_000n);
    const work = mutateBudget(
      connectToSandbox(sandbox),
      { customer: customerId(EUR), budget, amount },
      { validateOnly: options.validateOnly ?? false },
    );
    const end = await work.catch((error: unknown) => error);
    return { end, raised: sandbox.budgetAmount(EUR, budget) === amount, requests: sandbox.requests.length };
  };

  it.each([
    ['is made and named', undefined, {}, 'named', true],
    ['is made and not named by a strict service', undefined, { strict: true }, 'silent', true],
    ['is not made by asking', undefined, { validateOnly: true }, 'silent', false],
  ] as const)('B1: %s', async (_, fault, options, end, raised) => {
    expect(await raise(fault, options)).toEqual({ end, raised, requests: 1 });
  });

  it.each<[string, Fault, string, boolean]>([
    ['lost its connection before', { kind: 'reset_before' }, 'unknown', false],
    ['lost its connection after', { kind: 'reset_after' }, 'unknown', true],
    ['was answered by half an answer', { kind: 'cut', afterBytes: 20 }, 'unknown', true],
    ['was answered by half an answer that ends cleanly', { kind: 'truncate', afterBytes: 20 }, 'unknown', true],
    ['was answered by an HTML page', { kind: 'html' }, 'unknown', false],
    ['was answered by a gateway', { kind: 'html', status: 502 }, 'unknown', false],
    ['was answered by too many requests', { kind: 'status', status: 429 }, 'not_processed', false],
    ['was refused', { kind: 'html', status: 411 }, 'not_processed', false],
  ])('is sent once, and the error knows how far it got: it %s', async (_, fault, outcome, raised) => {
    expect(await raise(fault)).toMatchObject({ end: { name: 'ApiError', outcome }, raised, requests: 1 });
  });
});

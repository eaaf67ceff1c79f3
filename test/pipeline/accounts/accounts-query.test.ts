import { describe, expect, it } from 'vitest';
import { refuse, treeService } from '../../support/tree-service.ts';
import { A, B, D, discover, idsOf, TOP, TREE } from './discovery.ts';

const QUERY =
  "SELECT customer_client.id AS id -- mine\nFROM customer_client WHERE customer_client.applied_labels CONTAINS ANY ('customers/9001/labels/1');";
const env = { ADS_ACCOUNTS_QUERY: QUERY };

/** A service whose query chooses these accounts at each root; a root without a list refuses the query. */
const choosing = (chosen: Readonly<Record<string, readonly string[] | undefined>>, tops = [TREE], roots = [TOP]) =>
  treeService(tops, roots, (customer, { body }, response) => {
    if (!body.includes('applied_labels')) return false;
    const ids = chosen[customer];
    if (ids === undefined) refuse(response, 400, 'INVALID_ARGUMENT', { queryError: 'BAD_VALUE' });
    else response.end(JSON.stringify([{ results: ids.map((id) => ({ customerClient: { id } })) }]));
    return true;
  });

const leftOutOf = ({ accounts }: Awaited<ReturnType<typeof discover>>) =>
  accounts.map(({ customerId, leftOut }) => [customerId, leftOut]);

describe('accounts chosen by a query', () => {
  it('are those in the tree that it returns, for one more operation', async () => {
    const service = await choosing({ [TOP]: [A, '7777'] });
    const found = await discover(service, [], { env });
    expect(leftOutOf(found)).toEqual([
      [A, undefined],
      [B, 'not chosen by ads.accounts_query'],
      ['1003', 'SUSPENDED'],
    ]);
    expect(found.ads.operations.count).toBe(3);
    expect(JSON.parse(service.requests.at(-2)?.body ?? '').query).toBe(
      "SELECT customer_client.id FROM customer_client WHERE customer_client.applied_labels CONTAINS ANY ('customers/9001/labels/1')",
    );
  });

  it('are still subject to exclusion', async () => {
    const service = await choosing({ [TOP]: [A, B] });
    const found = await discover(service, [], { env: { ...env, ADS_EXCLUDE_CUSTOMER_IDS: A } });
    expect(idsOf(found)).toEqual([B, '1003']);
  });

  it('are kept if one of two roots chooses them', async () => {
    const service = await choosing({ [TOP]: [A], [A]: [], [D]: [] }, [TREE, { id: D }], [TOP, A, D]);
    const found = await discover(service, [], { env });
    expect(leftOutOf(found).filter(([, leftOut]) => leftOut === undefined)).toEqual([[A, undefined]]);
  });

  it('are unknown below a root that refuses the query, so nothing there is read', async () => {
    const service = await choosing({ [D]: [D] }, [TREE, { id: D }], [TOP, D]);
    const { accounts } = await discover(service, [], { env });
    expect(accounts.map(({ customerId, failure }) => [customerId, failure])).toEqual([
      [D, undefined],
      [
        TOP,
        expect.stringMatching(
          `^ads.accounts_query failed at account ${TOP}, so it and the accounts below it are neither read nor changed: .*INVALID_ARGUMENT`,
        ),
      ],
    ]);
  });

  it('keep the last good record of an account that is chosen no more', async () => {
    const service = await choosing({ [TOP]: [A, B] });
    const { state } = await discover(service, [], { env });
    const later = await discover(await choosing({ [TOP]: [A] }), [], { env, state });
    expect(leftOutOf(later)[1]).toEqual([B, 'not chosen by ads.accounts_query']);
    expect(state.connection.prepare('SELECT customer_id FROM account').all()).toHaveLength(3);
  });

  it('cannot be replaced by name', async () => {
    const service = await choosing({ [TOP]: [A] });
    await expect(discover(service, [B], { env })).rejects.toThrow(
      `These accounts are not chosen by ads.accounts_query: ${B}.`,
    );
    await expect(discover(service, [A], { env })).resolves.toMatchObject({ accounts: [{ leftOut: undefined }] });
  });
});

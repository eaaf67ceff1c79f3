import { describe, expect, it } from 'vitest';
import { MANAGER } from '../../src/sandbox/ads/account-tree.ts';
import { EUR, freshSandbox, JPY, rowsOf, search, USD } from './sandbox-client.ts';

const GBP = '7350926148';
const label = (id: number, owner: string = MANAGER) => `customers/${owner}/labels/${id}`;

describe('labels of accounts', () => {
  it('are found by name', async () => {
    const sandbox = await freshSandbox();
    const rows = await rowsOf(
      sandbox,
      EUR,
      "SELECT label.id, label.resource_name FROM label WHERE label.name = 'pilot'",
    );
    expect(rows).toEqual([{ label: { id: '502', resourceName: label(502, EUR) } }]);
  });

  it('are lists in the rows, left out if empty', async () => {
    const sandbox = await freshSandbox({ manager: true });
    const query =
      'SELECT customer_client.id, customer_client.applied_labels FROM customer_client WHERE customer_client.status = ENABLED AND customer_client.manager = FALSE';
    const rows = await rowsOf(sandbox, MANAGER, query);
    const found = rows.map(({ customerClient: { id, appliedLabels } }) => [id, appliedLabels]);
    expect(Object.fromEntries(found)).toEqual({
      [EUR]: [label(501)],
      [USD]: [label(501), label(502)],
      [GBP]: [label(502)],
      [JPY]: undefined,
    });
  });

  it.each([
    [`CONTAINS ANY ('${label(501)}')`, [EUR, USD]],
    [`CONTAINS ANY ('${label(501)}', '${label(502)}')`, [EUR, USD, GBP]],
    [`CONTAINS ALL ('${label(501)}', '${label(502)}')`, [USD]],
    [`CONTAINS NONE ('${label(501)}')`, [GBP, JPY]],
    [`CONTAINS ANY ('${label(999)}')`, []],
    ['IS NULL', [JPY]],
  ])('choose accounts: %s', async (condition, ids) => {
    const sandbox = await freshSandbox({ manager: true });
    const query = `SELECT customer_client.id FROM customer_client WHERE customer_client.applied_labels ${condition} AND customer_client.manager = FALSE AND customer_client.status = ENABLED`;
    const rows = await rowsOf(sandbox, MANAGER, query);
    expect(rows.map(({ customerClient }) => customerClient.id).sort()).toEqual([...ids].sort());
  });

  it('do not exist in the specification', async () => {
    const sandbox = await freshSandbox({ strict: true });
    expect((await search(sandbox, EUR, 'SELECT label.id FROM label')).status).toBe(400);
  });
});

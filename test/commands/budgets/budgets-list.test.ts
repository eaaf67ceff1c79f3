import { expect, it } from 'vitest';
import { createProduct } from '../../support/product.ts';

it('budgets list --all also shows decided proposals, and who decided them', async () => {
  const product = await createProduct({ mode: 'approve' });
  const { value } = await product.json(['report']);
  const code = value.decisions[0].proposal;
  expect((await product.run(['budgets', 'reject', code])).code).toBe(0);
  expect((await product.run(['budgets', 'list'])).stdout).toBe('No changes await approval.\n');
  const { stdout } = await product.run(['budgets', 'list', '--all'], { width: 200 });
  expect(stdout).toMatch(new RegExp(`^Past proposals\\n {2}Code .*\\n {2}${code} +rejected .* trim +anna `));
  expect(stdout).toMatch(/\n\nNo changes await approval\.\n$/);
  const { value: listed } = await product.json(['budgets', 'list', '--all']);
  expect([listed.proposals, listed.past]).toMatchObject([[], [{ code, state: 'rejected' }]]);
});

it('budgets list and history of one account say what waits elsewhere, and that an account is unknown', async () => {
  const product = await createProduct({ mode: 'approve' });
  const { value } = await product.json(['report']);
  const [decision] = value.decisions;
  const other = value.accounts.find((one: { customer_id: string }) => one.customer_id !== decision.customer_id);
  const of = async (customer: string) => (await product.run(['budgets', 'list', '--customer', customer])).stdout;
  expect(await of(decision.customer_id)).toContain(decision.proposal);
  if (other !== undefined) {
    const words =
      'No changes of these accounts await approval.\n\n1 change of other accounts awaits you, outside this filter.\n';
    expect(await of(other.customer_id)).toBe(words);
  }
  for (const name of ['list', 'history']) {
    const { code, stderr } = await product.run(['budgets', name, '--customer', '111-222-3334']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: No account 1112223334 is known\. Known: .*\(\d+\)/),
    ]);
  }
});

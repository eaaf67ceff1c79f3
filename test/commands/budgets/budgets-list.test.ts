import { expect, it } from 'vitest';
import { createProduct } from '../../support/product.ts';

it('budgets list --all also shows decided proposals, and who decided them', async () => {
  const product = await createProduct({ mode: 'approve' });
  const { value } = await product.json(['report']);
  const code = value.decisions[0].proposal;
  expect((await product.run(['budgets', 'reject', code])).code).toBe(0);
  expect((await product.run(['budgets', 'list'])).stdout).toBe('No changes await approval.\n');
  const { stdout } = await product.run(['budgets', 'list', '--all']);
  expect(stdout).toMatch(new RegExp(`^Past proposals\\n {2}${code} {2}rejected .*\\n.* rule trim, by anna,\\n`));
  const { value: listed } = await product.json(['budgets', 'list', '--all']);
  expect([listed.proposals, listed.past]).toMatchObject([[], [{ code, state: 'rejected' }]]);
});

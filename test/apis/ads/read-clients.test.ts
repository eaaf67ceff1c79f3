import { expect, it } from 'vitest';
import { readClients } from '../../../src/services/ads/list-accounts.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { CUSTOMER, connectTo } from './ads-client.ts';

async function treeOf(...ids: readonly (readonly [id: string, level: string | undefined])[]) {
  const results = ids.map(([id, level]) => ({ customerClient: { id, level } }));
  const { url } = await stubServer((_, response) => response.end(JSON.stringify([{ results }])));
  return readClients(connectTo(url), CUSTOMER);
}

it.each([
  ['with its level', '0'],
  ['with an omitted level, as allowed for 0', undefined],
])('a tree with another account at its top is refused: %s', async (_, level) => {
  const failure = await failureOf(treeOf(['9264813507', level], [CUSTOMER, '1']));
  expect(failure).toMatchObject({ status: 'WRONG_ANSWER', transient: true });
  expect(failure.message).toContain(`The answer for account ${CUSTOMER} contains rows of account 9264813507.`);
});

it('a tree has the requested account at its top, whatever is below', async () => {
  const tree = await treeOf([CUSTOMER, '0'], ['9264813507', '1']);
  expect(tree).toMatchObject({ clients: [{ customerId: CUSTOMER }, { customerId: '9264813507' }] });
});

it('a tree has names without secrets and only known forms of status', async () => {
  const client = { id: CUSTOMER, descriptiveName: 'Sent Bearer access-token-1', status: 'Sent access-token-1' };
  const body = JSON.stringify([{ results: [{ customerClient: client }] }]);
  const { url } = await stubServer((_, response) => response.end(body));
  const tree = await readClients(connectTo(url), CUSTOMER);
  expect(tree).toMatchObject({ clients: [{ name: 'Sent Bearer [redacted]', status: 'UNKNOWN' }] });
});

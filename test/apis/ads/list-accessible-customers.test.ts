import { describe, expect, it } from 'vitest';
import { listAccessibleCustomers } from '../../../src/services/ads/list-accounts.ts';
import { failureOf } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { toldLog } from '../../support/told-log.ts';
import { connectTo, connectToSandbox, MANAGER } from './ads-client.ts';

describe('the accessible accounts', () => {
  it('B7: are requested by GET, without the manager', async () => {
    const { url, requests } = await stubServer((_, response) => response.end('{"resourceNames":[]}'));
    expect((await listAccessibleCustomers(connectTo(url, { loginCustomerId: MANAGER }))).customers).toEqual([]);
    expect(requests).toMatchObject([{ method: 'GET', path: '/v21/customers:listAccessibleCustomers', body: '' }]);
    expect(requests[0]?.headers).not.toHaveProperty('login-customer-id');
  });

  it('B7: come from the sandbox', async () => {
    const sandbox = await freshSandbox();
    expect((await listAccessibleCustomers(connectToSandbox(sandbox))).customers).toEqual(
      sandbox.market.accounts.map((account) => account.customerId).sort(),
    );
  });

  it.each([
    ['are unique and in ascending order', '{"resourceNames":["customers/30","customers/4","customers/30"]}'],
    ['may come with unknown members', '{"next":1,"resourceNames":["customers/4","customers/30"]}'],
  ])('B7: %s', async (_, body) => {
    const { url } = await stubServer((_request, response) => response.end(body));
    expect((await listAccessibleCustomers(connectTo(url))).customers).toEqual(['4', '30']);
  });

  it('B7: are empty if the answer names none', async () => {
    const { url } = await stubServer((_, response) => response.end('{}'));
    expect((await listAccessibleCustomers(connectTo(url))).customers).toEqual([]);
  });

  it.each([
    ['an HTML page', '<html>'],
    ['nothing', ''],
    ['an account with dashes', '{"resourceNames":["customers/123-456-7890"]}'],
    ['an invalid account', '{"resourceNames":["customers/0"]}'],
    ['a number instead of a name', '{"resourceNames":[1]}'],
    ['a truncated answer', '{"resourceNames":["customers/1'],
  ])('are not guessed from an invalid answer: %s', async (_, body) => {
    const { url, requests } = await stubServer((_request, response) => response.end(body));
    expect(await failureOf(listAccessibleCustomers(connectTo(url)))).toMatchObject({ status: 'MALFORMED' });
    expect(requests).toHaveLength(1);
  });

  it('are requested again after a transient failure, and each retry is logged', async () => {
    const { url, requests } = await stubServer((_, response) => {
      if (requests.length < 3) response.writeHead(503).end('{"error":{"code":503}}');
      else response.end('{"resourceNames":["customers/1"]}');
    });
    const told: string[] = [];
    const log = toldLog({ warn: (line: string) => void told.push(line) });
    const ads = connectTo(url, { log });
    expect((await listAccessibleCustomers(ads)).customers).toEqual(['1']);
    expect(ads.pauses.taken).toEqual([1_000, 2_000]);
    expect(told).toEqual([
      'The list of accounts: The advertising interface answered UNKNOWN (503). Trying again in 1 s.',
      'The list of accounts: The advertising interface answered UNKNOWN (503). Trying again in 2 s.',
    ]);
  });
});

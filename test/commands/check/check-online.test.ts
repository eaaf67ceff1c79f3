import { describe, expect, it } from 'vitest';
import { checkOnline } from '../../../src/commands/check/check-online.ts';
import { customerId } from '../../../src/domain/ids.ts';
import { MANAGER } from '../../../src/sandbox/ads/account-tree.ts';
import { connectTo, connectToSandbox } from '../../apis/ads/ads-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { toldLog } from '../../support/told-log.ts';
import { treeService } from '../../support/tree-service.ts';
import { NOON } from '../../support/world.ts';

const told: string[] = [];
const log = toldLog({ info: (line: string) => void told.push(line) });
const deps = { target: 'a test', excluded: [], clock: fakeClock(NOON), log };

describe('check --online', () => {
  it('asks an account in use if the credentials reach only a manager', async () => {
    const ads = connectToSandbox(await freshSandbox({ manager: true }));
    await checkOnline({ ...deps, ads }, [], []);
    const asked = /^Checking with a test, account (\d+)\.$/.exec(told.at(-1) ?? '')?.[1] ?? '';
    expect(ads.logins.get(customerId(asked))).toBe(MANAGER);
  });

  it('asks no excluded account and none below an excluded manager', async () => {
    const tree = [{ id: '9', children: [{ id: '8', children: [{ id: '1' }] }, { id: '2' }] }];
    const { url } = await treeService(tree, ['9']);
    await checkOnline({ ...deps, ads: connectTo(url), excluded: [customerId('8')] }, [], []);
    expect(told.at(-1)).toBe('Checking with a test, account 2.');
  });

  it('fails if there is no such account', async () => {
    const tree = [{ id: '9', children: [{ id: '1', status: 'CLOSED' }] }];
    const { url } = await treeService(tree, ['9']);
    await expect(checkOnline({ ...deps, ads: connectTo(url) }, [], [])).rejects.toMatchObject({ name: 'InputError' });
    await expect(checkOnline({ ...deps, ads: connectTo(url) }, [customerId('9')], [])).rejects.toThrow(
      /no active account/,
    );
  });
});

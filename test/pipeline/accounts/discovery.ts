import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { customerId } from '../../../src/domain/ids.ts';
import { discoverAccounts } from '../../../src/engine/accounts/find-accounts.ts';
import { type CUSTOMER, connectTo } from '../../apis/ads/ads-client.ts';
import { ADS, live } from '../../config/settings-reader.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { type OpenedState, openedState } from '../../support/state.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { type Misbehaviour, refuse, type TreeNode, type TreeService } from '../../support/tree-service.ts';
import { NOON } from '../../support/world.ts';

export const [A, B, C, D] = ['1001', '1002', '1003', '1004'].map(customerId) as [
  typeof CUSTOMER,
  typeof CUSTOMER,
  typeof CUSTOMER,
  typeof CUSTOMER,
];
export const TOP = customerId('9001');
export const SUB = customerId('9002');
/** TOP ─ A, SUB ─ B, C (suspended). */
export const TREE: TreeNode = {
  id: TOP,
  children: [{ id: A }, { id: SUB, children: [{ id: B }, { id: C, status: 'SUSPENDED' }] }],
};

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly state?: OpenedState;
}

export async function freshState(): Promise<OpenedState> {
  const state = await openedState(join(tempDir(), 'state.sqlite'));
  onTestFinished(() => state.close());
  return state;
}

/** Discovers what the service has, with live settings and one try for each request. */
export async function discover(service: TreeService, only: readonly (typeof CUSTOMER)[] = [], setting: Setting = {}) {
  const settings = live({ ...ADS, ...setting.env }, setting.config);
  const loginCustomerId = setting.env?.ADS_LOGIN_CUSTOMER_ID;
  const retry = { attempts: 1, firstDelayMs: 0, totalMs: 1000 };
  const login = loginCustomerId === undefined ? undefined : customerId(loginCustomerId);
  const ads = connectTo(service.url, { loginCustomerId: login, retry });
  const state = setting.state ?? (await freshState());
  const found = await discoverAccounts({ settings, state, clock: fakeClock(NOON) }, ads, only);
  return { ...found, ads, state };
}

type Found = Awaited<ReturnType<typeof discover>>;
export const idsOf = ({ accounts }: Found) => accounts.map(({ customerId: id }) => id);
export const loginsOf = ({ accounts, ads }: Found) => accounts.map(({ customerId: id }) => [id, ads.logins.get(id)]);

export const failing =
  (...ids: string[]): Misbehaviour =>
  (customer, _, response) => {
    if (!ids.includes(customer)) return false;
    refuse(response, 503, 'UNAVAILABLE');
    return true;
  };

import { expect, it } from 'vitest';
import { containerStatus } from '../../../src/services/container/container-status.ts';
import { logIn, openSession } from '../../../src/services/container/session.ts';
import { failureOf } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { connectTo } from './container-client.ts';

const NEW = 'N3w-password';

it('D1, D2, D3: a first login sets the password, and sessions use the new one', async () => {
  const { url, credentials } = await freshSandbox({ freshContainer: true });
  const { username } = credentials.container;
  const first = { ...connectTo(url), username, password: 'secret' };
  const refused = await failureOf(logIn(first));
  expect(refused).toMatchObject({ httpStatus: 400, nextStep: expect.stringContaining('--new-password-from') });
  await logIn(first, NEW);
  expect(await failureOf(logIn(first))).toMatchObject({ status: 'UNAUTHENTICATED' });
  const container = { ...first, password: NEW };
  expect(await containerStatus(container, openSession(container))).toMatchObject({
    login: { apiStatus: 'stable' },
    health: { health: { gateway_status: 'connected' } },
  });
});

import { describe, expect, it } from 'vitest';
import { routeAlert } from '../../src/alerts/address-pending.ts';
import type { AlertSubject } from '../../src/alerts/silence-matches.ts';
import type { AlertRecipient, AlertRoute } from '../../src/config/alert-settings.ts';
import { customerId } from '../../src/domain/ids.ts';

const EUR = customerId('4081725530');
const OTHER = customerId('1234567890');
const someone = (name: string): AlertRecipient => ({
  name,
  addresses: new Map([['messages', 'whatsapp:+15005550002']]),
  timeZone: 'UTC',
  quietHours: undefined,
});
const recipients = [someone('anna'), someone('ben'), someone('night')];
const route = (to: string[], only: Partial<AlertRoute> = {}): AlertRoute => ({
  to,
  severities: undefined,
  accounts: undefined,
  rules: undefined,
  ...only,
});
const ALERT: AlertSubject = { customerId: EUR, rule: 'stopped-spending', severity: 'warning' };

describe('an alert', () => {
  it.each<[sentence: string, routes: readonly AlertRoute[], alert: Partial<AlertSubject>, told: readonly string[]]>([
    ['goes to everybody if there are no routes', [], {}, ['anna', 'ben', 'night']],
    ['goes to the recipient of its route', [route(['ben'])], {}, ['ben']],
    ['goes to all recipients of its route', [route(['ben', 'anna'])], {}, ['anna', 'ben']],
    ['follows every matching route', [route(['ben']), route(['night'])], {}, ['ben', 'night']],
    ['goes once to a recipient on two routes', [route(['ben']), route(['ben', 'anna'])], {}, ['anna', 'ben']],
    ['follows the routes of its severity', [route(['ben'], { severities: ['warning', 'critical'] })], {}, ['ben']],
    [
      'follows the routes of its account',
      [route(['ben'], { accounts: [EUR] }), route(['anna'], { accounts: [OTHER] })],
      {},
      ['ben'],
    ],
    ['follows the routes of its rule', [route(['ben'], { rules: ['stopped-*', 'other'] })], {}, ['ben']],
    [
      'must meet every condition of a route',
      [route(['ben'], { rules: ['stopped-*'], severities: ['info'] }), route(['anna'])],
      {},
      ['anna'],
    ],
    [
      'without a rule follows no route of rules',
      [route(['ben'], { rules: ['*'] }), route(['anna'])],
      { rule: undefined },
      ['anna'],
    ],
    [
      'without an account follows no route of accounts',
      [route(['ben'], { accounts: [EUR] }), route(['anna'])],
      { customerId: undefined },
      ['anna'],
    ],
    [
      'goes to everybody if it is critical and no route matches',
      [route(['ben'], { accounts: [OTHER] })],
      { severity: 'critical' },
      ['anna', 'ben', 'night'],
    ],
    [
      'follows only its route if it is critical and a route matches',
      [route(['ben'], { severities: ['critical'] })],
      { severity: 'critical' },
      ['ben'],
    ],
  ])('%s', (_sentence, routes, alert, told) => {
    const routing = routeAlert({ ...ALERT, ...alert }, { recipients, routes });
    expect(routing.recipients.map(({ name }) => name)).toEqual(told);
    expect(routing.nobody).toBeUndefined();
  });

  it.each(['info', 'warning'] as const)(
    'of severity %s without a matching route goes to nobody, and says why',
    (severity) => {
      const routes = [route(['ben'], { severities: ['critical'] })];
      expect(routeAlert({ ...ALERT, severity }, { recipients, routes })).toEqual({
        recipients: [],
        nobody: 'No route in alerts.routes matches this alert.',
      });
    },
  );
});

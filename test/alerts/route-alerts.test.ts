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
    ['goes to everybody where there are no routes', [], {}, ['anna', 'ben', 'night']],
    ['goes where its route says', [route(['ben'])], {}, ['ben']],
    ['goes to all whom its route names', [route(['ben', 'anna'])], {}, ['anna', 'ben']],
    ['goes by every route that is for it', [route(['ben']), route(['night'])], {}, ['ben', 'night']],
    ['goes once to who is on two routes', [route(['ben']), route(['ben', 'anna'])], {}, ['anna', 'ben']],
    ['goes by the routes of its severity', [route(['ben'], { severities: ['warning', 'critical'] })], {}, ['ben']],
    [
      'goes by the routes of its account',
      [route(['ben'], { accounts: [EUR] }), route(['anna'], { accounts: [OTHER] })],
      {},
      ['ben'],
    ],
    ['goes by the routes of its rule', [route(['ben'], { rules: ['stopped-*', 'other'] })], {}, ['ben']],
    [
      'must have all that the route asks for',
      [route(['ben'], { rules: ['stopped-*'], severities: ['info'] }), route(['anna'])],
      {},
      ['anna'],
    ],
    [
      'of no rule goes by no route of rules',
      [route(['ben'], { rules: ['*'] }), route(['anna'])],
      { rule: undefined },
      ['anna'],
    ],
    [
      'of no account goes by no route of accounts',
      [route(['ben'], { accounts: [EUR] }), route(['anna'])],
      { customerId: undefined },
      ['anna'],
    ],
    [
      'that is critical goes to everybody when no route is for it',
      [route(['ben'], { accounts: [OTHER] })],
      { severity: 'critical' },
      ['anna', 'ben', 'night'],
    ],
    [
      'that is critical goes by its route alone when there is one',
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
    'of severity %s for which no route is goes to nobody, and says why',
    (severity) => {
      const routes = [route(['ben'], { severities: ['critical'] })];
      expect(routeAlert({ ...ALERT, severity }, { recipients, routes })).toEqual({
        recipients: [],
        nobody: 'No route matches it (alerts.routes).',
      });
    },
  );
});

import { describe, expect, it } from 'vitest';
import { alertSettings } from '../../src/config/alert-settings.ts';
import { ADS, failure, live, problemsOf, read } from './settings-reader.ts';

const ANNA = 'anna: { messages: "whatsapp:+4915112345678" }';

describe('recipients of alerts', () => {
  it('may be empty', () => {
    expect(alertSettings(read().alerts)).toMatchObject({ recipients: [], routes: [], approvers: [] });
  });

  it('have one channel or both, in their own or the common time zone', () => {
    const config = `
alerts:
  time_zone: Europe/Berlin
  recipients:
    anna: { messages: "whatsapp:+4915112345678", graph: 4915112345678, quiet_hours: 22:00-7:00 }
    night-desk: { graph: "+15550100002", time_zone: America/New_York }
`;
    expect(alertSettings(read({}, config).alerts).recipients).toEqual([
      {
        name: 'anna',
        addresses: new Map([
          ['messages', 'whatsapp:+4915112345678'],
          ['graph', '4915112345678'],
        ]),
        timeZone: 'Europe/Berlin',
        quietHours: { from: '22:00', to: '07:00' },
      },
      {
        name: 'night-desk',
        addresses: new Map([['graph', '15550100002']]),
        timeZone: 'America/New_York',
        quietHours: undefined,
      },
    ]);
  });

  it('follow from routes by severity, account and rule', () => {
    const config = `
alerts:
  recipients: { ${ANNA} }
  routes:
    - { to: anna, severities: [warning, critical], accounts: 123-456-7890, rules: ["trim-*", pause] }
    - { to: [anna] }
`;
    expect(read({}, config).alerts.routes).toEqual([
      { to: ['anna'], severities: ['warning', 'critical'], accounts: ['1234567890'], rules: ['trim-*', 'pause'] },
      { to: ['anna'], severities: undefined, accounts: undefined, rules: undefined },
    ]);
  });

  it('include approvers by number, in both notations', () => {
    const config = 'alerts: { approvers: ["+4915112345678", "whatsapp:+15550100002", 4915112345679] }';
    expect(alertSettings(read({}, config).alerts).approvers.map(({ number }) => number)).toEqual([
      '+4915112345678',
      '+15550100002',
      '+4915112345679',
    ]);
  });

  it("include approvers by their own name, or by the recipient's name", () => {
    const named = 'alerts: { approvers: { anna: "+4915112345678", ben: "+4915112399978" } }';
    expect(alertSettings(read({}, named).alerts).approvers).toEqual([
      { name: 'anna', number: '+4915112345678' },
      { name: 'ben', number: '+4915112399978' },
    ]);
    const listed = `alerts: { recipients: { ${ANNA} }, approvers: [4915112345678, "+4915112399978", +4915112399978] }`;
    expect(alertSettings(read({}, listed).alerts).approvers).toEqual([
      { name: 'anna', number: '+4915112345678' },
      { name: undefined, number: '+4915112399978' },
    ]);
  });

  it('are refused for each mistake, without repeating numbers', () => {
    const mistakes = [
      'recipients: { anna: {} }',
      'recipients: { anna: { messages: "+4915112345678", graph: 0151 } }',
      `recipients: { ${ANNA} }\n  routes: [{ to: bert }]`,
      'routes: [{ to: anna }]',
      `recipients: { ${ANNA} }\n  routes: [{ to: anna }, { to: "+4915112345678" }]`,
      `recipients: { ${ANNA} }\n  routes: [{ to: [] }]`,
      'approvers: ["+4915112345678", anna]',
      'approvers: { anna: 0151, ben: "+4915112345678" }',
      'approvers: ["+4915112345678", "+4915187654378", "+15550100002"]',
      'approvers: { anna: "+4915112345678", ben: "4915112345678" }',
    ];
    expect(mistakes.flatMap((alerts) => problemsOf(ADS, `alerts:\n  ${alerts}`)).join('\n')).toMatchInlineSnapshot(`
      "alerts.recipients.anna has no address: set messages, graph, ntfy, email, slack, teams, google_chat, discord, webhook, alertmanager or pagerduty.
      Found text for "alerts.recipients.anna.messages", expected <channel>:+<number>, such as whatsapp:+4915112345678.
      Found text for "alerts.recipients.anna.graph", expected a number in international form, such as +4915112345678.
      alerts.routes[0].to has bert, expected a name from alerts.recipients: anna.
      alerts.routes[0].to has anna, expected a name from alerts.recipients, which is empty.
      alerts.routes[1].to has an invalid name, expected a name from alerts.recipients: anna.
      alerts.routes[0].to is empty, expected at least one name from alerts.recipients.
      Found text for "alerts.approvers.1", expected a number in international form, such as +4915112345678.
      Found text for "alerts.approvers.anna", expected a number in international form, such as +4915112345678.
      alerts.approvers has several numbers with the masked form +49…78, expected a name for each, as in { anna: "+49…", ben: "+49…" }.
      alerts.approvers.ben has the number of anna, expected a different number for each name."
    `);
  });

  it.each([
    [
      'an approver whose name is a number',
      'approvers: { 4915112345678: x }',
      'expected a short name in lower-case letters',
    ],
    ['an approver who is a list', 'approvers: { anna: [x] }', 'expected a number in international form'],
    ['a list of lists of approvers', 'approvers: [[x]]', 'expected a number in international form'],
    ['a time zone that does not exist', 'time_zone: Europe/Bonn', 'expected a time zone such as Europe/Berlin'],
    ['quiet hours of zero length', 'recipients: { anna: { quiet_hours: 7:00-07:00 } }', 'expected two times of day'],
    ['a digest at an invalid time', 'digest_at: 24:00', 'expected a time of day such as 08:00, or never'],
    ['an unknown severity', 'routes: [{ to: anna, severities: loud }]', 'expected one of info, warning, critical'],
    ['a route without a recipient', 'routes: [{ rules: x }]', 'alerts.routes'],
    ['zero minutes for delivery', 'undelivered_minutes: 0', 'expected a whole number from 1 to 1440'],
  ])('are refused in the file with %s', (_, alerts, words) => {
    const { findings } = failure(() => live(ADS, `alerts:\n  ${alerts}`));
    expect(findings[0]?.diagnostics.map(({ message }) => message).join('\n')).toContain(words);
  });
});

describe('times of alerts', () => {
  it('have defaults, and the values that are set', () => {
    const config = 'alerts: { cooldown_minutes: 0, repeat_hours: 2, undelivered_minutes: 5, digest_at: 7:30 }';
    expect(alertSettings(read({}, config).alerts)).toMatchObject({
      cooldownMs: 0,
      repeatMs: 7_200_000,
      undeliveredMs: 300_000,
      digestAt: '07:30',
    });
    expect(alertSettings(read({}, 'alerts: { digest_at: never }').alerts).digestAt).toBeUndefined();
  });
});

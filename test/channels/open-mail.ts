import type { ConnectionTools, OutgoingAlert } from '../../src/channels/channel.ts';
import { email } from '../../src/channels/email/channel.ts';
import { createRedact } from '../../src/services/http/redact.ts';

export const TEXT = `Budget changed: Boots & <b>Söckchen</b> (campaign 1)
60.00 EUR to 51.00 EUR (-15%)
Account Thames Bicycle Works (123), rule trim

+3 more: pacekeeper alerts list
Ref pk-AAAAAAAA`;

export const ALERT: OutgoingAlert = {
  recipient: 'anna@example.com',
  text: TEXT,
  alerts: [
    {
      key: 'change:1',
      kind: 'event',
      reason: 'event',
      severity: 'warning',
      customerId: '123',
      account: undefined,
      rule: 'trim',
      text: TEXT,
      since: '2026-11-20T12:00:00Z',
      until: '2026-11-20T13:00:00Z',
    },
  ],
  dashboardUrl: 'https://pacekeeper.example.com',
  at: '2026-11-20T12:00:00Z',
  reference: 'AAAAAAAA',
  statusCallback: undefined,
};

interface Given {
  readonly url: string;
  readonly login?: readonly [user: string, password: string];
  readonly authorities?: readonly string[];
  readonly stop?: AbortSignal;
}

export async function openMail({ url, login, authorities, stop }: Given) {
  const [username, password] = login ?? [];
  const declared = { url, from: 'pacekeeper@example.org', username, password, retry: {} as never };
  const area = email.areaOf(declared);
  if (area === undefined) throw new Error(`No mail server in ${url}.`);
  const redact = createRedact(password === undefined ? [] : [password]);
  const tools = { redact, authorities, pauses: { stop }, isLive: true } as unknown as ConnectionTools;
  const connection = email.connect(area, tools, declared);
  const { open, check } = await email.load();
  return { send: (alert = ALERT) => open(connection).send(alert), check: () => check.ask(connection) };
}

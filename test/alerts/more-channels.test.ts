import { describe, expect, it } from 'vitest';
import type { SaidAlert } from '../../src/channels/channel.ts';
import type { ChannelConnections } from '../../src/channels/channels.ts';
import type { AlertRecipient } from '../../src/config/alert-settings.ts';
import { shortWaysToDecide, waysToDecide } from '../../src/domain/channel.ts';
import { budgetId } from '../../src/domain/ids.ts';
import { createHttpClient } from '../../src/services/http/http-client.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { enqueueAlert, notify } from '../../src/storage/records/alerts/alert-table.ts';
import { insertProposal } from '../../src/storage/records/budgets/proposal-table.ts';
import { forgetfulServer, headersOf, mailOn, mailServer } from '../support/mail-server.ts';
import { someIntent } from '../support/state.ts';
import { stubServer } from '../support/stub-server.ts';
import { deliveryPath, phonesOfFile } from './delivery-path.ts';

const phones = phonesOfFile();

const BY_MAIL: AlertRecipient = {
  name: 'anna',
  addresses: new Map([['email', 'anna@example.com']]),
  timeZone: 'UTC',
  quietHours: undefined,
};

const bodyOf = ({ source }: { readonly source: string }) => source.replace(/=\r\n/g, '').replaceAll('\r\n', '\n');

describe('an alert by mail', () => {
  it('that the server took is done: nobody waits for a report of delivery, and no other channel gets it', async () => {
    const server = await mailServer();
    const addresses = new Map([...BY_MAIL.addresses, ['webhook', 'default']]);
    const path = await deliveryPath(phones, [{ ...BY_MAIL, addresses }]);
    await path.enqueue('Spent too much');
    expect(await path.deliver(mailOn(server.port))).toMatchObject([{ channel: 'email', state: 'accepted' }]);
    path.wait(600);
    expect(await path.deliver(mailOn(server.port))).toEqual([]);
    expect(server.mails).toHaveLength(1);
    expect(path.rows('SELECT state, escalated_at FROM outbox')).toEqual([{ state: 'accepted', escalated_at: null }]);
  });

  it('in doubt goes out once more, under the same id, and says so; then people see that it is in doubt', async () => {
    const { port, sources } = await forgetfulServer(9);
    const path = await deliveryPath(phones, [BY_MAIL]);
    await path.enqueue('Spent too much');
    expect(await path.deliver(mailOn(port))).toMatchObject([{ state: 'unknown' }]);
    expect(sources).toHaveLength(2);
    const [first = '', second = ''] = sources;
    const id = (source: string) => headersOf({ source }).get('message-id');
    expect(id(second)).toBe(id(first));
    expect(bodyOf({ source: first })).not.toContain('Sent again');
    expect(bodyOf({ source: second })).toContain('Sent again, because an earlier attempt may not have arrived.');
    expect(await path.deliver(mailOn(port))).toMatchObject([{ state: 'unknown' }]);
    path.wait(31);
    expect(await path.deliver(mailOn(port))).toMatchObject([{ state: 'unknown', isLost: true }]);
    expect(sources).toHaveLength(2);
  });

  it('that a dead process may have sent goes out once more, and is then accepted', async () => {
    const server = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    await path.enqueue('Spent too much');
    const dies = (point: string) => {
      if (point === 'send:after-answer') throw new Error('killed');
    };
    await expect(path.deliver({ ...mailOn(server.port), deliveryPasses: dies })).rejects.toThrow('killed');
    path.wait(6);
    expect(await path.deliver(mailOn(server.port))).toMatchObject([{ state: 'accepted' }]);
    expect(server.mails.map((mail) => bodyOf(mail).includes('Sent again'))).toEqual([false, true]);
    path.wait(6);
    expect(await path.deliver(mailOn(server.port))).toEqual([]);
  });

  it('asks for no answer, because a mail proves nobody: it names the command', async () => {
    const server = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    const nowMs = Date.parse('2026-11-20T12:00:00Z');
    const { kind: _kind, undoes: _undoes, actor: _actor, ...change } = someIntent();
    const proposal = await insertProposal(path.state.db, undefined, { ...change, expiresAtMs: nowMs + 60_000 }, nowMs);
    const code = proposal?.code ?? '';
    const asks = (byReply: boolean) => `Shoes\n${waysToDecide(code, byReply)} (until noon)`;
    const asking = {
      dedupeKey: `proposal:${code}`,
      severity: 'info',
      customerId: undefined,
      text: asks(true),
      short: `${shortWaysToDecide(code, true)}: Shoes`,
      proposalCode: code,
    } as const;
    await enqueueAlert(path.state.db, asking, nowMs);
    await path.deliver(mailOn(server.port));
    expect(bodyOf(server.mails[0] ?? { source: '' })).toContain(asks(false));
    expect(bodyOf(server.mails[0] ?? { source: '' })).not.toContain('YES');
    // Neither does the list of alerts in a request.
    const { url, requests } = await stubServer((_request, response) => response.writeHead(200).end());
    const webhook: ChannelConnections['webhook'] = {
      url,
      addressOf: () => url,
      names: ['default'],
      secrets: [Buffer.alloc(24)],
      http: createHttpClient(),
      redact: createRedact([]),
    };
    const addresses = new Map([['webhook', 'default']]);
    const other = await deliveryPath(phones, [{ ...BY_MAIL, addresses }]);
    await enqueueAlert(other.state.db, asking, nowMs);
    await other.deliver({ webhook });
    expect(JSON.parse(requests[0]?.body ?? '').data.alerts[0].text).toBe(asks(false));
    expect(requests[0]?.body).not.toContain('YES');
  });

  it('leads to the page that asks for a confirmation, behind the login, if there is a dashboard', async () => {
    const server = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    const nowMs = Date.parse('2026-11-20T12:00:00Z');
    for (const byReply of [true, false]) {
      const { kind: _kind, undoes: _undoes, actor: _actor, ...change } = someIntent();
      const own = { ...change, budgetId: budgetId(byReply ? '1' : '2'), expiresAtMs: nowMs + 60_000 };
      const { code = '' } = (await insertProposal(path.state.db, undefined, own, nowMs)) ?? {};
      const text = `Shoes\n${waysToDecide(code, byReply)} (until noon)`;
      const about = {
        dedupeKey: `proposal:${code}`,
        severity: 'info',
        customerId: undefined,
        proposalCode: code,
      } as const;
      await enqueueAlert(path.state.db, { ...about, text }, nowMs);
      await path.deliver({ ...mailOn(server.port), publicUrl: 'https://ads.example.com' });
      const url = `https://ads.example.com/inbox?act=approve&on=${code}`;
      const said = bodyOf(server.mails.at(-1) ?? { source: '' }).replaceAll('=3D', '=');
      expect(said).toContain(`Decide: ${url} (until noon)`);
      expect(said).toContain(`href="${url.replace('&', '&amp;')}">Decide</a> (until noon)`);
      expect(said).not.toMatch(/YES|pacekeeper budgets approve/);
    }
    expect(server.mails).toHaveLength(2);
  });
});

it('an alert for a webhook that no longer exists waits for new settings, if its recipient has no other channel', async () => {
  const { url, requests } = await stubServer((_request, response) =>
    response.writeHead(410).end('channel_is_archived'),
  );
  const connection = {
    url,
    addressOf: () => url,
    names: ['default'],
    http: createHttpClient(),
    redact: createRedact([]),
  };
  const path = await deliveryPath(phones, [{ ...BY_MAIL, addresses: new Map([['slack', 'default']]) }]);
  await path.enqueue('Spent too much');
  expect(await path.deliver({ slack: connection })).toMatchObject([{ state: 'pending' }]);
  const both = new Map([
    ['slack', 'default'],
    ['webhook', 'default'],
  ]);
  const other = await deliveryPath(phones, [{ ...BY_MAIL, addresses: both }]);
  await other.enqueue('Spent too much');
  const webhook = { ...connection, secrets: [Buffer.alloc(24)] };
  expect(await other.deliver({ slack: connection, webhook })).toMatchObject([
    { channel: 'slack', state: 'failed', instead: 'webhook' },
    { channel: 'webhook', state: 'failed', isLost: true },
  ]);
  expect(requests).toHaveLength(3);
});

it.each([
  ['pagerduty', 'trigger'],
  ['webhook', 'first'],
])(
  'a condition that ended and is true again before %s could hear of it stays open there',
  async (channel, expected) => {
    const { url, requests } = await stubServer((_request, response) =>
      response.writeHead(202).end('{"status":"success"}'),
    );
    const connection = {
      url,
      addressOf: () => url,
      names: ['default'],
      http: createHttpClient(),
      redact: createRedact([]),
      secrets: [Buffer.alloc(24)],
    };
    const path = await deliveryPath(phones, [{ ...BY_MAIL, addresses: new Map([[channel, 'default']]) }]);
    const about = { dedupeKey: 'c', severity: 'critical', customerId: undefined, rule: 'stopped' } as const;
    for (const reason of ['first', 'resolved', 'first'] as const) {
      await notify(
        path.state.db,
        { ...about, kind: 'condition', reason, text: `It is ${reason}.` },
        phones.clock.now(),
      );
      path.wait(60);
    }
    await path.deliver({ [channel]: connection });
    const bodies = requests.map(({ body }) => JSON.parse(body));
    const acts = bodies.flatMap((body) => body.event_action ?? body.data.alerts.map((one: SaidAlert) => one.reason));
    expect(acts).toEqual([expected]);
  },
);

import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { enqueueAlert, enqueueReply } from '../../src/storage/records/alerts/alert-table.ts';
import { sample } from '../support/effort.ts';
import {
  ANNA,
  type DeliveryPath,
  deliveryPath,
  type FaultOf,
  onSend,
  person,
  phonesOfFile,
  withoutGraph,
} from './delivery-path.ts';

const phones = phonesOfFile();

const TO = 'whatsapp:+4915112345678';
const TOLD = [['messages', TO, 'Budget cut.']];
const states = (path: DeliveryPath) =>
  path.rows('SELECT m.state, m.attempts FROM outbox o JOIN message m ON m.id = o.message_id AND m.state = o.state');

/** A recipient whom only area C reaches: nothing else can make up for it. */
async function alertWaiting(fault?: FaultOf): Promise<DeliveryPath> {
  const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
  await path.enqueue('Budget cut.');
  path.fault = fault;
  return path;
}

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Fault => ({
  kind: 'status',
  status: code,
  headers,
});

describe('a message', () => {
  it('is accepted once, and the response is kept', async () => {
    const path = await alertWaiting();
    expect(await path.deliver()).toMatchObject([{ state: 'accepted', recipient: TO, error: undefined }]);
    expect(await path.deliver()).toEqual([]);
    expect(path.sent()).toEqual(TOLD);
    expect(path.rows('SELECT status, provider_id, attempts, response FROM message')).toEqual([
      {
        status: 'queued',
        provider_id: expect.stringMatching(/^SM/),
        attempts: 1n,
        response: expect.stringContaining('"sid"'),
      },
    ]);
    expect(path.rows('SELECT state FROM alert')).toEqual([{ state: 'resolved' }]);
  });

  it('ends with the reference that identifies it in the list', async () => {
    const path = await alertWaiting();
    await path.deliver();
    const [{ reference } = {}] = path.rows('SELECT reference FROM message');
    expect(phones.sandbox.messages().at(-1)?.body).toBe(`Budget cut.\nRef pk-${reference}`);
  });

  it.each(
    sample<[sentence: string, fault: Fault, pauses: number[]]>([
      ['our own pause if a 429 names no delay', status(429), [1000]],
      ['20 seconds if a 429 asks for them', status(429, { 'retry-after': '20' }), [20_000]],
    ]),
  )('is sent again within the pass after %s', async (_sentence, fault, taken) => {
    const path = await alertWaiting(onSend(fault, 1));
    expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
    expect(path.sent()).toEqual(TOLD);
    expect(path.pauses.taken).toEqual(taken);
    expect(states(path)).toEqual([{ state: 'accepted', attempts: 2n }]);
  });

  it.each(
    sample<[sentence: string, fault: Fault]>([
      ['a connection lost after processing', { kind: 'reset_after' }],
      ['a truncated response', { kind: 'cut', afterBytes: 5 }],
    ]),
  )('is found by its reference and not sent again after %s', async (_sentence, fault) => {
    const path = await alertWaiting(onSend(fault));
    expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
    path.fault = undefined;
    path.wait(60);
    await path.deliver();
    expect(path.sent()).toEqual(TOLD);
  });

  it.each(
    sample<[sentence: string, fault: Fault]>([
      ['500', status(500)],
      ['a lost connection', { kind: 'reset_before' }],
    ]),
  )(
    'that met %s before processing has an unknown outcome for a minute, and is then sent again',
    async (_sentence, fault) => {
      const path = await alertWaiting(onSend(fault));
      const failure = {
        state: 'unknown',
        error: expect.stringMatching(/in the list of sent messages yet\. pacekeeper checks again later\.$/),
      };
      expect(await path.deliver()).toMatchObject([failure]);
      path.fault = undefined;
      path.wait(59 / 60);
      expect(await path.deliver()).toMatchObject([failure]);
      expect(path.sent()).toEqual([]);
      path.wait(1 / 60);
      expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
      expect(path.sent()).toEqual(TOLD);
      expect(states(path)).toEqual([{ state: 'accepted', attempts: 2n }]);
    },
  );

  it('that is listed late is found by a later search, and not sent twice', async () => {
    const path = await alertWaiting(({ kind }) =>
      kind === 'message'
        ? { kind: 'reset_after' }
        : kind === 'message_list'
          ? { kind: 'replace', body: '{"messages":[],"next_page_uri":null}' }
          : undefined,
    );
    expect(await path.deliver()).toMatchObject([{ state: 'unknown' }]);
    path.fault = undefined;
    path.wait(1);
    expect(await path.deliver()).toEqual([]);
    expect(path.sent()).toEqual(TOLD);
  });

  it('is searched for by its original sender, whatever the settings say now', async () => {
    const path = await alertWaiting(({ kind }) =>
      kind === 'message' ? { kind: 'reset_after' } : kind === 'message_list' ? status(500) : undefined,
    );
    await path.deliver();
    path.fault = undefined;
    path.wait(2);
    const { messages } = path;
    const other = { messages: { ...messages, accountId: 'AC00000000000000000000000000000009' } };
    expect(await path.deliver(other)).toMatchObject([
      {
        state: 'unknown',
        error: expect.stringContaining('from another account. pacekeeper cannot look it up. Check MESSAGES_ACCOUNT_ID'),
      },
    ]);
    expect(await path.deliver({ messages: { ...messages, from: 'whatsapp:+15550109999' } })).toEqual([]);
    expect(path.sent()).toEqual(TOLD);
    expect(states(path)).toEqual([{ state: 'delivered', attempts: 1n }]);
  });

  it.each(
    sample<[sentence: string, fault: Fault, state: string, attempts: bigint]>([
      ['429 at every attempt', status(429), 'pending', 2n],
      ['429 that asks for an hour', status(429, { 'retry-after': '3600' }), 'pending', 1n],
      ['invalid credentials, which can be corrected', status(401), 'pending', 1n],
      ['a URL that is not found, which can be corrected', status(404), 'pending', 1n],
    ]),
  )(
    'waits for the next pass after %s, counts as a failure, and then goes out once',
    async (_sentence, fault, state, attempts) => {
      const path = await alertWaiting(onSend(fault));
      expect(await path.deliver()).toMatchObject([{ state, error: expect.stringMatching(/HTTP/) }]);
      expect(states(path)).toEqual([{ state, attempts }]);
      path.fault = undefined;
      path.wait(40);
      expect(await path.deliver()).toMatchObject([{ state: 'accepted' }]);
      expect(path.sent()).toEqual(TOLD);
      expect(path.log).toEqual([]);
    },
  );

  it('that waits is combined with newer alerts into one message', async () => {
    const path = await alertWaiting(onSend(status(429)));
    await path.deliver();
    await path.enqueue('Account failed.', 'critical');
    path.fault = undefined;
    expect(await path.deliver()).toHaveLength(1);
    expect(path.sent()).toEqual([['messages', TO, 'Account failed.\n\nBudget cut.']]);
    expect(path.rows('SELECT attempts, state FROM outbox ORDER BY id')).toEqual([
      { attempts: 3n, state: 'accepted' },
      { attempts: 1n, state: 'accepted' },
    ]);
  });

  it('in doubt keeps its text when it is sent again; newer alerts get their own message', async () => {
    const path = await alertWaiting(onSend(status(500)));
    await path.deliver();
    await path.enqueue('Account failed.', 'critical');
    path.fault = undefined;
    path.wait(1);
    await path.deliver();
    expect(path.sent().map(([, , text]) => text)).toEqual(['Budget cut.', 'Account failed.']);
  });

  it.each(
    sample<[sentence: string, list: Fault]>([
      ['the list cannot be read', status(500)],
      ['there is no list', status(404)],
      ['the list cannot be understood', { kind: 'replace', body: '[]' }],
    ]),
  )('in doubt stays unknown while %s, fails each pass, and is never sent again', async (_sentence, list) => {
    const faults: FaultOf = ({ kind }) =>
      kind === 'message' ? { kind: 'reset_after' } : kind === 'message_list' ? list : undefined;
    const path = await alertWaiting(faults);
    for (let pass = 1; pass <= 3; pass++) {
      expect(await path.deliver()).toMatchObject([
        { state: 'unknown', error: expect.stringContaining('The look-up of the message failed') },
      ]);
    }
    expect(path.sent()).toEqual(TOLD);
    path.fault = undefined;
    expect(await path.deliver()).toEqual([]);
    expect(states(path)).toEqual([{ state: 'delivered', attempts: 1n }]);
    expect(path.sent()).toEqual(TOLD);
  });

  it('waits if its run is asked to stop, also while another one is sent', async () => {
    const recipients = [ANNA, person('bob', '+4915112345679')].map(withoutGraph);
    const path = await deliveryPath(phones, recipients);
    await path.enqueue('Budget cut.');
    const stop = new AbortController();
    path.fault = ({ kind }) => {
      if (kind === 'message') stop.abort();
      return undefined;
    };
    const stopped = await path.deliver({ pauses: { ...path.pauses, stop: stop.signal } });
    expect([stopped.length, path.sent()]).toEqual([1, TOLD]);
    expect((await path.deliver()).map(({ recipient }) => recipient)).toEqual(['whatsapp:+4915112345679']);
  });

  it('to an unusable address is refused locally, and does not stop other messages', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    const reply = { channel: 'messages', recipient: 'nobody', text: 'Done.', customerId: undefined } as const;
    await enqueueReply(path.state.db, { ...reply, dedupeKey: 'reply:1' }, phones.clock.now());
    await path.enqueue('Budget cut.');
    const deliveries = await path.deliver();
    expect(deliveries.map(({ state }) => state)).toEqual(['failed', 'accepted']);
    expect(deliveries[0]?.error).toMatch(/^Invalid recipient address: expected <channel>:\+<number>\./);
    expect(path.sent()).toEqual(TOLD);
  });

  it.each<[sentence: string, code: number, state: string]>([
    ['a refused token waits, because the settings can correct it', 190, 'pending'],
    ['a missing permission waits, too', 200, 'pending'],
    ['an unreachable recipient fails', 131026, 'failed'],
  ])('on the graph interface with %s', async (_, code, state) => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    const body = JSON.stringify({ error: { message: 'No.', type: 'OAuthException', code } });
    path.fault = ({ kind }) => (kind === 'graph_send' ? { kind: 'status', status: 400, body } : undefined);
    expect(await path.deliver({ messages: undefined })).toMatchObject([{ channel: 'graph', state }]);
  });

  it('C2: to a recipient of another channel than the sender is refused locally, and stays failed in the outbox', async () => {
    const bob = { ...ANNA, name: 'bob', addresses: new Map([['messages', 'sms:+4915112345678'] as const]) };
    const path = await deliveryPath(phones, [bob, withoutGraph(ANNA)]);
    await path.enqueue('Budget cut.', 'critical');
    const error =
      'Invalid recipient address: expected whatsapp:+<number> as in MESSAGES_FROM, found sms:. Correct it under alerts.recipients.';
    expect(await path.deliver()).toMatchObject([
      { recipient: 'sms:+4915112345678', state: 'failed', error, isLost: true },
      { recipient: TO, state: 'accepted' },
    ]);
    expect(path.sent()).toEqual(TOLD);
    expect(path.rows("SELECT recipient, state, error FROM outbox WHERE recipient LIKE 'sms%'")).toEqual([
      { recipient: 'sms:+4915112345678', state: 'failed', error },
    ]);
    expect(path.log).toEqual([expect.stringContaining('ALERT NOT DELIVERED')]);
  });

  it('to a recipient of another channel than the sender goes to the graph interface, if there is an address', async () => {
    const addresses = new Map([
      ['messages', 'sms:+4915112345678'],
      ['graph', '4915112345678'],
    ] as const);
    const path = await deliveryPath(phones, [{ ...ANNA, addresses }]);
    await path.enqueue('Budget cut.');
    expect(await path.deliver()).toMatchObject([{ state: 'failed', instead: 'graph' }, { state: 'accepted' }]);
    expect(path.sent()).toEqual([['graph', '4915112345678', 'Budget cut.']]);
  });
});

describe('many alerts', () => {
  it('become one message per recipient if a thousand come at once, critical ones first', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.state.db.transaction().execute(async (db) => {
      for (let nth = 1; nth <= 1000; nth++) {
        const severity = nth === 700 ? ('critical' as const) : ('warning' as const);
        const alert = { dedupeKey: `e${nth}`, severity, customerId: undefined, text: `Budget ${nth} cut.` };
        await enqueueAlert(db, alert, phones.clock.now());
      }
    });
    expect(await path.deliver()).toHaveLength(1);
    const [[, , text = ''] = [], ...others] = path.sent();
    expect(others).toEqual([]);
    expect(text.length).toBeLessThanOrEqual(1600);
    expect(text).toMatch(/^Budget 700 cut\.\n\nBudget 1 cut\.\n\n.*\+\d+ more: pacekeeper alerts list$/s);
    expect(path.rows("SELECT count(*) AS told FROM outbox WHERE state = 'accepted'")).toEqual([{ told: 1000n }]);
    expect(await path.deliver()).toEqual([]);
  });

  it('become one message even beyond the value limit of SQLite, and later alerts are delivered too', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.state.connection.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 33000)
      INSERT INTO alert (dedupe_key, kind, state, severity, text, fired_at, occasions, created_at, updated_at)
      SELECT 'k' || i, 'event', 'firing', 'info', 't' || i, '2026-11-20T12:00:00Z', 1, '2026-11-20T12:00:00Z',
        '2026-11-20T12:00:00Z' FROM n;
      INSERT INTO outbox (alert_id, occasion, reason, severity, text, channel, recipient, state, created_at, updated_at)
      SELECT id, 1, 'event', severity, text, 'messages', '${TO}', 'pending', created_at, updated_at FROM alert`);
    expect(await path.deliver()).toMatchObject([{ state: 'accepted', alerts: 33_000 }]);
    expect(path.rows("SELECT count(*) AS firing FROM alert WHERE state = 'firing'")).toEqual([{ firing: 0n }]);
    await path.enqueue('Account failed.', 'critical');
    expect(await path.deliver()).toMatchObject([{ state: 'accepted', alerts: 1 }]);
    expect(path.sent()).toHaveLength(2);
  });

  it('that ask for an answer all show their codes; counted ones are recorded as such until sent again', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    await path.state.db.transaction().execute(async (db) => {
      for (let nth = 10; nth < 40; nth++) {
        const about = { severity: 'info', customerId: undefined } as const;
        const short = `YES ${nth} or NO ${nth}: ${'Shoes '.repeat(10)}`;
        await enqueueAlert(db, { ...about, dedupeKey: `ask:${nth}`, text: 'x'.repeat(300), short }, phones.clock.now());
        await enqueueAlert(db, { ...about, dedupeKey: `e${nth}`, text: 'x'.repeat(300) }, phones.clock.now());
      }
    });
    const counts = () => path.rows('SELECT state, counted, count(*) AS count FROM outbox GROUP BY 1, 2 ORDER BY 1, 2');
    path.fault = onSend(status(429));
    await path.deliver();
    expect(counts()).toEqual([
      { state: 'pending', counted: 0n, count: 30n },
      { state: 'pending', counted: 1n, count: 30n },
    ]);
    path.fault = undefined;
    expect(await path.deliver()).toMatchObject([{ counted: 30 }, { counted: 0 }]);
    const texts = path.sent().map(([, , text]) => text);
    const codes = texts.join('\n').match(/(?<=^YES )\d\d/gm) ?? [];
    expect(codes.length + (texts.join('\n').match(/^x+$/gm) ?? []).length).toBe(30);
    expect(texts.map((text) => text.includes('+30 more'))).toEqual([true, false]);
    expect(counts()).toEqual([
      { state: 'accepted', counted: 0n, count: 30n },
      { state: 'accepted', counted: 1n, count: 30n },
    ]);
  });

  it('wait for the end of quiet hours unless critical', async () => {
    const night = { quietHours: { from: '11:00', to: '13:00' } };
    const path = await deliveryPath(phones, [{ ...withoutGraph(ANNA), ...night }]);
    await path.enqueue('Budget cut.');
    await path.enqueue('Account failed.', 'critical');
    await path.deliver();
    expect(path.sent().map(([, , text]) => text)).toEqual(['Account failed.']);
    path.wait(60);
    await path.deliver();
    expect(path.sent().map(([, , text]) => text)).toEqual(['Account failed.', 'Budget cut.']);
  });

  it('in doubt also wait for the end of quiet hours before they are sent again', async () => {
    const night = { quietHours: { from: '12:30', to: '13:00' } };
    const path = await deliveryPath(phones, [{ ...withoutGraph(ANNA), ...night }]);
    await path.enqueue('Budget cut.', 'info');
    path.fault = onSend(status(500));
    await path.deliver();
    path.fault = undefined;
    path.wait(40);
    expect(await path.deliver()).toEqual([]);
    path.wait(20);
    await path.deliver();
    expect(path.sent()).toEqual(TOLD);
  });

  it('wait in the outbox without an address if there is no channel', async () => {
    const path = await deliveryPath(phones);
    await path.enqueue('Budget cut.');
    expect(await path.deliver({ messages: undefined, graph: undefined })).toEqual([]);
    expect(path.rows('SELECT state, recipient FROM outbox')).toEqual([{ state: 'pending', recipient: null }]);
    await path.deliver();
    expect(path.sent()).toEqual(TOLD);
  });
});

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { NamedTemplate } from '../../src/channels/graph/call-graph.ts';
import type { ContentTemplate } from '../../src/channels/messages/messages-connection.ts';
import type { Template } from '../../src/channels/template.ts';
import { recordStatus } from '../../src/storage/records/alerts/message-outcome.ts';
import { insertReply } from '../../src/storage/records/alerts/reply-table.ts';
import { mailOn, mailServer } from '../support/mail-server.ts';
import {
  ANNA,
  type DeliveryPath,
  deliveryPath,
  onlyGraph,
  onSend,
  type Phones,
  startPhones,
  withoutGraph,
} from './delivery-path.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
const ALERT = 'HX0000000000000000000000000000a1e7';
const FINDING = 'HX0000000000000000000000000000f19d';
const PAUSED = 'HX000000000000000000000000000005a5';
const UNKNOWN = 'HX00000000000000000000000000000000';

type Fields = Template['fields'];
const content = (id: string, fields: Fields = ['text'], kind = 'default') =>
  new Map<string, ContentTemplate>([[kind, { content: id, fields }]]);
const named = (name: string, fields: Fields = ['text'], kind = 'default') =>
  new Map<string, NamedTemplate>([[kind, { name, language: 'en', fields }]]);

const BY_MAIL = { ...ANNA, addresses: new Map([...withoutGraph(ANNA).addresses, ['email', 'anna@example.com']]) };

let phones: Phones;
// A template that one test withdraws is gone, so each test has a sandbox of its own.
beforeEach(async () => {
  await phones?.close();
  phones = await startPhones();
});
afterAll(() => phones.close());

/** Both channels with templates, as the sandbox rehearses them. */
function withTemplates(
  { messages, graph }: DeliveryPath,
  contents = content(ALERT),
  names: ReadonlyMap<string, NamedTemplate> = named('pacekeeper_alert'),
) {
  const { phonesWroteAt } = phones.sandbox;
  return {
    messages: { ...messages, templates: contents, phonesWroteAt },
    graph: { ...graph, templates: names, phonesWroteAt },
  };
}

/** The person writes to both the service and pacekeeper, or pacekeeper only believes so. */
async function writes(path: DeliveryPath, channel: 'messages' | 'graph', isTrue = true): Promise<void> {
  const { clock, sandbox } = phones;
  const sender = ANNA.addresses.get(channel) ?? '';
  if (isTrue) await sandbox.receive({ channel, from: sender, text: 'Hello' }, 'http://127.0.0.1:9');
  const receivedAt = new Date(clock.now()).toISOString().replace('.000', '');
  const reply = { dedupeKey: `${channel} ${receivedAt}`, channel, sender, text: 'Hello', receivedAt };
  const came = { proposalCode: undefined, outcome: 'not_understood', answer: undefined } as const;
  await insertReply(path.state.db, { ...reply, ...came }, clock.now());
}

/** The provider reports soon that the text came after the window. */
async function reportsLate(path: DeliveryPath): Promise<void> {
  const [{ provider_id } = {}] = path.rows('SELECT provider_id FROM message');
  const report = { channel: 'messages', providerId: String(provider_id), status: 'undelivered', errorCode: '63016' };
  expect(await recordStatus(path.state.db, report, phones.clock.now())).toBe('moved');
}

const told = (path: DeliveryPath) =>
  path.sent().map(([channel, , text]) => `${channel}: ${text.replace(/ pk-\w{8}/g, ' pk-…')}`);
const TEMPLATE = (text: string) => `Pacekeeper: ${text} pk-…\nAnswer to get messages in full for a day.`;

describe('outside the reply window', () => {
  it('an alert without a template for its kind goes to the next channel at once', async () => {
    const { port, mails } = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    const changes = { ...withTemplates(path, content(ALERT, ['text'], 'digest')), ...mailOn(port) };
    expect(await path.deliver(changes)).toMatchObject([
      {
        channel: 'messages',
        state: 'failed',
        error: expect.stringMatching(
          /messages\.templates has no template for event.*Set messages\.templates\.event or/,
        ),
      },
      { channel: 'email', state: 'accepted' },
    ]);
    expect([told(path), mails.length]).toEqual([[], 1]);
  });

  it('an alert without a template waits if no channel is left, and goes out when the setting is there', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    expect(await path.deliver(withTemplates(path, content(ALERT, ['text'], 'digest')))).toMatchObject([
      { state: 'pending' },
    ]);
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted' }]);
    expect(told(path)).toEqual([`messages: ${TEMPLATE('Budget cut.')}`]);
  });

  it.each([
    ['unknown', UNKNOWN, ['text'], /21655.*Check the template/],
    ['paused, which is reported later', PAUSED, ['text'], /63041/],
    ['of another number of variables, which is reported later', FINDING, ['text'], /63028/],
  ] as const)('a template of area C that is %s lets the mail through', async (_how, id, fields, error) => {
    const { port, mails } = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    const changes = { ...withTemplates(path, content(id, fields)), ...mailOn(port) };
    await path.deliver(changes);
    path.wait(31);
    await path.deliver(changes);
    expect(path.rows("SELECT error FROM message WHERE channel = 'messages'")).toEqual([
      { error: expect.stringMatching(error) },
    ]);
    expect(mails).toHaveLength(1);
    path.wait(31);
    expect(await path.deliver(changes)).toEqual([]);
    expect(mails).toHaveLength(1);
  });

  it.each([
    ['unknown', 'nobody_knows', ['text'], /132001.*does not exist/],
    ['paused', 'pacekeeper_paused', ['text'], /132015.*paused/],
    ['of another number of variables', 'pacekeeper_finding', ['text'], /132000.*Compare the fields/],
  ] as const)('a template of area A that is %s lets the mail through at once', async (_how, name, fields, error) => {
    const { port, mails } = await mailServer();
    const addresses = new Map([...onlyGraph(ANNA).addresses, ['email', 'anna@example.com']]);
    const path = await deliveryPath(phones, [{ ...ANNA, addresses }]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    const changes = { ...withTemplates(path, undefined, named(name, fields)), ...mailOn(port) };
    expect(await path.deliver(changes)).toMatchObject([
      { channel: 'graph', state: 'failed', error: expect.stringMatching(error) },
      { channel: 'email', state: 'accepted' },
    ]);
    expect(mails).toHaveLength(1);
  });

  it('a template that the provider refuses as free text is not sent again: the next channel gets the alert', async () => {
    const path = await deliveryPath(phones, [ANNA]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    await path.deliver(withTemplates(path));
    await reportsLate(path);
    await path.deliver(withTemplates(path));
    expect(told(path)).toEqual([`messages: ${TEMPLATE('Budget cut.')}`, `graph: ${TEMPLATE('Budget cut.')}`]);
  });

  it.each([
    ['messages', withoutGraph(ANNA)],
    ['graph', onlyGraph(ANNA)],
  ] as const)('free text goes out without templates in the settings, and %s refuses it', async (channel, anna) => {
    const path = await deliveryPath(phones, [anna]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    await path.deliver();
    path.wait(31);
    await path.deliver();
    expect(path.rows('SELECT state, error_code FROM message')).toEqual([
      { state: 'failed', error_code: channel === 'graph' ? '131047' : '63016' },
    ]);
    expect(path.log.join()).toContain(`Set ${channel}.templates`);
  });

  it('a template whose answer is lost is found by its reference, and not sent twice', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(DAY);
    path.fault = onSend({ kind: 'reset_after' }, 1);
    await path.enqueue('Budget cut.');
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted' }]);
    expect(told(path)).toEqual([`messages: ${TEMPLATE('Budget cut.')}`]);
  });

  it('a message has no picture', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(DAY);
    await path.enqueue('Budget cut.');
    const picture = { url: 'https://hooks.example.com/1.png', png: undefined, words: 'The month.' };
    await path.deliver({ ...withTemplates(path), pictureAt: async () => picture });
    expect(phones.sandbox.messages()).toMatchObject([{ mediaUrl: undefined, status: 'delivered' }]);
  });

  it('alerts that do not fit into a template are counted, not lost in a cut', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(DAY);
    for (let number = 1; number <= 9; number += 1) await path.enqueue(`${number} ${'is too expensive '.repeat(8)}`);
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted', alerts: 9, counted: 6 }]);
    expect(told(path)).toEqual([
      expect.stringMatching(/^messages: Pacekeeper: 1 is .*\+6 more: pacekeeper alerts list pk-/),
    ]);
  });
});

describe('a window that only seemed open', () => {
  it('costs no alert on area A: the refused text goes out by template in the same delivery', async () => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    path.wait(2 * DAY);
    await writes(path, 'graph', false);
    await path.enqueue('Budget cut.');
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted' }]);
    expect(told(path)).toEqual([`graph: ${TEMPLATE('Budget cut.')}`]);
  });

  it('costs no alert on area C: after the report, it goes out by template, once', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(2 * DAY);
    await writes(path, 'messages', false);
    await path.enqueue('Budget cut.');
    await path.deliver(withTemplates(path));
    path.wait(31);
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted' }]);
    expect(told(path)).toEqual(['messages: Budget cut.', `messages: ${TEMPLATE('Budget cut.')}`]);
    expect(path.log).toEqual([expect.stringMatching(/^An alert is sent again by template\. .*63016/)]);
    await path.enqueue('Budget raised.');
    await path.deliver(withTemplates(path));
    expect(told(path).at(-1)).toBe(`messages: ${TEMPLATE('Budget raised.')}`);
  });

  it('of area A makes a long text anew in the length of a template, and counts the rest', async () => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    path.wait(2 * DAY);
    await writes(path, 'graph', false);
    for (let number = 1; number <= 9; number += 1) await path.enqueue(`${number} ${'is too expensive '.repeat(8)}`);
    expect(await path.deliver(withTemplates(path))).toMatchObject([{ state: 'accepted', alerts: 9, counted: 6 }]);
    expect(told(path)).toEqual([
      expect.stringMatching(/^graph: Pacekeeper: 1 is .*\+6 more: pacekeeper alerts list pk-/),
    ]);
  });

  it('closes while a long text is in doubt: its alerts are counted in a template, not lost in a cut', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    for (let number = 1; number <= 9; number += 1) await path.enqueue(`${number} ${'is too expensive '.repeat(8)}`);
    const dies = (point: string) => {
      if (point === 'send:before-send') throw new Error('killed');
    };
    await expect(path.deliver({ ...withTemplates(path), deliveryPasses: dies })).rejects.toThrow('killed');
    path.wait(DAY);
    await path.deliver(withTemplates(path));
    expect(told(path)).toEqual([expect.stringMatching(/: Pacekeeper: 1 is .*\+6 more: pacekeeper alerts list pk-/)]);
  });

  it('is tried by template only once: then the next channel gets the alert', async () => {
    const { port, mails } = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    path.wait(2 * DAY);
    await writes(path, 'messages', false);
    await path.enqueue('Budget cut.');
    const changes = { ...withTemplates(path, content(PAUSED)), ...mailOn(port) };
    await path.deliver(changes);
    await reportsLate(path);
    for (const minutes of [1, 31, 31]) {
      path.wait(minutes);
      await path.deliver(changes);
    }
    expect(path.rows("SELECT error_code FROM message WHERE channel = 'messages' ORDER BY id")).toEqual([
      { error_code: '63016' },
      { error_code: '63041' },
    ]);
    expect(mails).toHaveLength(1);
  });
});

describe('the variables of a template', () => {
  it.each<[field: Fields[number], value: string | RegExp]>([
    ['finding', 'Budget cut: Boots'],
    ['text', 'Budget cut: Boots · 60.00 EUR to 51.00 EUR | Why: it spends'],
    ['account', 'all accounts'],
    ['rule', 'no rule'],
    ['severity', 'warning'],
    ['decide', 'Nothing to decide'],
    ['link', 'pacekeeper alerts list'],
  ])('%s has one line and is never empty', async (field, value) => {
    const path = await deliveryPath(phones, [onlyGraph(ANNA)]);
    path.wait(DAY);
    await path.enqueue('Budget cut: Boots\n60.00 EUR to  \t  51.00 EUR\n\nWhy: it spends');
    const names = named('pacekeeper_finding', ['severity', field]);
    expect(await path.deliver(withTemplates(path, undefined, names))).toMatchObject([{ state: 'accepted' }]);
    expect(told(path)).toEqual([
      `graph: Pacekeeper, warning: ${value} pk-…\nAnswer to get messages in full for a day.`,
    ]);
  });
});

describe('a week in which nobody writes', () => {
  it('has an alert each morning: in full, by template, and by mail once the template is withdrawn', async () => {
    const { port, mails } = await mailServer();
    const path = await deliveryPath(phones, [BY_MAIL]);
    const changes = { ...withTemplates(path), ...mailOn(port) };
    for (let day = 1; day <= 7; day += 1) {
      if (day === 6) phones.sandbox.withdrawTemplate();
      await path.enqueue(`Day ${day}`);
      await path.deliver(changes);
      path.wait(31);
      await path.deliver(changes);
      path.wait(DAY - 31);
    }
    expect(told(path)).toEqual([
      'messages: Day 1',
      ...[2, 3, 4, 5].map((day) => `messages: ${TEMPLATE(`Day ${day}`)}`),
    ]);
    expect(mails.map(({ source }) => /Day \d/.exec(source)?.[0])).toEqual(['Day 6', 'Day 7']);
    expect(path.rows('SELECT count(*) AS lost FROM outbox WHERE lost_at IS NOT NULL')).toEqual([{ lost: 0n }]);
    expect(path.rows("SELECT count(*) AS failed FROM message WHERE state = 'failed'")).toEqual([{ failed: 2n }]);
  });

  it('is read in full again for a day after an answer', async () => {
    const path = await deliveryPath(phones, [withoutGraph(ANNA)]);
    path.wait(3 * DAY);
    await writes(path, 'messages');
    for (const minutes of [DAY - 6, 2]) {
      path.wait(minutes);
      await path.enqueue('Budget cut.');
      await path.deliver(withTemplates(path));
    }
    expect(told(path)).toEqual(['messages: Budget cut.', `messages: ${TEMPLATE('Budget cut.')}`]);
  });
});

import { describe, expect, it } from 'vitest';
import type { GraphConnection } from '../../../src/channels/graph/call-graph.ts';
import { micros } from '../../../src/domain/micros.ts';
import { handleInbox } from '../../../src/engine/answers/handle-inbox.ts';
import type { PhoneChannel } from '../../../src/sandbox/phones.ts';
import { sample } from '../../support/effort.ts';
import { BUDGET } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { ANNA, BERTA, type ReplyWorld, replyWorld } from './reply-world.ts';

const proposal = ({ product }: ReplyWorld) => product.rows('SELECT state, decided_by FROM budget_proposal')[0];
/** What the audit trail says of the decision. */
const said = ({ product }: ReplyWorld, kind: 'approved' | 'declined') =>
  product.rows(
    `SELECT detail ->> 'why' AS why, detail ->> 'reply' AS reply FROM budget_event WHERE kind = '${kind}'`,
  )[0];

describe('an answer by message', () => {
  it('YES makes the change once, with all usual checks; the change’s own alert informs the sender', async () => {
    const world = await replyWorld();
    const { product, code } = world;
    await world.receive([ANNA, ` yes, ${code.toLowerCase()}! `]);
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(product.amount()).toBe(51_000_000n);
    expect(product.mutates().map(({ validateOnly }) => validateOnly)).toEqual([true, false]);
    expect(proposal(world)).toEqual({ state: 'approved', decided_by: '+49…78 by message' });
    expect(product.events()).toEqual(['proposed', 'planned', 'approved', 'validated', 'sending', 'applied']);
    expect(said(world, 'approved')).toEqual({ why: `answered "YES ${code}"`, reply: 'messages:message:SM1' });
    expect(world.replies()).toMatchObject([{ outcome: 'approved' }]);
    expect(world.answersTo(ANNA)).toEqual([expect.stringMatching(/^Budget changed[\s\S]*51\.00 EUR/)]);
    expect(product.rows("SELECT id FROM alert WHERE kind = 'reply'")).toEqual([]);
    expect(await world.inbox.countWaiting()).toBe(0);
  });

  it('YES has its own run record with its cost', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `YES ${world.code}`]);
    await world.handle();
    const runs = world.product.rows('SELECT command, state, budget_changes FROM run ORDER BY id');
    expect(runs).toMatchObject([
      { command: 'report', state: 'done' },
      { command: 'budgets approve', state: 'done', budget_changes: 1 },
    ]);
  });

  it('NO ends the proposal without a change, and the sender gets a confirmation', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `No ${world.code}`]);
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(world.product.mutates()).toEqual([]);
    expect(proposal(world)).toEqual({ state: 'rejected', decided_by: '+49…78 by message' });
    const why = `answered "NO ${world.code}"`;
    expect(said(world, 'declined')).toEqual({ why, reply: 'messages:message:SM1' });
    const answer = `${world.code} is rejected: the budget of ${TRIMMED.campaignName} is unchanged. Rules may ask again from 2026-11-21, or after their cooldown.`;
    expect(world.replies()).toEqual([{ outcome: 'declined', answer }]);
    expect(world.answersTo(ANNA)).toEqual([answer]);
  });

  it('from a number that may not approve does nothing and gets no reply; the log has a masked number', async () => {
    const world = await replyWorld();
    await world.receive(['whatsapp:+4917600000099', `YES ${world.code}`]);
    await world.handle();
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    expect(world.product.mutates()).toEqual([]);
    expect(world.replies()).toEqual([{ outcome: 'not_an_approver', answer: null }]);
    expect(world.answersTo('whatsapp:+4917600000099')).toEqual([]);
    expect(world.log).toEqual(['Message from +49…99 ignored: the number is not in alerts.approvers.']);
  });

  it.each<[channel: PhoneChannel, sender: string]>([
    ['messages', 'whatsapp:US.13491208655302741918'],
    ['messages', 'whatsapp:anna.b'],
    ['messages', 'user:4915112345678'],
    ['graph', 'user:4915112345678'],
    ['graph', 'US.13491208655302741918'],
  ])('of area %s from a sender without a number decides nothing, and the log says why: %s', async (channel, sender) => {
    const world = await replyWorld();
    await world.keep({ channel, sender, text: `YES ${world.code}` });
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    expect(world.replies()).toEqual([{ outcome: 'not_an_approver', answer: null }]);
    expect(world.log).toEqual(['Message from a sender without a number ignored: alerts.approvers has only numbers.']);
  });

  it('with a word of the provider that may mean "forwarded" decides nothing', async () => {
    const world = await replyWorld();
    await world.keep({ text: `YES ${world.code}`, payload: JSON.stringify({ Forwarded: ' by mistake' }) });
    await world.handle();
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
  });

  it.each(
    sample([
      ['by SMS, whose sender can be forged', '+4915112345678'],
      ['by another channel', 'sms:+4915112345678'],
      ['under a name that ends like the number', 'client:anna+4915112345678'],
    ]),
  )('%s does not count as an approver’s', async (_sentence, sender) => {
    const world = await replyWorld();
    await world.receive([sender, `YES ${world.code}`]);
    await world.handle();
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    expect(world.replies()).toEqual([{ outcome: 'not_an_approver', answer: null }]);
    expect(world.log.join()).not.toContain('15112345678');
  });

  it.each(
    sample<[sentence: string, channel: PhoneChannel, payload: object]>([
      ['to another number', 'messages', { To: 'whatsapp:+15550100009' }],
      ['to another account', 'messages', { AccountSid: 'AC00000000000000000000000000000bad' }],
      ['to another number', 'graph', { metadata: { phone_number_id: '106540352242999' } }],
      ['to another business account', 'graph', { entry_id: '102290129340999' }],
    ]),
  )('%s of area %s decides nothing, though its signature is right', async (_, channel, payload) => {
    const world = await replyWorld();
    const about = { channel, sender: channel === 'graph' ? ANNA.replace('whatsapp:+', '') : ANNA };
    await world.keep({ ...about, text: `YES ${world.code}`, payload: JSON.stringify(payload) });
    const { businessAccountId, phoneNumberId } = world.product.sandbox.credentials.graph;
    await world.inApp((app) => handleInbox({ ...app, graph: { businessAccountId, phoneNumberId } as GraphConnection }));
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    expect(world.product.mutates()).toEqual([]);
    expect(world.replies()).toEqual([{ outcome: 'not_an_approver', answer: null }]);
    expect(world.log).toEqual([
      'Message from +49…78 ignored: it was sent to a number or account that is not configured.',
    ]);
  });

  it.each(
    sample<[channel: PhoneChannel, payload: object]>([
      ['messages', { Forwarded: 'true' }],
      ['messages', { FrequentlyForwarded: 'true' }],
      ['graph', { message: { context: { forwarded: true } } }],
      ['graph', { message: { context: { frequently_forwarded: true } } }],
    ]),
  )('that was forwarded decides nothing: %s %j', async (channel, payload) => {
    const world = await replyWorld();
    const about = { channel, sender: channel === 'graph' ? ANNA.replace('whatsapp:+', '') : ANNA };
    await world.keep({ ...about, text: `YES ${world.code}`, payload: JSON.stringify(payload) });
    await world.handle();
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    expect(world.replies()).toMatchObject([
      {
        outcome: 'not_understood',
        answer: expect.stringMatching(/^Nothing was decided\. Your message was forwarded\./),
      },
    ]);
  });

  it('is recorded with the sender’s name from the settings', async () => {
    const world = await replyWorld('  recipients: { anna: { messages: "whatsapp:+4915112345678" } }\n');
    await world.receive([ANNA, `NO ${world.code}`]);
    await world.handle();
    expect(proposal(world)).toEqual({ state: 'rejected', decided_by: 'anna (+49…78) by message' });
  });

  it('is recorded with the approver’s name if two masked numbers are alike', async () => {
    const world = await replyWorld();
    await world.receive(['whatsapp:+4917600000078', `NO ${world.code}`]);
    const approvers = [
      { name: 'anna', number: '+4915112345678' },
      { name: 'ben', number: '+4917600000078' },
    ];
    await world.inApp((app) => handleInbox({ ...app, alerts: { ...app.alerts, approvers } }));
    expect(proposal(world)).toEqual({ state: 'rejected', decided_by: 'ben (+49…78) by message' });
  });

  it.each(
    sample<[sentence: string, before: (world: ReplyWorld) => unknown, words: RegExp]>([
      [
        'with an expired code',
        (world) => world.at('2026-11-21T13:00:00Z'),
        /^Nothing was changed\. .*expired at 13:00 Europe\/Berlin\.$/,
      ],
      [
        'with a used code',
        ({ product, code }) => product.run(['budgets', 'approve', code]),
        /^\w{4} was already approved by anna at 13:00 \(B1\): 60\.00 EUR to 51\.00 EUR is in effect\.$/,
      ],
      [
        'after the amount changed',
        ({ product }) => product.sandbox.setBudget(TRIMMED.customerId, BUDGET, micros(70_000_000n)),
        /is superseded: It was based on 60\.00 EUR, but the budget is now 70\.00 EUR\./,
      ],
      [
        'while budgets are frozen',
        ({ product }) => product.run(['freeze', '--why', 'a sale until 2026-12-01T10:00:00Z']),
        /frozen by anna since 13:00 Europe\/Berlin: a sale until 2026-12-01T10:00:00Z\. .* still awaits approval\./,
      ],
    ]),
  )('YES %s changes nothing and says why', async (_sentence, before, words) => {
    const world = await replyWorld();
    await before(world);
    const sends = world.product.sends().length;
    await world.receive([ANNA, `YES ${world.code}`]);
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(world.product.sends()).toHaveLength(sends);
    expect(world.replies()).toEqual([{ outcome: 'refused', answer: expect.stringMatching(words) }]);
    expect(world.answersTo(ANNA)).toEqual([expect.stringMatching(words)]);
  });

  it('changes nothing and says why for YES with a wrong code and NO with a used code', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, 'YES 7K3Q'], [ANNA, `NO ${world.code}`], [BERTA, `NO ${world.code}`]);
    await world.handle();
    expect(world.replies()).toEqual([
      {
        outcome: 'refused',
        answer: `Nothing was changed. No such proposal: 7K3Q.\nAwaiting approval: ${world.code}.`,
      },
      { outcome: 'declined', answer: expect.any(String) },
      {
        outcome: 'refused',
        answer: expect.stringMatching(/was already rejected by \+49…78 by message at 13:00: the budget of /),
      },
    ]);
    expect(world.product.mutates()).toEqual([]);
  });

  it('YES from two approvers at once makes one change; the second learns who was first', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `YES ${world.code}`], [BERTA, `YES ${world.code}`], [ANNA, `YES ${world.code}`]);
    await world.handle();
    expect(world.product.sends()).toHaveLength(1);
    const stands = ' at 13:00 (B1): 60.00 EUR to 51.00 EUR is in effect.';
    const first = `${world.code} was already approved by +49…78 by message${stands}`;
    expect(world.replies()).toEqual([
      { outcome: 'approved', answer: expect.any(String) },
      { outcome: 'refused', answer: first },
      { outcome: 'refused', answer: `${world.code} was already approved${stands}` },
    ]);
    expect(world.answersTo(BERTA)).toEqual([first]);
  });

  it.each(
    sample<[sentence: string, since: (world: ReplyWorld) => unknown, words: RegExp]>([
      [
        'undone',
        ({ product }) => product.run(['budgets', 'undo', 'B1']),
        / at 13:00 \(B1\): 60\.00 EUR to 51\.00 EUR was made, then undone as B2\.$/,
      ],
      [
        'from yesterday',
        (world) => world.at('2026-11-21T12:00:00Z'),
        / at 2026-11-20 13:00 \(B1\): .* is in effect\.$/,
      ],
    ]),
  )('YES again for a change that is %s says so', async (_sentence, since, words) => {
    const world = await replyWorld();
    await world.receive([ANNA, `YES ${world.code}`]);
    await world.handle();
    await since(world);
    await world.receive([ANNA, `YES ${world.code}`]);
    await world.handle();
    expect(world.answersTo(ANNA).at(-1)).toMatch(words);
    if (_sentence !== 'undone') return;
    const [undo] = world.product.rows('SELECT reason FROM budget_intent WHERE id = 2');
    expect(undo?.reason).toMatch(/ \(undoes B1, approved by \+49…78 by message\)$/);
  });

  it('that arrives again after the inbox has forgotten it changes nothing and gets no reply', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `NO ${world.code}`]);
    await world.handle();
    await world.keep({ dedupeKey: 'messages:message:SM1-again', text: `NO ${world.code}` });
    world.product.execute("UPDATE reply SET dedupe_key = 'messages:message:SM1-again'");
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(world.replies()).toHaveLength(1);
    expect(world.answersTo(ANNA)).toHaveLength(1);
  });

  it.each(
    sample<[sentence: string, text: (code: string) => string, words: RegExp | null]>([
      [
        'yes alone',
        () => 'Yes',
        /^Nothing was decided\. Your message has no code\.[\s\S]*Awaiting approval: [A-Z0-9]{4}\.$/,
      ],
      ['two codes', (code) => `yes ${code} 9C4D`, /Your message has several codes\. Send one message per code\./],
      ['a code alone', (code) => code, /neither YES nor NO/],
      ['more than two words', (code) => `yes ${code} but only tomorrow`, /has extra words/],
      ['something else', () => 'Good morning', null],
      ['10 kB long', () => 'lorem ipsum '.repeat(900), null],
    ]),
  )('that is %s decides nothing', async (_sentence, text, words) => {
    const world = await replyWorld();
    await world.receive([ANNA, text(world.code)]);
    expect(await world.handle()).toMatchObject({ handled: 1, failures: [] });
    expect(proposal(world)).toEqual({ state: 'open', decided_by: null });
    const answer = words === null ? null : expect.stringMatching(words);
    expect(world.replies()).toEqual([{ outcome: 'not_understood', answer }]);
    expect(world.answersTo(ANNA)).toEqual(answer === null ? [] : [answer]);
  });

  it('decides nothing if it is a picture without text', async () => {
    const world = await replyWorld();
    await world.keep({ text: undefined });
    await world.handle();
    expect(world.replies()).toEqual([{ outcome: 'not_understood', answer: null }]);
  });

  it.each(
    sample<[sentence: string, place: string, amount: bigint, end: string]>([
      ['before the decision is committed', 'approve:before-commit', 51_000_000n, 'done'],
      ['after the decision is committed', 'approve:after-commit', 60_000_000n, 'expired'],
      ['after the change was sent', 'answer:before-commit', 51_000_000n, 'done'],
      ['after the outcome was committed', 'answer:after-commit', 51_000_000n, 'done'],
    ]),
  )(
    'YES whose process is killed %s gives one approval, at most one change and one message',
    async (_sentence, place, amount, end) => {
      const world = await replyWorld();
      await world.receive([ANNA, `YES ${world.code}`], [ANNA, `YES ${world.code}`]);
      let armed = true;
      const { failures } = await world.handle((name) => {
        if (name !== place || !armed) return;
        armed = false;
        throw new Error('the process ends here');
      });
      expect(failures[0]).toMatch(/^webhook_event 1 could not be handled and still waits: the process ends/);
      await world.handle();
      expect(await world.inbox.countWaiting()).toBe(0);
      expect(world.product.amount()).toBe(amount);
      expect(world.product.sends()).toHaveLength(amount === 60_000_000n ? 0 : 1);
      expect(world.replies().map(({ outcome }) => outcome)).toEqual(['approved', 'refused']);
      expect(proposal(world)).toEqual({ state: 'approved', decided_by: '+49…78 by message' });
      const alert = 'SELECT id FROM alert WHERE dedupe_key = ';
      const told = world.product.rows(
        `SELECT id FROM outbox WHERE recipient = '${ANNA}' AND alert_id = (${alert}'budget-intent:1:${end}')`,
      );
      expect(told).toHaveLength(1);
    },
  );

  it('is handled by the next report, before its run, if no server is running', async () => {
    const world = await replyWorld();
    await world.receive([ANNA, `YES ${world.code}`]);
    const dry = await world.product.json(['report', '--dry-run']);
    expect([dry.code, await world.inbox.countWaiting()]).toEqual([0, 1]);
    const { code, value } = await world.product.json(['report']);
    expect([code, value.failures]).toEqual([0, []]);
    expect(world.product.amount()).toBe(51_000_000n);
    expect(world.product.rows('SELECT command, state FROM run ORDER BY id')).toMatchObject([
      { command: 'report' },
      { command: 'report' },
      { command: 'budgets approve', state: 'done' },
      { command: 'report', state: 'done' },
    ]);
    expect(value.run.operations).toBeLessThan(10);
  });
});

import { describe, expect, it } from 'vitest';
import { FIRST_VARIABLES } from '../../src/channels/channels.ts';
import type { Fault } from '../../src/sandbox/fault-modes.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { APPLY, createWorld, type World } from '../support/world.ts';

const CONFIG = `${APPLY}messages: { retry: { attempts: 2, first_delay_ms: 1000 } }\n`;

const freshWorld = (env: Readonly<Record<string, string>> = {}) =>
  createWorld({ config: CONFIG, queries: TRIM_QUERIES, rules: TRIM_RULES, env });
const outbox = (world: World) => world.rows('state', 'SELECT recipient, state, attempts FROM outbox ORDER BY id');
const onMessage = (world: World, fault: Fault) => {
  world.fault = ({ kind }) => (kind === 'message' ? fault : undefined);
};

describe('an alert', () => {
  it('C1 C2 C3 C5: is delivered once per recipient; the report masks recipients, and the response is kept', async () => {
    const world = await freshWorld({ MESSAGES_TO: 'whatsapp:+4915112345678, whatsapp:+15550100002' });
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(result.messages.map(({ recipient }) => recipient)).toEqual(['whatsapp:+49…78', 'whatsapp:+15…02']);
    expect(world.sandbox.messages().map(({ to }) => to)).toEqual(['whatsapp:+4915112345678', 'whatsapp:+15550100002']);
    const kept = world.rows('state', 'SELECT count(*) AS kept FROM message WHERE response LIKE \'%"sid":"SM%\'');
    expect(kept).toEqual([{ kept: 2 }]);
    await world.report();
    expect(world.sandbox.messages()).toHaveLength(2);
  });

  it.each<[sentence: string, fault: Fault, state: string, attempts: number, words: RegExp]>([
    [
      '429 waits for the next run',
      { kind: 'status', status: 429 },
      'pending',
      2,
      /^The alert to recipient-1 \(whatsapp:\+15…02\) was not sent/,
    ],
    [
      'a refusal is logged as lost',
      { kind: 'status', status: 400 },
      'failed',
      1,
      /^ALERT NOT DELIVERED to recipient-1 \(\+15…02\), all channels failed. Alert: /,
    ],
  ])('that meets %s, and the run fails and says so', async (_sentence, fault, state, attempts, words) => {
    const world = await freshWorld();
    onMessage(world, fault);
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([expect.stringMatching(words)]);
    expect(outbox(world)).toEqual([{ recipient: world.sandbox.credentials.messages.to, state, attempts }]);
    const loud = world.log.filter((line) => line.startsWith('ALERT NOT DELIVERED to whatsapp:+15…02,'));
    expect(loud).toHaveLength(state === 'failed' ? 1 : 0);

    world.fault = undefined;
    const before = world.sandbox.messages().length;
    await world.report();
    expect(world.sandbox.messages().length - before).toBe(state === 'pending' ? 1 : 0);
  });

  it('waits without recipients and goes out once there are some', async () => {
    const off = {
      MESSAGES_URL: '',
      MESSAGES_ACCOUNT_ID: '',
      MESSAGES_USERNAME: '',
      MESSAGES_PASSWORD: '',
      MESSAGES_FROM: '',
      MESSAGES_TO: '',
    };
    const world = await freshWorld(off);
    const result = await world.report();
    expect(result.run.exitCode).toBe(0);
    expect(result.notes).toEqual([
      `No interface for alerts is configured. Set ${FIRST_VARIABLES}.`,
      '1 alert waits in the outbox.',
    ]);
    const { messages } = world.sandbox.credentials;
    const lines = [
      `messages:`,
      `  url: ${world.sandbox.url}`,
      `  account_id: ${messages.accountId}`,
      `  username: ${messages.username}`,
      `  password: ${messages.password}`,
      `  from: ${messages.from}`,
      `  to: [${messages.to}]`,
    ];
    await world.reconfigure(`automation: { mode: apply }\n${lines.join('\n')}\n`);
    await world.report();
    expect(world.sandbox.messages()).toHaveLength(1);
  });

  it('is enqueued together with its change: without an outbox no change is recorded as applied', async () => {
    const world = await freshWorld();
    await world.report();
    const pairs = world.rows(
      'state',
      `SELECT budget_intent.state, alert.severity FROM budget_intent
       JOIN alert ON alert.dedupe_key = 'budget-intent:' || budget_intent.id || ':done'`,
    );
    expect(pairs).toEqual([{ state: 'applied', severity: 'info' }]);
  });
});

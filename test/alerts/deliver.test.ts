import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/sandbox/faults.ts';
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
  it('C1 C2 C3 C5: is delivered once to each recipient, and what came back is kept', async () => {
    const world = await freshWorld({ MESSAGES_TO: 'whatsapp:+4915112345678, sms:+15550100002' });
    const result = await world.report();
    expect(result.failures).toEqual([]);
    expect(world.sandbox.messages().map(({ to }) => to)).toEqual(['whatsapp:+4915112345678', 'sms:+15550100002']);
    const kept = world.rows('state', 'SELECT count(*) AS kept FROM outbox WHERE response LIKE \'%"sid":"SM%\'');
    expect(kept).toEqual([{ kept: 2 }]);
    await world.report();
    expect(world.sandbox.messages()).toHaveLength(2);
  });

  it('shows a recipient only in part in the report', async () => {
    const world = await freshWorld();
    const result = await world.report();
    expect(result.messages.map(({ recipient }) => recipient)).toEqual(['whatsapp:+15…02']);
  });

  it.each<[sentence: string, fault: Fault, state: string, attempts: number]>([
    ['429, which was not processed, waits for the next run', { kind: 'status', status: 429 }, 'pending', 2],
    ['wrong credentials, waits until they are mended', { kind: 'status', status: 401 }, 'pending', 1],
    ['a refusal, is failed and not tried again', { kind: 'status', status: 400 }, 'failed', 1],
    ['a server error may be out, and is never sent again', { kind: 'status', status: 500 }, 'unknown', 1],
    ['no answer may be out, and is never sent again', { kind: 'reset_after' }, 'unknown', 1],
  ])('that meets %s; the run fails and says so', async (_sentence, fault, state, attempts) => {
    const world = await freshWorld();
    onMessage(world, fault);
    const result = await world.report();
    expect(result.run.exitCode).toBe(1);
    expect(result.failures).toEqual([expect.stringMatching(/^The alert to whatsapp:\+15…02 /)]);
    expect(outbox(world)).toEqual([{ recipient: world.sandbox.credentials.messages.to, state, attempts }]);

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
      'The messaging interface is not configured (MESSAGES_URL): alerts wait in the outbox.',
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

  it('is enqueued with the change or not at all: a change without an outbox cannot be recorded as applied', async () => {
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

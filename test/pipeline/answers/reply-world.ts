import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { open } from '../../../src/app.ts';
import type { ArrivedEvent } from '../../../src/channels/channel.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import { type HandledInbox, handleInbox } from '../../../src/engine/answers/handle-inbox.ts';
import type { App } from '../../../src/engine/app.ts';
import type { CrashPoints } from '../../../src/engine/budgets/budget-deps.ts';
import type { Inbox } from '../../../src/storage/inbox/inbox.ts';
import { openInbox } from '../../../src/storage/inbox/open-inbox.ts';
import { fakeClock, fakePauses } from '../../support/fake-time.ts';
import { createProduct, leftBy, type Product } from '../../support/product.ts';
import { toldLog } from '../../support/told-log.ts';
import { TRIMMED } from '../../support/trim-rule.ts';
import { liveEnvironment, NOON } from '../../support/world.ts';

export const ANNA = 'whatsapp:+4915112345678';
export const BERTA = 'whatsapp:+4915187654321';
export const APPROVERS = 'alerts:\n  approvers: ["+4915112345678", "+4915187654321"]\n';

/** A product in mode approve whose first run has made a proposal, and the inbox of its data folder. */
export interface ReplyWorld {
  readonly product: Product;
  readonly code: string;
  readonly inbox: Inbox;
  readonly log: readonly string[];
  at(now: string): void;
  /** Puts messages of area C into the inbox; each has an id of its own. */
  receive(...messages: readonly (readonly [sender: string, text: string])[]): Promise<void>;
  keep(event: Partial<ArrivedEvent>): Promise<void>;
  /** One pass over the inbox, with the run lock. */
  handle(passes?: CrashPoints): Promise<HandledInbox>;
  inApp<Value>(job: (app: App) => Promise<Value>): Promise<Value>;
  /** What was recorded of each reply, oldest first. */
  replies(): { readonly outcome: unknown; readonly answer: unknown }[];
  /** The texts that wait or went to an address beside the routes, oldest first. */
  answersTo(sender: string): unknown[];
}

interface Proposed {
  readonly code: string;
  readonly left: Awaited<ReturnType<typeof leftBy>>;
}

/** What the first run left, by the setting. It is the same for every test and takes longer than what most of them do then. */
const firstRuns = new Map<string, Promise<Proposed>>();

async function firstRun(config: string): Promise<Proposed> {
  const product = await createProduct({ mode: 'approve', config });
  const { value } = await product.json(['report']);
  return { code: value.decisions[0].proposal, left: await leftBy(product) };
}

/** `alerts` is more of that setting, in YAML. */
export async function replyWorld(alerts = ''): Promise<ReplyWorld> {
  const config = APPROVERS + alerts;
  const proposed = firstRuns.get(config) ?? firstRun(config);
  firstRuns.set(config, proposed);
  const { code, left } = await proposed;
  const product = await createProduct({ mode: 'approve', config, left });
  const env = { ...liveEnvironment(product.sandbox), ADS_CUSTOMER_IDS: TRIMMED.customerId };
  const settings = await readSettings(product.folder, {}, env);
  const clock = fakeClock(NOON);
  const log: string[] = [];
  const line = (text: string) => void log.push(text);
  const inbox = openInbox(join(product.folder, 'data', 'inbox.sqlite'), clock);
  onTestFinished(() => inbox.close());
  const run = async <Value>(job: (app: App) => Promise<Value>, passes?: CrashPoints): Promise<Value> => {
    const deps = { clock, pauses: fakePauses(), log: toldLog({ info: line, warn: line }), ...(passes && { passes }) };
    return open(settings, deps, { what: 'all', lock: 'a test' }, job);
  };
  let received = 0;
  const keep: ReplyWorld['keep'] = async (event) => {
    received += 1;
    const id = `SM${received}`;
    await inbox.keep([
      {
        channel: 'messages',
        kind: 'message',
        dedupeKey: `messages:message:${id}`,
        providerId: id,
        sender: ANNA,
        status: undefined,
        text: '',
        payload: '{}',
        ...event,
      },
    ]);
  };
  return {
    product,
    inbox,
    log,
    keep,
    code,
    inApp: run,
    at(now) {
      product.at(now);
      clock.set(now);
    },
    async receive(...messages) {
      for (const [sender, text] of messages) await keep({ sender, text });
    },
    handle: (passes) => run(handleInbox, passes),
    replies: () => product.rows('SELECT outcome, answer FROM reply ORDER BY id') as never,
    answersTo: (sender) =>
      product.rows(`SELECT text FROM outbox WHERE recipient = '${sender}' ORDER BY id`).map(({ text }) => text),
  };
}

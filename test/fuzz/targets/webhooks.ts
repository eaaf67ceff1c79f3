import { createHmac } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArrivedEvent } from '../../../src/channels/channel.ts';
import { isSignedByGraph, readGraphWebhook } from '../../../src/channels/graph/receive-webhooks.ts';
import { isSignedByMessages, readMessagesWebhook } from '../../../src/channels/messages/receive-webhooks.ts';
import { readForm } from '../../../src/services/http/received-request.ts';
import type { Inbox } from '../../../src/storage/inbox/inbox.ts';
import { openInbox } from '../../../src/storage/inbox/open-inbox.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { claim, claimSame, type Target } from '../target.ts';

const SECRET = 'app-secret-of-a-test';
const URL_SIGNED = 'https://example.com/webhooks/messages';
const METADATA = { display_phone_number: '15550100001', phone_number_id: '106540352242922' };

/** Opened when the first input is tried; ends with the thread. */
function inboxOnce(): () => Inbox {
  let inbox: Inbox | undefined;
  return () => {
    inbox ??= openInbox(
      join(mkdtempSync(join(tmpdir(), 'pacekeeper-fuzz-')), 'inbox.sqlite'),
      fakeClock('2026-11-22T12:00:00Z'),
    );
    return inbox;
  };
}

const graphOf = (value: object, more: object = {}) =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value: { metadata: METADATA, ...value } }] }],
    ...more,
  });

const REAL_GRAPH = { read: readGraphWebhook, isSigned: isSignedByGraph, inboxOf: (inbox: Inbox) => inbox };

/** Area A's bodies, signed rightly and hostile: kept whole, once, and nothing is lost on the way. */
export function graphWebhookTarget(program: typeof REAL_GRAPH = REAL_GRAPH): Target {
  const inbox = inboxOnce();
  return {
    name: 'graph-webhook',
    tokens: [
      ...'"entry":[ "changes":[ "messages":[ "statuses":[ "id":"wamid.A" "from":"4915112345678"'.split(' '),
      ...'"status":"read" "__proto__":{"a":1} [[[[ {"a":'.split(' '),
      '"text":{"body":"YES 7K3Q"}',
      '"\\u0000"',
      '"\\ud83d"',
    ],
    seeds: () => [
      graphOf({ messages: [{ id: 'wamid.A', from: '4915112345678', type: 'text', text: { body: 'YES 7K3Q' } }] }),
      graphOf({
        messages: [
          {
            id: 'wamid.B',
            from: '4915112345678',
            type: 'interactive',
            interactive: { button_reply: { title: 'YES 7K3Q' } },
          },
        ],
      }),
      graphOf({
        statuses: [
          { id: 'wamid.C', status: 'delivered', recipient_id: '4915112345678' },
          { id: 'wamid.C', status: 'read' },
        ],
      }),
      graphOf({ contacts: [], errors: [{ code: 131047 }] }, { more: 1 }),
    ],
    async judge(input) {
      claimSigned(program.isSigned, input);
      let body: unknown;
      let events: readonly ArrivedEvent[];
      try {
        const text = input.toString('utf8');
        body = JSON.parse(text);
        events = program.read(text);
      } catch (error) {
        // What is nested as deep as the body is long can be read and not written: the route answers 400.
        if (error instanceof SyntaxError || error instanceof RangeError) return;
        throw error;
      }
      claim(events.length > 0, () => 'Nothing of the body is kept');
      claimWhole(body, events);
      await claimKept(program.inboxOf(inbox()), events);
    },
  };
}

/** Every id and every text stands in some payload, except what a contact says of who wrote the message beside it. */
function claimWhole(body: unknown, events: readonly ArrivedEvent[]): void {
  const kept = events.map(({ payload }) => payload).join('\n');
  const visit = (value: unknown, key: string): void => {
    if (key === 'contacts') return;
    if (typeof value === 'string' && (key === 'id' || key === 'body')) {
      claim(kept.includes(JSON.stringify(value)), () => `A text of the body is in no event: ${key} ${value}`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) visit(part, name);
    }
  };
  visit(body, '');
}

function claimSigned(isSigned: typeof isSignedByGraph, body: Buffer): void {
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  claim(isSigned(signature, SECRET, body), () => 'The right signature is refused');
  claim(
    !isSigned(signature, SECRET, Buffer.concat([body, Buffer.of(0x20)])),
    () => 'The signature of another body is taken',
  );
  claim(!isSigned(signature.slice(0, -1), SECRET, body), () => 'A part of the signature is taken');
}

/** What is kept comes back as it was, and the second delivery of it is nothing new. */
async function claimKept(inbox: Inbox, events: readonly ArrivedEvent[]): Promise<void> {
  for (const event of events) {
    claim(
      /^(graph|messages):(message|status|other):./s.test(event.dedupeKey),
      () => `A key that is none: ${event.dedupeKey}`,
    );
    claim(event.kind !== 'message' || event.sender !== undefined, () => 'A message of nobody');
    JSON.parse(event.payload);
  }
  const fresh = await inbox.keep(events);
  claimSame(await inbox.keep(events), 0, 'A second delivery is taken for something new');
  const waiting = await inbox.waiting();
  // An earlier input may have told of some already: those were handled.
  claimSame(waiting.length, fresh, 'What was kept does not wait');
  const payloads = new Set(events.map(({ payload }) => payload));
  for (const { payload } of waiting) claim(payloads.has(payload), () => `What was kept is another: ${payload}`);
  for (const { id } of waiting) await inbox.done(id, 'seen');
}

const REAL_MESSAGES = {
  form: readForm,
  read: readMessagesWebhook,
  isSigned: isSignedByMessages,
  inboxOf: (inbox: Inbox) => inbox,
};

/** Area C's forms: the same, and the signature is that of the fields in any order. */
export function messagesWebhookTarget(program: typeof REAL_MESSAGES = REAL_MESSAGES): Target {
  const inbox = inboxOnce();
  return {
    name: 'messages-webhook',
    tokens: [
      ...'MessageSid= SmsSid= MessageStatus=delivered SmsStatus=received From= Body= & = % %00 %F0%9F +'.split(' '),
      ...'__proto__=1 &Body=NO+7K3Q'.split(' '),
    ],
    seeds: () => [
      'MessageSid=SM0123456789abcdef0123456789ABCDEF&SmsStatus=received&From=whatsapp%3A%2B4915112345678&To=whatsapp%3A%2B15550100001&Body=YES+7K3Q',
      'MessageSid=SM0123456789abcdef0123456789ABCDEF&MessageStatus=undelivered&ErrorCode=63016&To=whatsapp%3A%2B4915112345678',
      'AccountSid=AC1&EventType=other',
    ],
    async judge(input) {
      const { fields, isWhole } = program.form(input);
      // The route refuses a form with a name twice.
      if (new Set(fields.keys()).size < fields.size) return;
      const sorted = [...fields.keys()].sort().map((name) => name + fields.get(name));
      const signature = createHmac('sha1', SECRET)
        .update(URL_SIGNED + sorted.join(''))
        .digest('base64');
      claim(program.isSigned(signature, SECRET, URL_SIGNED, fields), () => 'The right signature is refused');
      const more = new URLSearchParams(fields);
      more.append('Body', 'one more that nobody signed');
      claim(!program.isSigned(signature, SECRET, URL_SIGNED, more), () => 'The signature of another form is taken');
      if (!isWhole || fields.size === 0) return;
      const event = program.read(fields);
      const payload = JSON.parse(event.payload) as Record<string, unknown>;
      for (const [name, value] of fields) {
        claimSame(Object.hasOwn(payload, name) && payload[name], value, 'A field of the form is not in the payload');
      }
      await claimKept(program.inboxOf(inbox()), [event]);
    },
  };
}

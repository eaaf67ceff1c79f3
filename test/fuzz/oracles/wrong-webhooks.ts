import type { ArrivedEvent } from '../../../src/channels/channel.ts';
import { isSignedByGraph, readGraphWebhook } from '../../../src/channels/graph/receive-webhooks.ts';
import { isSignedByMessages, readMessagesWebhook } from '../../../src/channels/messages/receive-webhooks.ts';
import { readForm } from '../../../src/services/http/received-request.ts';
import type { Inbox } from '../../../src/storage/inbox/inbox.ts';
import { graphWebhookTarget, messagesWebhookTarget } from '../targets/webhooks.ts';
import type { WrongProgram } from './found-out.ts';

const GRAPH = { read: readGraphWebhook, isSigned: isSignedByGraph, inboxOf: (inbox: Inbox) => inbox };
const FORM = { form: readForm, read: readMessagesWebhook, isSigned: isSignedByMessages };
const BODY =
  '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"statuses":[{"id":"a","status":"read"}]}}]}]}';

const kept = (wrong: (inbox: Inbox) => Partial<Inbox>) =>
  graphWebhookTarget({ ...GRAPH, inboxOf: (inbox) => ({ ...inbox, ...wrong(inbox) }) });
const read = (wrong: Partial<ArrivedEvent>) =>
  graphWebhookTarget({ ...GRAPH, read: (body) => readGraphWebhook(body).map((event) => ({ ...event, ...wrong })) });

/** What webhooks tell, each beside a program that reads or keeps it wrongly. */
export const WRONG_WEBHOOKS: readonly WrongProgram[] = [
  [
    'a second delivery is kept again',
    kept(() => ({ keep: async (events) => events.length })),
    BODY,
    'A second delivery',
  ],
  ['what was kept does not wait', kept(() => ({ waiting: async () => [] })), BODY, 'What was kept does not wait'],
  [
    'another text is kept',
    kept((inbox) => ({ waiting: async () => (await inbox.waiting()).map((event) => ({ ...event, payload: '{}' })) })),
    BODY,
    'What was kept is another',
  ],
  [
    'a form is kept as another',
    messagesWebhookTarget({
      ...FORM,
      inboxOf: (inbox) => ({
        ...inbox,
        waiting: async () => (await inbox.waiting()).map((event) => ({ ...event, payload: '{}' })),
      }),
    }),
    'MessageSid=SM1&Body=a',
    'What was kept is another',
  ],
  ['a key of nothing', read({ dedupeKey: 'graph:status:' }), BODY, 'A key that is none'],
  ['a message of nobody', read({ kind: 'message', sender: undefined }), BODY, 'A message of nobody'],
  [
    'a right signature is refused',
    graphWebhookTarget({ ...GRAPH, isSigned: () => false }),
    BODY,
    'The right signature',
  ],
  [
    'the beginning of a signature is enough',
    graphWebhookTarget({
      ...GRAPH,
      isSigned: (signature, secret, body) =>
        isSignedByGraph(signature, secret, body) || (signature ?? '').length === 'sha256='.length + 63,
    }),
    BODY,
    'A part of the signature',
  ],
];

import { describe, expect, it } from 'vitest';
import { callGraph, type GraphConnection } from '../../../src/channels/graph/call-graph.ts';
import { pageTokens, permissions } from '../../../src/channels/graph/diagnose-pages.ts';
import { listPhoneNumbers, resolveSender } from '../../../src/channels/graph/phone-numbers.ts';
import { sendText } from '../../../src/channels/graph/send-text.ts';
import { businessAccountId, graphUserId, phoneNumberId } from '../../../src/domain/ids.ts';
import { ACCOUNT, SENDER, USER } from './graph-client.ts';

/** Never called: the compiler reads it, and refuses it as soon as one of these lines is no longer an error. */
function mistakes(graph: GraphConnection): unknown[] {
  const text = { to: '4915112345678', body: 'x' };
  return [
    // @ts-expect-error A6: an account does not send.
    sendText(graph, { ...text, from: ACCOUNT }),
    // @ts-expect-error A6: neither does a user.
    sendText(graph, { ...text, from: USER }),
    // @ts-expect-error A6: nor a text that nobody has read as an id.
    sendText(graph, { ...text, from: '106540352242922' }),
    // @ts-expect-error A6: a number has no numbers.
    listPhoneNumbers(graph, SENDER),
    // @ts-expect-error A6: the sender is found of an account.
    resolveSender(graph, SENDER),
    // @ts-expect-error A6: an account has no pages.
    pageTokens(graph, ACCOUNT),
    // @ts-expect-error A6: nor permissions.
    permissions(graph, ACCOUNT),
    // @ts-expect-error A8: marking a message as read by PUT fails at the service, so no PUT can be made.
    callGraph(graph, { method: 'PUT', path: 'messages/wamid.1', body: { status: 'read' } }),
  ];
}

it('A6, A8: the compiler refuses swapped ids and PUT requests', () => {
  expect(mistakes).toBeTypeOf('function');
});

describe('an identifier', () => {
  it.each([phoneNumberId, businessAccountId, graphUserId])('has only digits', (brand) => {
    expect(brand('106540352242922')).toBe('106540352242922');
    for (const text of ['', '0', '1 2', '../me', '+49', '12a', '1'.repeat(33)])
      expect(() => brand(text)).toThrow(/is not a/);
  });
});

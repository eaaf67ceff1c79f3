import { describe, expect, it } from 'vitest';
import { diagnosePages, permissions, revokePermissions } from '../../../src/channels/graph/diagnose-pages.ts';
import { resolveSender } from '../../../src/channels/graph/phone-numbers.ts';
import { sendText } from '../../../src/channels/graph/send-text.ts';
import { businessAccountId, graphUserId, phoneNumberId } from '../../../src/domain/ids.ts';
import { failureOf } from '../../http/test-client.ts';
import { freshSandbox } from '../../sandbox/sandbox-client.ts';
import { connectTo } from './graph-client.ts';

describe('client and sandbox', () => {
  it.each([
    ['as a bearer', 'header', false],
    ['in the query, to a strict service', 'query', true],
  ] as const)('A1, A2, A4, A5, A6, A7, A10: agree, with the token %s', async (_, tokenIn, strict) => {
    const { url, credentials } = await freshSandbox({ strict });
    const { graph: known } = credentials;
    const proof = strict ? undefined : known.appSecret;
    const graph = connectTo(url, { accessToken: known.accessToken, tokenIn, appSecret: proof });
    const account = businessAccountId(known.businessAccountId);
    const user = graphUserId(known.userId);

    const from = await resolveSender(graph, account, credentials.messages.from);
    expect(from).toBe(known.phoneNumberId);
    const to = credentials.messages.to.replace(/\D/g, '');
    const sent = await sendText(graph, { from, to, body: 'Hello', reference: 'pk-K7PXQ2RM' });
    expect(sent.response).not.toContain(to);

    const mistaken = sendText(graph, { from: phoneNumberId(account), to, body: 'Hello' });
    expect(await failureOf(mistaken)).toMatchObject({ status: '100', message: expect.stringContaining('100/33') });
    const unknown = { ...graph, version: 'v23.0/messages' };
    expect(await failureOf(permissions(unknown, user))).toMatchObject({ status: '2500', outcome: 'not_processed' });
    const refused = connectTo(url, { accessToken: 'of nobody', tokenIn });
    expect(await failureOf(permissions(refused, user))).toMatchObject({ status: '190' });

    expect((await diagnosePages(graph, user)).kind).toBe('granted_without_pages');
    await revokePermissions(graph, user);
    expect(await failureOf(diagnosePages(graph, user))).toMatchObject({
      status: '190',
      message: expect.stringContaining('The permissions of the app were revoked.'),
    });
  });
});

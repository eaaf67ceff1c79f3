import { describe, expect, it } from 'vitest';
import { sendText, TEXT_LENGTH_MAX } from '../../../src/channels/graph/send-text.ts';
import { InvariantError } from '../../../src/domain/errors.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, errorOf, json, SENDER, TOKEN } from './graph-client.ts';

const TEXT = { from: SENDER, to: '4915112345678', body: 'Budget raised: 10 → 12 €\n"x" & 😀' };
const ACCEPTED = {
  messaging_product: 'whatsapp',
  contacts: [{ input: '4915112345678', wa_id: '4915112345679' }],
  messages: [{ id: 'wamid.HBgN' }],
};

describe('a text', () => {
  it('A1: is this JSON, sent to the path of its sender', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, ACCEPTED));
    const sent = await sendText(connectTo(url), { ...TEXT, reference: 'pk-K7PXQ2RM' });
    expect(sent.providerId).toBe('wamid.HBgN');
    expect(requests).toMatchObject([{ method: 'POST', path: `/v23.0/${SENDER}/messages` }]);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(requests[0]?.body ?? '')));
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '4915112345678',
      type: 'text',
      text: { body: TEXT.body },
      biz_opaque_callback_data: 'pk-K7PXQ2RM',
    });
  });

  it('A1: needs no reference', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, {}));
    await sendText(connectTo(url), TEXT);
    expect(JSON.parse(requests[0]?.body ?? '')).not.toHaveProperty('biz_opaque_callback_data');
  });

  it.each([
    ['a plus', { to: '+4915112345678' }],
    ['spaces', { to: '49 151 12345678' }],
    ['an address of the other interface', { to: 'whatsapp:+4915112345678' }],
    ['a number without a country', { to: '0015112345678' }],
    ['too few digits', { to: '49' }],
    ['no digits', { to: '' }],
    ['digits of another script', { to: '٤٩١٥١١٢٣٤٥٦٧٨' }],
    ['an empty text', { body: ' \n' }],
    ['a text past the limit', { body: 'x'.repeat(TEXT_LENGTH_MAX + 1) }],
    ['a reference past its limit', { reference: 'é'.repeat(257) }],
  ])('A1: is refused before anything is sent: %s', async (_, wrong) => {
    const { url, requests } = await stubServer((_, response) => json(response, 200, ACCEPTED));
    await expect(sendText(connectTo(url), { ...TEXT, ...wrong })).rejects.toThrow(InvariantError);
    expect(requests).toEqual([]);
  });

  it.each([
    ['an empty body', ''],
    ['a page', '<html>'],
    ['another shape', '{"messages":[]}'],
  ])('counts as sent by its status, whatever the answer: %s', async (_, body) => {
    const { url } = await stubServer((_, response) => response.writeHead(200).end(body));
    expect(await sendText(connectTo(url), TEXT)).toEqual({ providerId: undefined, status: undefined, response: body });
  });

  it('counts as sent even if the answer breaks off after its status', async () => {
    const { url } = await stubServer((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"messages":');
      setImmediate(() => response.socket?.destroySoon());
    });
    expect(await sendText(connectTo(url), TEXT)).toEqual({ providerId: undefined, status: undefined, response: '' });
  });

  it('is not sent if a success contains an error', async () => {
    const { url } = await stubServer((_, response) => json(response, 200, errorOf(131047)));
    expect(await failureOf(sendText(connectTo(url), TEXT))).toMatchObject({ status: '131047' });
  });

  it.each([
    ['repeats the token', `wamid.${TOKEN}`, 'wamid.[redacted]'],
    ['is very long', 'w'.repeat(3_000_000), 'w'.repeat(200)],
  ])('has no id that %s', async (_, id, providerId) => {
    const { url } = await stubServer((_, response) => json(response, 200, { messages: [{ id }] }));
    expect(await sendText(connectTo(url), TEXT)).toMatchObject({ providerId });
  });

  it('keeps no complete number of the answer', async () => {
    const { url } = await stubServer((_, response) => json(response, 200, ACCEPTED));
    const { response } = await sendText(connectTo(url), TEXT);
    expect(JSON.parse(response).contacts).toEqual([{ input: '49…78', wa_id: '49…79' }]);
  });

  it.each([
    ['spaced', 'Recipient +49 151 12345678 is not in the allowed list'],
    ['the network’s own', 'Recipient 4915112345679 (wa_id) cannot be reached'],
    ['somebody else’s, spaced', 'Not allowed beside +1 (555) 010-0002'],
    ['bare, spaced', 'Recipient 49 151 12345678 is unknown'],
  ])('quotes no number in a failure, JSON or not: %s', async (_, words) => {
    for (const body of [JSON.stringify(errorOf(131030, undefined, 'OAuthException', words)), words]) {
      const { url } = await stubServer((_, response) => response.writeHead(400).end(body));
      const failure = await failureOf(sendText(connectTo(url), TEXT));
      const said = JSON.stringify([failure.message, failure]);
      expect(said).toContain('…');
      expect(said.replace(/[^\d"]/g, '')).not.toMatch(/151123456|5550100/);
    }
  });

  it('keeps the trace and the requested id in a failure', async () => {
    const refusal = errorOf(100, 33, 'OAuthException', `Object with ID '${SENDER}' does not exist`);
    const error = { ...refusal.error, fbtrace_id: '1234567890123' };
    const { url } = await stubServer((_, response) => json(response, 400, { error }));
    const failure = await failureOf(sendText(connectTo(url), TEXT));
    expect(failure.message).toContain(SENDER);
    expect(failure.requestId).toBe('1234567890123');
  });

  it('quotes no number in a failure', async () => {
    const refusal = errorOf(131026, undefined, 'OAuthException', 'Cannot reach +4915112345678 (4915112345678)');
    const { url } = await stubServer((_, response) => json(response, 400, refusal));
    const failure = await failureOf(sendText(connectTo(url), TEXT));
    expect(JSON.stringify([failure.message, failure])).not.toContain('15112345');
    expect(failure).toMatchObject({ status: '131026', outcome: 'not_processed', httpStatus: 400 });
  });

  it('is never retried automatically', async () => {
    const { url, requests } = await stubServer((_, response) => json(response, 429, errorOf(130429)));
    await failureOf(sendText(connectTo(url), TEXT));
    expect(requests).toHaveLength(1);
  });
});

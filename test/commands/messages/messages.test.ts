import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stubServer } from '../../support/stub-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const TO = 'whatsapp:+4915112345678';
const SID = 'SM00000000000000000000000000000001';

/** A messaging interface, and media beside it: a picture and a calendar. */
async function service(media?: 'link') {
  const { url, requests } = await stubServer(({ path }, response) => {
    if (path.startsWith('/chart')) response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    else if (path.startsWith('/week')) response.writeHead(200, { 'content-type': 'text/calendar' }).end('x');
    else response.writeHead(201, { 'content-type': 'application/json' }).end(`{"sid":"${SID}","status":"queued"}`);
  });
  const env = {
    PACEKEEPER_TARGET: 'live',
    MESSAGES_URL: url,
    MESSAGES_ACCOUNT_ID: 'AC1',
    MESSAGES_USERNAME: 'AC1',
    MESSAGES_PASSWORD: 'token-of-messages',
    MESSAGES_FROM: 'whatsapp:+15550100001',
    MESSAGES_TO: TO,
  };
  const folder = tempDir();
  if (media) writeFileSync(join(folder, 'pacekeeper.yaml'), `messages: { media: ${media} }\n`);
  const send = (...args: readonly string[]) => runInProcess(['messages', 'send', ...args], { env, folder });
  const sent = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => new URLSearchParams(body));
  return { url, send, sent };
}

describe('pacekeeper messages send', () => {
  it('C1 C3: sends one text, and masks the recipient', async () => {
    const { send, sent } = await service();
    const { code, stdout } = await send(TO, 'Hello & goodbye');
    expect([code, stdout]).toEqual([
      0,
      `The service accepted the text to whatsapp:+49…78 as ${SID}. Delivery is not confirmed yet.\n`,
    ]);
    expect(sent().map((form) => Object.fromEntries(form))).toEqual([
      { To: TO, From: 'whatsapp:+15550100001', Body: 'Hello & goodbye' },
    ]);
  });

  it('C2: refuses a recipient of another channel than the sender, and sends nothing', async () => {
    const { send, sent } = await service();
    const { code, stderr } = await send('sms:+4915112345678', 'Hello');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('The recipient sms:+49…78 and the sender whatsapp:+15…01'),
    ]);
    expect(sent()).toEqual([]);
  });

  it('C4: attaches media that the channel accepts', async () => {
    const { url, send, sent } = await service();
    expect((await send(TO, 'Yesterday', '--media', `${url}/chart`)).code).toBe(0);
    expect(sent()[0]?.get('MediaUrl')).toBe(`${url}/chart`);
  });

  it('C4: refuses media that the channel would drop, or links them in the text if configured', async () => {
    const refusing = await service();
    const refused = await refusing.send(TO, 'The week', '--media', `${refusing.url}/week`);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/text\/calendar/);
    expect(refusing.sent()).toEqual([]);

    const linking = await service('link');
    expect((await linking.send(TO, 'The week', '--media', `${linking.url}/week`)).code).toBe(0);
    expect(linking.sent()[0]?.get('Body')).toBe(`The week\n${linking.url}/week`);
  });

  it.each([
    ['a private network', 'https://10.0.0.1/chart.png'],
    ['an http address', 'http://www.example.com/chart.png'],
  ])('C4: sends nothing with media on %s', async (_sentence, media) => {
    const { send, sent } = await service();
    expect((await send(TO, 'Yesterday', '--media', media)).code).toBe(1);
    expect(sent()).toEqual([]);
  });

  it.each([
    ['a number without a channel', '+4915112345678', 'Hello', /whatsapp:\+4915112345678/],
    ['an empty text', TO, ' ', /Invalid text: found no text/],
    ['a text that is too long', TO, 'x'.repeat(1601), /found 1,601 characters, expected 1 to 1,600/],
  ])('C2 C3: refuses %s before anything is sent', async (_sentence, to, text, words) => {
    const { send, sent } = await service();
    const { code, stderr } = await send(to, text);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(sent()).toEqual([]);
  });
});

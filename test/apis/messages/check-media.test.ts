import { describe, expect, it } from 'vitest';
import { checkMedia } from '../../../src/channels/check-media.ts';
import { sendMessage } from '../../../src/channels/messages/send-message.ts';
import { explainFailure } from '../../../src/domain/errors.ts';
import { failureOf } from '../../http/test-client.ts';
import { stubServer } from '../../support/stub-server.ts';
import { connectTo, TO } from './messages-client.ts';

const ELSEWHERE = 'https://messages.example.com';
const MESSAGE = { to: TO, body: 'The week in a chart.' };

/** An interface and the media beside it; a media address answers this to HEAD. */
async function serving(headers: Record<string, string | number>, status = 200) {
  const { url, requests } = await stubServer(({ method }, response) => {
    if (method === 'POST') response.writeHead(201).end();
    else response.writeHead(status, headers).end();
  });
  const sent = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => new URLSearchParams(body));
  return { url, requests, sent };
}

describe('C4: the answer of the media address', () => {
  it.each([
    'image/jpeg',
    'image/png',
    'image/webp',
    'audio/ogg',
    'audio/amr',
    'audio/3gpp',
    'audio/aac',
    'audio/mpeg',
    'video/mp4',
    'application/pdf',
    'application/msword',
    'text/vcard',
    'IMAGE/JPEG; charset=binary',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ])('attaches %s, whatever its extension', async (type) => {
    const { url, requests, sent } = await serving({ 'content-type': type, 'content-length': 1000 });
    const mediaUrl = `${url}/meeting.ics?size=2`;
    await sendMessage(connectTo(url), { ...MESSAGE, mediaUrl });
    expect(requests.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual([
      'HEAD meeting.ics?size=2',
      'POST Messages.json',
    ]);
    expect(sent()[0]?.get('MediaUrl')).toBe(mediaUrl);
    expect(sent()[0]?.get('Body')).toBe(MESSAGE.body);
  });

  it.each<[string, Record<string, string | number>]>([
    ['a calendar', { 'content-type': 'text/calendar' }],
    ['a text', { 'content-type': 'text/plain; charset=utf-8' }],
    ['a page', { 'content-type': 'text/html' }],
    ['bytes of unknown type', { 'content-type': 'application/octet-stream' }],
    ['an unsupported picture', { 'content-type': 'image/gif' }],
    ['no content type', {}],
    ['an invalid content type', { 'content-type': 'a\tb' }],
    ['a picture that is too large', { 'content-type': 'image/png', 'content-length': 5_000_001 }],
    ['a video that is too large', { 'content-type': 'video/mp4', 'content-length': 16_000_001 }],
  ])('%s would be dropped, so it is refused before sending or becomes a link', async (_, headers) => {
    const { url, sent } = await serving(headers);
    const mediaUrl = `${url}/chart.jpg`;
    const failure = await failureOf(sendMessage(connectTo(url), { ...MESSAGE, mediaUrl }));
    expect(failure).toMatchObject({ status: 'MEDIA_REFUSED', outcome: 'not_processed', transient: false });
    expect(failure.message).toMatch(/drop/);
    expect(sent()).toEqual([]);
    await sendMessage(connectTo(url, { media: 'link' }), { ...MESSAGE, mediaUrl });
    expect(sent().map((form) => [form.get('Body'), form.get('MediaUrl')])).toEqual([
      [`${MESSAGE.body}\n${mediaUrl}`, null],
    ]);
  });

  it.each([
    ['image/png', 5_000_000],
    ['application/pdf', 16_000_000],
  ])('%s of %d bytes is attached', async (type, bytes) => {
    const { url } = await serving({ 'content-type': type, 'content-length': bytes });
    expect(await checkMedia(connectTo(url), `${url}/a`)).toEqual({ kind: 'attached' });
  });

  it('reports that the media would be dropped, and the next step', async () => {
    const { url } = await serving({ 'content-type': 'text/calendar' });
    const failure = await failureOf(sendMessage(connectTo(url), { ...MESSAGE, mediaUrl: `${url}/m.ics?token=12345` }));
    expect(explainFailure(failure).replace(url, 'http://HOST')).toMatchInlineSnapshot(
      `"http://HOST/m.ics is text/calendar. The channel drops this type, sends only the text and reports no error. Send another type of file. Or set messages.media to "link": the text then contains the address."`,
    );
  });

  it('uses GET if HEAD is not supported, without reading the body', async () => {
    const { url } = await stubServer(({ method }, response) => {
      response.writeHead(method === 'HEAD' ? 405 : 200, { 'content-type': 'image/png' });
      if (method === 'HEAD') response.end();
      else response.write('x'.repeat(100_000));
    });
    expect(await checkMedia(connectTo(url), `${url}/endless.png`)).toEqual({ kind: 'attached' });
  });

  it('counts the link as part of the text', async () => {
    const { url, sent } = await serving({ 'content-type': 'text/calendar' });
    const body = 'x'.repeat(1_590);
    const sending = sendMessage(connectTo(url, { media: 'link' }), { to: TO, body, mediaUrl: `${url}/m.ics` });
    expect(await failureOf(sending)).toMatchObject({ status: '21617', outcome: 'not_processed' });
    expect(sent()).toEqual([]);
  });
});

describe('C4: a media address is refused', () => {
  it.each([
    ['in an invalid form', 'chart.jpg'],
    ['without encryption', 'http://www.example.com/chart.jpg'],
    ['of another protocol', 'ftp://www.example.com/chart.jpg'],
    ['of a file', 'file:///etc/passwd'],
    ['of text', 'data:image/png;base64,AAAA'],
    ['with a user', 'https://user:secret@93.184.216.34/chart.jpg'],
    ['of this machine', 'https://127.0.0.1/chart.jpg'],
    ['of this machine by name', 'https://localhost/chart.jpg'],
    ['of this machine in IPv6', 'https://[::1]/chart.jpg'],
    ['of this machine as one number', 'https://2130706433/chart.jpg'],
    ['of this machine in hexadecimal', 'https://0x7f.1/chart.jpg'],
    ['of this machine in octal', 'https://0177.0.0.1/chart.jpg'],
    ['of a private network', 'https://10.1.2.3/chart.jpg'],
    ['of a private network, mapped', 'https://[::ffff:192.168.1.1]/chart.jpg'],
    ['of a private network in IPv6', 'https://[fd00::1]/chart.jpg'],
    ['of a link-local address, where clouds keep their secrets', 'https://169.254.169.254/latest/meta-data'],
    ['of a name with a private address', 'https://intranet.example.com/chart.jpg'],
    ['of a name with a private address among others', 'https://rebound.example.com/chart.jpg'],
    ['of a name with a mapped address', 'https://mapped.example.com/chart.jpg'],
    ['of a name without addresses', 'https://empty.example.com/chart.jpg'],
  ])('%s', async (_, mediaUrl) => {
    const names: Readonly<Record<string, readonly string[]>> = {
      'intranet.example.com': ['10.0.0.7'],
      'rebound.example.com': ['93.184.216.34', '127.0.0.1'],
      'mapped.example.com': ['::ffff:10.0.0.7'],
      'empty.example.com': [],
      localhost: ['127.0.0.1'],
    };
    const failure = await failureOf(
      checkMedia(connectTo(ELSEWHERE), mediaUrl, async (host) => names[host] ?? ['93.184.216.34']),
    );
    expect(failure).toMatchObject({ status: 'MEDIA_REFUSED', outcome: 'not_processed', transient: false });
    expect(explainFailure(failure)).not.toContain('secret@');
  });

  it('of this machine even as a link, unless the interface is on this machine, too', async () => {
    const { url, requests } = await serving({ 'content-type': 'image/png' });
    const linked = sendMessage(connectTo(ELSEWHERE, { media: 'link' }), { ...MESSAGE, mediaUrl: `${url}/a.png` });
    expect(await failureOf(linked)).toMatchObject({ status: 'MEDIA_REFUSED' });
    expect(requests).toEqual([]);
    expect(await checkMedia(connectTo(url), `${url}/a.png`)).toEqual({ kind: 'attached' });
  });

  it('of a private network even if the interface is on this machine', async () => {
    const { url } = await serving({ 'content-type': 'image/png' });
    const failure = await failureOf(checkMedia(connectTo(url), 'https://10.1.2.3/a.png'));
    expect(failure).toMatchObject({ status: 'MEDIA_REFUSED' });
  });

  it.each([
    [301, 'MEDIA_REFUSED', false],
    [404, 'MEDIA_UNREACHABLE', false],
    [403, 'MEDIA_UNREACHABLE', false],
    [429, 'MEDIA_UNREACHABLE', true],
    [503, 'MEDIA_UNREACHABLE', true],
  ])('that answers %d, without following redirects', async (answered, status, transient) => {
    const { url, requests, sent } = await serving({ location: '/b.png', 'content-type': 'image/png' }, answered);
    const failure = await failureOf(sendMessage(connectTo(url), { ...MESSAGE, mediaUrl: `${url}/a.png` }));
    expect(failure).toMatchObject({ status, outcome: 'not_processed', transient });
    expect(requests).toHaveLength(1);
    expect(sent()).toEqual([]);
  });

  it('for now if it does not answer or resolve: the message was surely not sent', async () => {
    const { url } = await stubServer((_, response) => response.destroy());
    const broken = await failureOf(sendMessage(connectTo(url), { ...MESSAGE, mediaUrl: `${url}/a.png` }));
    expect(broken).toMatchObject({ status: 'MEDIA_UNREACHABLE', outcome: 'not_processed', transient: true });
    const unknown = await failureOf(
      checkMedia(connectTo(url), 'https://nowhere.example.com/a.png', () => Promise.reject(new Error('ENOTFOUND'))),
    );
    expect(unknown).toMatchObject({ status: 'MEDIA_UNREACHABLE', outcome: 'not_processed', transient: true });
  });

  it('is requested at the checked address, however its name resolves later', async () => {
    const { url, requests } = await serving({ 'content-type': 'image/png' });
    const port = new URL(url).port;
    const verdict = await checkMedia(connectTo(url), `http://localhost:${port}/a.png`, async () => ['127.0.0.1']);
    expect(verdict).toEqual({ kind: 'attached' });
    expect(requests[0]?.headers.host).toBe(`localhost:${port}`);
  });
});

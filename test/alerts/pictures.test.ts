import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPictures } from '../../src/alerts/pictures.ts';
import { checkMedia } from '../../src/channels/check-media.ts';

const CAPTION_LENGTH_MAX = 1024;

import type { AlertSeverity } from '../../src/domain/channel.ts';
import { type CustomerId, customerId } from '../../src/domain/ids.ts';
import { createRedact } from '../../src/services/http/redact.ts';
import { enqueueAlert } from '../../src/storage/records/alerts/alert-table.ts';
import { stubServer } from '../support/stub-server.ts';
import { toldLog } from '../support/told-log.ts';
import { type DeliveryPath, deliveryPath, type Phones, startPhones } from './delivery-path.ts';

let phones: Phones;
beforeAll(async () => {
  phones = await startPhones();
});
afterAll(() => phones.close());

const ONE = customerId('1111111111');
const TWO = customerId('2222222222');
let alerts = 0;

function enqueue(
  { state }: DeliveryPath,
  customer: CustomerId | undefined,
  text = 'a',
  severity: AlertSeverity = 'info',
) {
  const alert = { dedupeKey: `picture:${alerts++}`, severity, customerId: customer, text };
  return enqueueAlert(state.db, alert, phones.clock.now());
}

/** Delivers, and returns the media of the messages and the accounts whose pictures were wanted. */
async function deliver(path: DeliveryPath, changes: Parameters<DeliveryPath['deliver']>[0] = {}) {
  const before = phones.sandbox.messages().length;
  const wanted: CustomerId[] = [];
  await path.deliver({
    pictureAt: async (customer) => {
      wanted.push(customer);
      return { url: `https://hooks.example.com/${customer}.png`, png: undefined, words: 'The month.' };
    },
    ...changes,
  });
  const media = phones.sandbox.messages().slice(before);
  return { wanted, media: media.map(({ mediaUrl }) => mediaUrl?.slice(26)) };
}

describe('a message shows', () => {
  it('the account of its first alert, which is the most urgent one', async () => {
    const path = await deliveryPath(phones);
    await enqueue(path, undefined);
    await enqueue(path, ONE);
    await enqueue(path, TWO, 'b', 'critical');
    expect(await deliver(path)).toEqual({ wanted: [TWO], media: ['2222222222.png'] });
  });

  it.each<[sentence: string, customer: CustomerId | undefined, text: string, media: (string | undefined)[]]>([
    ['nothing without an account', undefined, 'a', [undefined]],
    ['nothing beside a text that is too long', ONE, 'x '.repeat(CAPTION_LENGTH_MAX / 2), [undefined]],
    ['a picture beside a long text', ONE, 'x'.repeat(CAPTION_LENGTH_MAX - 16), ['1111111111.png']],
  ])('%s', async (_, customer, text, media) => {
    const path = await deliveryPath(phones);
    await enqueue(path, customer, text);
    expect((await deliver(path)).media).toEqual(media);
  });

  it('nothing on the graph interface', async () => {
    const path = await deliveryPath(phones);
    await enqueue(path, ONE);
    expect(await deliver(path, { messages: undefined })).toEqual({ wanted: [], media: [undefined] });
  });
});

describe('pictures', () => {
  const openAt = async (status: number, contentType: string) => {
    const { url: publicUrl, requests } = await stubServer((_, response) =>
      response.writeHead(status, { 'content-type': contentType }).end(),
    );
    const { messages } = await deliveryPath(phones);
    const log: string[] = [];
    const told = toldLog({ warn: (line) => log.push(line) });
    const pathOf = (customer: CustomerId) => `/${customer}.png`;
    const redact = createRedact([]);
    const open = openPictures({ publicUrl, key: 'secret', pathOf, clock: phones.clock, redact, log: told });
    const pictures = { check: (url: string) => checkMedia(messages, url) };
    return { pictureAt: (customer: CustomerId) => open(customer, undefined, pictures), requests, log };
  };

  it.each<[sentence: string, status: number, contentType: string, requests: number]>([
    ['missing for one account', 404, 'text/html', 2],
    ['of a type that the channel drops', 200, 'image/svg+xml', 2],
    ['on a server that is down, which is asked once', 503, 'text/html', 1],
    ['that redirect', 302, 'text/html', 1],
  ])('%s are left out, with a line in the log that does not sign anything', async (_, status, type, count) => {
    const { pictureAt, requests, log } = await openAt(status, type);
    expect([await pictureAt(ONE), await pictureAt(TWO)]).toEqual([undefined, undefined]);
    expect(requests).toHaveLength(count);
    expect(log).toHaveLength(count);
    expect(log.join()).not.toMatch(/until=|proof=|secret/);
  });

  it('are checked by their signed address', async () => {
    const { pictureAt, requests, log } = await openAt(200, 'image/png');
    expect((await pictureAt(ONE))?.url).toMatch(/\/1111111111\.png\?until=\d{10}&proof=[\w-]{43}$/);
    expect(requests).toMatchObject([{ method: 'HEAD', path: expect.stringContaining('proof=') }]);
    expect(log).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onFiles } from '../../support/folder-store.ts';
import { partsOf } from '../../support/mail-parts.ts';
import { forgetfulServer, headersOf, mailServer, reply } from '../../support/mail-server.ts';
import { createProduct, type Product } from '../../support/product.ts';

const ACCOUNT = '4081725530';
const CONFIG = `watch: { complete_run_hours: 200, publication_hours: 200 }
alerts:
  recipients:
    anna: { email: anna@example.com, time_zone: Europe/Berlin }
    ben: { email: ben@example.com }
  digest_at: never
  reports:
    week: { to: [anna], accounts: ${ACCOUNT}, subject: "Ihre Woche, {period}", greeting: "Liebe <Anna>,", locale: de-DE, csv: true }
`;
const FROM = 'pacekeeper@example.org';

/** By content type, the text of each part of a mail. */
function textsOf(source: string): ReadonlyMap<string, string> {
  return new Map([...partsOf(source)].map(([type, { bytes }]) => [type, bytes.toString()]));
}

async function mailing(config = CONFIG, options: Parameters<typeof mailServer>[0] = {}) {
  const mail = await mailServer(options);
  const product = await createProduct({ config, rules: {} });
  const env = { EMAIL_URL: `smtp://127.0.0.1:${mail.port}`, EMAIL_FROM: FROM };
  const at = async (now: string, ...args: string[]) => {
    product.at(now);
    return product.run(args, { env });
  };
  return { product, mails: mail.mails, port: mail.port, at };
}

/** From the published rows. */
function spentIn(product: Product, from: string, to: string): string {
  const sql = `SELECT sum(cost_micros) AS cost FROM stats WHERE customer_id = ${ACCOUNT} AND date BETWEEN '${from}' AND '${to}'`;
  const [{ cost } = { cost: undefined }] = product.rows(sql, 'warehouse');
  return (Number(cost) / 1e6).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' });
}

describe('a report by mail', () => {
  it('comes once for each period, on its schedule, in the words of its reader, with the figures of the file', async () => {
    const { product, mails, at } = await mailing();
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T05:30:00Z', 'report');
    // 07:30 in Berlin.
    await at('2026-11-23T06:30:00Z', 'watch', '--once');
    expect(mails).toEqual([]);
    await at('2026-11-23T06:31:00Z', 'alerts', 'silence', '--all', '--for', '3d', '--why', 'x');
    expect((await at('2026-11-23T07:05:00Z', 'watch', '--once')).code).toBe(0);
    await at('2026-11-23T07:15:00Z', 'watch', '--once');
    await at('2026-11-24T05:30:00Z', 'report');
    expect(mails.map(({ to }) => to)).toEqual([['anna@example.com']]);
    const [mail = { source: '' }] = mails;
    expect(headersOf(mail).get('subject')).toBe('Ihre Woche, 2026-11-16 to 2026-11-22');
    const parts = textsOf(mail.source);
    const spent = spentIn(product, '2026-11-16', '2026-11-22');
    expect(parts.get('text/plain')).toContain(`Spend ${spent}`);
    const page = parts.get('text/html') ?? '';
    expect(page).toContain('Liebe &lt;Anna&gt;,');
    expect(page).toContain(`>${spent}</td>`);
    expect(page).not.toMatch(/<script|<img/);
    const days = (parts.get('text/csv') ?? '').trim().split('\r\n');
    expect(days[0]).toBe(
      '"date","customer_id","account","currency","cost_micros","cost","clicks","conversions","complete"',
    );
    expect(days.slice(1).map((line) => line.slice(1, 11))).toEqual(
      [16, 17, 18, 19, 20, 21, 22].map((day) => `2026-11-${day}`),
    );
    await at('2026-11-30T08:00:00Z', 'report');
    expect(mails).toHaveLength(2);
  });

  it('waits half a day for days that are not read, then says what is missing', async () => {
    const { mails, at } = await mailing();
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T07:05:00Z', 'watch', '--once');
    expect(mails).toEqual([]);
    await at('2026-11-23T19:05:00Z', 'watch', '--once');
    expect(mails.map(({ source }) => textsOf(source).get('text/plain'))).toEqual([
      expect.stringContaining('Partial. Alpenkontor Outdoor GmbH: 4 of 7 days complete, until 2026-11-19.'),
    ]);
  });

  it.runIf(onFiles)(
    'of a damaged file waits until the next run has made a whole one, and then comes once',
    async () => {
      const { product, mails, at } = await mailing();
      await at('2026-11-20T12:00:00Z', 'report');
      await at('2026-11-23T05:30:00Z', 'report');
      writeFileSync(join(product.folder, 'data', 'warehouse.sqlite'), Buffer.alloc(8_192, 'x'));
      await at('2026-11-23T07:05:00Z', 'watch', '--once');
      expect(mails).toEqual([]);
      expect((await at('2026-11-23T07:10:00Z', 'report')).code).toBe(0);
      await at('2026-11-23T07:15:00Z', 'watch', '--once');
      expect(mails).toHaveLength(1);
    },
  );

  it('that meets a mail server which is away waits, and comes once with the figures that it was made with', async () => {
    const { product, mails, at } = await mailing();
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T05:30:00Z', 'report');
    product.at('2026-11-23T07:05:00Z');
    const away = { EMAIL_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: FROM };
    expect((await product.run(['watch', '--once'], { env: away })).code).toBe(1);
    const spent = spentIn(product, '2026-11-16', '2026-11-22');
    await at('2026-11-23T07:15:00Z', 'watch', '--once');
    await at('2026-11-23T07:25:00Z', 'watch', '--once');
    expect(mails.map(({ source }) => textsOf(source).get('text/html'))).toEqual([
      expect.stringContaining(`>${spent}</td>`),
    ]);
    // A page that arrived is kept no longer than until the next one.
    expect(product.rows('SELECT count(*) AS pages FROM report_mail')).toEqual([{ pages: 1 }]);
  });

  it('whose server gave no answer comes once more and says so, on its page, too', async () => {
    const server = await forgetfulServer(1);
    const product = await createProduct({ config: CONFIG, rules: {} });
    const env = { EMAIL_URL: `smtp://127.0.0.1:${server.port}`, EMAIL_FROM: FROM };
    for (const now of [
      '2026-11-20T12:00:00Z',
      '2026-11-23T05:30:00Z',
      '2026-11-23T07:05:00Z',
      '2026-11-23T07:15:00Z',
      '2026-11-23T07:25:00Z',
    ]) {
      product.at(now);
      await product.run(now.includes('T07') ? ['watch', '--once'] : ['report'], { env });
    }
    const pages = server.sources.map(
      (source) => textsOf(`\r\n--x\r\n${source.split('\r\n--').slice(1).join('\r\n--')}`).get('text/html') ?? '',
    );
    expect(server.sources).toHaveLength(2);
    expect(pages.map((page) => page.includes('Sent again, because'))).toEqual([false, true]);
    expect(new Set(server.sources.map((source) => /^Message-ID: (.*)$/m.exec(source)?.[1])).size).toBe(1);
  });

  it('that the server refuses is lost, not forgotten, and the next period is not held up', async () => {
    const mail = await mailServer({ onRcptTo: (_address, _session, done) => done(reply(550, 'no such user')) });
    const product = await createProduct({ config: CONFIG, rules: {} });
    const env = { EMAIL_URL: `smtp://127.0.0.1:${mail.port}`, EMAIL_FROM: FROM };
    for (const now of ['2026-11-20T12:00:00Z', '2026-11-23T08:30:00Z']) {
      product.at(now);
      await product.run(['report'], { env });
    }
    const { stdout } = await product.run(['alerts', 'list'], { env });
    expect(stdout).toMatch(/Delivery not confirmed[\s\S]* refused [\s\S]*Alpenkontor Outdoor GmbH, 2026-11-16 to /);
  });

  it('goes to anybody by hand, after the run, and names a mistake before it', async () => {
    const { mails, at } = await mailing('alerts: { digest_at: never }\n');
    const now = '2026-11-20T12:00:00Z';
    expect(await at(now, 'report', '--mail-to', 'a@example.com\r\nBcc: b@example.com')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--mail-to has no mail address'),
    });
    expect(await at(now, 'report', '--mail-to', 'a@example.com', '--dry-run')).toMatchObject({ code: 2 });
    expect((await at(now, 'report', '--mail-to', 'boss@example.com', '--customer', ACCOUNT)).code).toBe(0);
    expect(mails.map(({ to, source }) => [to, headersOf({ source }).get('subject')])).toEqual([
      [
        ['boss@example.com'],
        expect.stringMatching(/^Alpenkontor Outdoor GmbH, 2026-11-13 to 2026-11-19: [\d.,]+ EUR spent/),
      ],
    ]);
  });

  it.each([
    ['follows its reader to another address', 'anna@example.com', 'new@example.com', ['new@example.com']],
    ['goes to nobody if its reader was removed', 'anna: { email: anna@example.com', 'carl: { email: c@example.com', []],
  ])('that the server could not take %s', async (_sentence, before, after, expected) => {
    let isFull = true;
    const { product, mails, at } = await mailing(`email: { retry: { attempts: 1 } }\n${CONFIG}`, {
      onRcptTo: (_address, _session, done) => done(isFull ? reply(452, 'no space') : undefined),
    });
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T08:30:00Z', 'report');
    isFull = false;
    const config = CONFIG.replace(before, after);
    product.reconfigure('apply', expected.length > 0 ? config : config.replace('to: [anna]', 'to: [carl]'));
    await at('2026-11-23T08:40:00Z', 'alerts', 'deliver');
    const reports = mails.filter(({ source }) => source.includes('Ihre Woche'));
    expect(reports.flatMap(({ to }) => to)).toEqual(expected);
  });

  it('does not come again after its reader has a new address and the old one is forgotten', async () => {
    const { product, mails, at } = await mailing();
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T08:30:00Z', 'report');
    expect(mails).toHaveLength(1);
    expect(product.rows('SELECT alert_id FROM report_mail')).toHaveLength(1);
    product.reconfigure('apply', CONFIG.replace('anna@example.com', 'new@example.com'));
    expect((await at('2026-11-23T08:40:00Z', 'forget', 'anna@example.com')).code).toBe(0);
    await at('2026-11-23T08:50:00Z', 'watch', '--once');
    expect(mails).toHaveLength(1);
    expect(product.rows('SELECT alert_id FROM report_mail')).toEqual([]);
  });

  it('waits for the last day of an account that is far west of its reader', async () => {
    const east = CONFIG.replace('Europe/Berlin', 'Pacific/Kiritimati').replace('to: [anna]', 'to: [anna], at: 00:30');
    const { mails, at } = await mailing(east);
    await at('2026-11-20T12:00:00Z', 'report');
    // On Sunday in Berlin, and more than half a day after the report was due.
    await at('2026-11-22T22:35:00Z', 'report');
    expect(mails).toEqual([]);
    await at('2026-11-23T05:30:00Z', 'report');
    expect(mails.map(({ source }) => textsOf(source).get('text/plain'))).toEqual([
      expect.not.stringContaining('Partial'),
    ]);
  });

  it('is enqueued by one of two processes that look at once', async () => {
    const { product, mails, port, at } = await mailing();
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T05:30:00Z', 'report');
    product.at('2026-11-23T08:30:00Z');
    const server = `url: "smtp://127.0.0.1:${port}", from: ${FROM}`;
    product.reconfigure('apply', `email: { ${server} }\n${CONFIG}`);
    const looks = await Promise.all([product.cli(['watch', '--once']), product.cli(['watch', '--once'])]);
    expect(looks.map(({ code }) => code)).toEqual([0, 0]);
    expect(mails).toHaveLength(1);
  });

  it('waits for an account that is not there, and then names it', async () => {
    const { mails, at } = await mailing(CONFIG.replace(`accounts: ${ACCOUNT}`, `accounts: [${ACCOUNT}, 999-888-7777]`));
    await at('2026-11-20T12:00:00Z', 'report');
    await at('2026-11-23T08:30:00Z', 'report');
    expect(mails).toEqual([]);
    await at('2026-11-23T19:30:00Z', 'watch', '--once');
    const parts = mails.map(({ source }) => textsOf(source));
    for (const type of ['text/plain', 'text/html'])
      expect(parts.map((one) => one.get(type))).toEqual([expect.stringContaining('Not found: account 9998887777.')]);
  });

  it.each([
    ['an empty list of accounts, which would be all of them', 'to: [anna], accounts: []', /week\.accounts is empty/],
    ['a name that is no recipient', 'to: [carl]', /alerts\.reports\.week\.to has carl, expected a name/],
    ['a recipient without a mail address', 'to: [dora]', /alerts\.reports\.week\.to has dora, who has no email/],
    ['a period that is unknown', 'to: [anna], every: year', /alerts\.reports\.week\.every/],
    ['a time that is none', 'to: [anna], at: noon', /alerts\.reports\.week\.at/],
  ])('is refused in the settings with %s', async (_sentence, report, message) => {
    const product = await createProduct({
      config: `alerts: { recipients: { anna: { email: anna@example.com }, dora: { slack: team } }, reports: { week: { ${report} } } }\n`,
    });
    expect(await product.run(['status'])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { onFiles } from '../../support/folder-store.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { byEngine } from '../../support/state.ts';

const PHONE = '+15550100002';
const DIGITS = PHONE.slice(1);
const ONCE = 'messages: { retry: { attempts: 1 } }\nalerts: { digest_at: never }\n';
const APPROVER = ONCE.replace('never }', `never, approvers: { ben: "${PHONE}" } }`);
const OTHERS = { MESSAGES_TO: 'whatsapp:+15550100077' };

const TABLES = ['alert', 'message', 'outbox', 'reply', 'webhook_event', 'budget_event', 'budget_proposal'];

/** What is stored: on files the bytes of the folder, else the texts of the tables. */
function stored({ folder, rows }: Product): string {
  const data = join(folder, 'data');
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = files.map((one) => readFileSync(join(one.parentPath, one.name), 'latin1'));
  const texts = () => TABLES.flatMap((table) => rows(`SELECT * FROM ${table}`)).map((row) => Object.values(row).join());
  return [...bytes, ...byEngine({ sqlite: () => [], postgres: texts })()].join('\n');
}

/** A phone that approved a change by a reply, has written more, and got reports of delivery. */
async function answered(): Promise<Product> {
  const product = await createProduct({ mode: 'approve', config: APPROVER });
  await product.run(['report']);
  const code = /Reply YES ([A-Z0-9]{4})/.exec(product.sandbox.messages()[0]?.body ?? '')?.[1] ?? '';
  const { graph, messages } = product.sandbox.credentials;
  const served = await serveInProcess(product.folder, {
    ...product.env(),
    MESSAGES_PASSWORD: messages.password,
    GRAPH_APP_SECRET: graph.appSecret,
    GRAPH_VERIFY_TOKEN: graph.verifyToken,
  });
  for (const [channel, text] of [
    ['graph', 'what is this? Regards, Ben Miller'],
    ['messages', 'Yes, call me. Ben Miller'],
    ['messages', `YES ${code}`],
  ] as const) {
    expect(await product.sandbox.receive({ channel, from: PHONE, text }, served.ready.address)).toBe(200);
  }
  await served.until(new RegExp(`about ${code}: approved`));
  expect(await served.stop()).toBe(0);
  return product;
}

describe('pacekeeper forget', () => {
  it('leaves no trace of an address or of what its owner wrote, and every decision', async () => {
    const product = await answered();
    const before = await product.json(['budgets', 'history']);
    // A real provider's ids contain the number.
    product.execute(
      `UPDATE message SET provider_id = 'wamid.${DIGITS}.' || id`,
      `UPDATE reply SET dedupe_key = 'graph:message:wamid.${DIGITS}.' || id`,
      `UPDATE alert SET dedupe_key = 'reply:graph:message:wamid.${DIGITS}.' || id WHERE kind = 'reply'`,
    );
    expect(stored(product)).toContain(DIGITS);
    expect(stored(product)).toContain('Ben Miller');

    product.reconfigure('approve', ONCE);
    const { code, stdout } = await product.run(['forget', '+1 555 010-0002'], { env: OTHERS });
    expect(stdout).toMatch(/^The address was removed from \d+ deliveries, 3 replies, 3 webhooks\./);
    expect(code).toBe(0);
    expect(stored(product)).not.toContain(DIGITS);
    expect(stored(product)).not.toContain('Ben Miller');

    expect((await product.json(['budgets', 'history'])).value).toEqual(before.value);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
    const again = await product.run(['forget', PHONE], { env: OTHERS });
    expect([again.code, again.stdout]).toEqual([0, 'The records do not have this address.\n']);
  });

  it('sends nothing again, nothing to an invented address, and loses no alert', async () => {
    const product = await answered();
    product.fault = ({ kind }) => (kind === 'message' ? { kind: 'status', status: 429 } : undefined);
    await product.run(['alerts', 'test']);
    expect(product.rows("SELECT state FROM outbox WHERE reason = 'test'")).toEqual([{ state: 'pending' }]);
    product.fault = undefined;
    product.reconfigure('approve', ONCE);
    expect((await product.run(['forget', PHONE], { env: OTHERS })).code).toBe(0);

    const sent = product.sandbox.requests.length;
    product.at('2026-11-21T12:00:00Z');
    const { code, stdout } = await product.run(['alerts', 'deliver'], { env: OTHERS });
    expect([code, stdout]).toEqual([0, '0 alerts sent.\n']);
    expect(product.sandbox.requests.slice(sent).map(({ path }) => path)).toEqual([]);
    expect((await product.run(['alerts', 'list'], { env: OTHERS })).stdout).not.toContain('not delivered');
  });

  it('waits for a message that may be on its way, and changes nothing', async () => {
    const product = await createProduct({ mode: 'approve' });
    product.fault = ({ kind }) =>
      kind === 'message'
        ? { kind: 'reset_after' }
        : kind === 'message_list'
          ? { kind: 'html', status: 502 }
          : undefined;
    await product.run(['report']);
    expect(product.rows('SELECT DISTINCT state FROM message')).toEqual([{ state: 'unknown' }]);
    const before = product.rows('SELECT * FROM outbox');
    const { code, stderr } = await product.run(['forget', PHONE], { env: OTHERS });
    expect([code, stderr]).toEqual([1, expect.stringContaining('may be on its way, so nothing was removed')]);
    expect(stderr).toContain('next step: Run pacekeeper alerts deliver.');
    expect(product.rows('SELECT * FROM outbox')).toEqual(before);
  });

  it.runIf(onFiles)(
    'says that texts stay in a file that another program reads, and removes them when it has ended',
    async () => {
      const product = await answered();
      product.reconfigure('approve', ONCE);
      const reader = new Database(product.place, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT count(*) FROM message').get();
      const { code, stderr } = await product.run(['forget', PHONE], { env: OTHERS });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/Deleted texts stay in .*state\.sqlite/)]);
      expect(stderr).toContain('next step: Close that program. Then run this command again.');
      expect(stored(product)).toContain(DIGITS);
      reader.close();
      expect((await product.run(['forget', PHONE], { env: OTHERS })).code).toBe(0);
      expect(stored(product)).not.toContain(DIGITS);
    },
  );

  it.each([
    ['a recipient of the settings', PHONE, /The settings still have this address: recipient recipient-1/],
    ['a name', 'ben', /Invalid address: found ben, expected a phone number/],
    ['a part of a number', '+4915', /Invalid address: found \+4915/],
  ])('refuses %s', async (_name, person, words) => {
    const product = await createProduct({ mode: 'approve' });
    await product.run(['report']);
    const { code, stderr } = await product.run(['forget', person]);
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stored(product)).toContain(DIGITS);
  });
});

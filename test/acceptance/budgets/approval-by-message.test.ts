import { describe, expect, it } from 'vitest';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { liveEnvironment } from '../../support/world.ts';

const PHONE = '+15550100002';

/** A product in mode approve that has told the phone of a proposal, and the environment in which it serves. */
async function proposed() {
  const product = await createProduct({ mode: 'approve', config: `alerts: { approvers: ["${PHONE}"] }\n` });
  await product.run(['report']);
  const { messages, graph } = product.sandbox.credentials;
  const [told] = product.sandbox.messages();
  const code = /Reply YES ([A-Z0-9]{4})/.exec(told?.body ?? '')?.[1] ?? '';
  expect(code).not.toBe('');
  const env = {
    ...product.env(),
    MESSAGES_PASSWORD: messages.password,
    GRAPH_URL: product.sandbox.url,
    GRAPH_ACCESS_TOKEN: graph.accessToken,
    // No phone-number id: what a webhook carries is the account.
    GRAPH_BUSINESS_ACCOUNT_ID: graph.businessAccountId,
    GRAPH_APP_SECRET: graph.appSecret,
    GRAPH_VERIFY_TOKEN: graph.verifyToken,
  };
  return { product, code, env };
}

const answers = (product: Product) => product.sandbox.messages().slice(1);

describe('approval by message', () => {
  it('turns a signed YES into one change, and confirms it by message', async () => {
    const { product, code, env } = await proposed();
    const served = await serveInProcess(product.folder, env);
    expect(served.ready.webhooks).toEqual({ graph: 'on', graph_verification: 'on', messages: 'on' });
    const reply = {
      channel: 'messages',
      from: PHONE,
      text: `Yes ${code}`,
      id: 'SM00000000000000000000000000000001',
    } as const;
    const { address } = served.ready;
    expect(await product.sandbox.receive(reply, address)).toBe(200);
    expect(await product.sandbox.receive(reply, address)).toBe(200);
    await served.until(new RegExp(`about ${code}: approved`));
    expect(await served.stop()).toBe(0);
    expect(product.amount()).toBe(51_000_000n);
    expect(product.sends()).toHaveLength(1);
    expect(answers(product)).toMatchObject([
      {
        channel: 'messages',
        to: `whatsapp:${PHONE}`,
        body: expect.stringMatching(/^Budget changed[\s\S]*approved by \+15…02 by message/),
      },
    ]);
    expect(served.stderr()).not.toContain(PHONE);
    const lines = served.stderr().trimEnd().split('\n');
    expect(lines.filter((line) => !/^\d{4}-\d\d-\d\dT[\d:.]+Z \S/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.endsWith(`Listening on ${address}.`))).toHaveLength(1);
  });

  it('A6: answers from the number of the account that the webhook names', async () => {
    const { product, code, env } = await proposed();
    const served = await serveInProcess(product.folder, env);
    expect(await product.sandbox.subscribe(served.ready.address)).toBe(true);
    const reply = { channel: 'graph', from: PHONE, text: `no, ${code}` } as const;
    expect(await product.sandbox.receive(reply, served.ready.address)).toBe(200);
    await served.until(new RegExp(`about ${code}: declined`));
    expect(await served.stop()).toBe(0);
    expect(answers(product)).toMatchObject([
      { channel: 'graph', to: PHONE.slice(1), body: expect.stringContaining(`${code} is rejected: the budget of`) },
    ]);
    const { phoneNumberId, businessAccountId } = product.sandbox.credentials.graph;
    const paths = product.sandbox.requests.map(({ path }) => path.split('?')[0]);
    expect(paths.filter((path) => path?.includes(phoneNumberId))).toEqual([expect.stringMatching(/\/messages$/)]);
    expect(paths.filter((path) => path?.includes(businessAccountId))).toEqual([
      expect.stringMatching(/\/phone_numbers$/),
    ]);
  });

  it('says why the proposal ended after automation was narrowed', async () => {
    const { product, code, env } = await proposed();
    product.reconfigure('propose');
    const served = await serveInProcess(product.folder, env);
    const reply = { channel: 'messages', from: PHONE, text: `YES ${code}` } as const;
    expect(await product.sandbox.receive(reply, served.ready.address)).toBe(200);
    await served.until(new RegExp(`about ${code}: refused`));
    expect(await served.stop()).toBe(0);
    expect(answers(product).map(({ body }) => body)).toEqual([
      expect.stringMatching(
        /^Nothing was changed\. Proposal \w+ is superseded: The change needs mode approve, but automation.mode is propose\. Set it to approve\. The next report then decides again\./,
      ),
    ]);
    expect(product.mutates()).toEqual([]);
  });

  it('waits while a run holds the run lock, and is handled by the next server', async () => {
    const { product, code, env } = await proposed();
    const release = await product.hold('a long report');
    const first = await serveInProcess(product.folder, env);
    const reply = { channel: 'messages', from: PHONE, text: `NO ${code}` } as const;
    expect(await product.sandbox.receive(reply, first.ready.address)).toBe(200);
    // Who decides on nothing does not wait for the run.
    const idle = { channel: 'messages', from: PHONE, text: 'yes' } as const;
    await first.until(/An answer waits: .* is in use by a long report/);
    expect(await product.sandbox.receive(idle, first.ready.address)).toBe(200);
    await first.until(/contains no decision/);
    expect(await first.stop()).toBe(0);
    await release();
    const second = await serveInProcess(product.folder, env);
    await second.until(new RegExp(`about ${code}: declined`));
    expect(await second.stop()).toBe(0);
    expect(answers(product).map(({ body }) => body)).toEqual([
      expect.stringContaining('Nothing was decided. Your message has no code.'),
      expect.stringContaining(`${code} is rejected`),
    ]);
  });
});

describe('pacekeeper serve', () => {
  it('accepts messages that the sandbox signs, and names the live routes that are off', async () => {
    const sandboxed = await createProduct();
    const served = await serveInProcess(sandboxed.folder, { PACEKEEPER_TARGET: 'sandbox' });
    const reply = { channel: 'messages', from: PHONE, text: 'Hello' } as const;
    expect(await sandboxed.sandbox.receive(reply, served.ready.address)).toBe(200);
    const { messages: _, ...live } = { ...liveEnvironment(sandboxed.sandbox), messages: '' };
    const bare = await serveInProcess(sandboxed.folder, { ...live, MESSAGES_PASSWORD: 'another' });
    expect(bare.ready.webhooks).toEqual({
      graph: 'off: GRAPH_APP_SECRET is not set',
      graph_verification: 'off: GRAPH_VERIFY_TOKEN is not set',
      messages: 'on',
    });
    expect(await sandboxed.sandbox.receive(reply, bare.ready.address)).toBe(403);
    expect(await bare.stop()).toBe(0);
    expect(bare.stderr()).not.toContain('another');
  });

  it('refuses a port that is in use with exit code 2 and a next step', async () => {
    const product = await createProduct();
    const served = await serveInProcess(product.folder, { PACEKEEPER_TARGET: 'sandbox' });
    const env = { SERVE_PORT: new URL(served.ready.address).port };
    const { code, stdout, stderr } = await product.run(['serve'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/found a port in use[\s\S]*next step: Set SERVE_PORT to another port/);
  });
});

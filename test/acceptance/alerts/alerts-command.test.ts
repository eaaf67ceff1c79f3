import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignName } = TRIMMED;
const ANNA = 'whatsapp:+15005550002';
const WATCH = `description: Tells of clicks.
from: stats
for: campaign
over: 7 days
when: clicks >= 1
alert: { severity: warning, text: "{campaign_name}: {clicks} clicks" }
`;
const QUIET = `alerts: { digest_at: never, recipients: { anna: { messages: "${ANNA}", time_zone: Europe/Berlin, quiet_hours: 12:30-14:00 } } }\n`;

const bodies = (product: Product) => product.sandbox.messages().map(({ body }) => body);

/** A product whose rule fires, after one run. */
async function firing(config: string): Promise<Product> {
  const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config });
  expect((await product.run(['report'])).code).toBe(0);
  return product;
}

describe('pacekeeper alerts', () => {
  it('list shows firing and waiting alerts with the reason; deliver sends them after the quiet hours', async () => {
    const product = await firing(QUIET);
    expect(bodies(product)).toEqual([]);
    const { code, stdout } = await product.run(['alerts', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^Firing\n.*\n  A1 +warning +watch .* 2026-11-20 12:00 UTC +first\n(?: +\\(${EUR}\\)\n)?    ${campaignName}: \\d+ clicks\n`,
      ),
    );
    expect(stdout).toMatch(/Waiting to be sent\n.*\n {2}A1 +waiting +warning +watch .* whatsapp:\+15…02 /);
    expect(stdout).toContain('the quiet hours of anna end at 2026-11-20 13:00 UTC');
    const { value } = await product.json(['alerts', 'list']);
    expect(value).toMatchObject({
      firing: [{ state: 'firing', severity: 'warning', rule: 'watch', customer_id: EUR, occasions: 1 }],
      waiting: [{ state: 'pending', recipient: 'whatsapp:+15…02', reason: 'first' }],
      lost: [],
      silences: [],
    });
    const stopped = await product.run(['alerts', 'deliver'], { onStop: (stop) => stop() });
    expect([stopped.code, stopped.stdout]).toEqual([1, expect.stringContaining('because the run was asked to stop.')]);
    product.at('2026-11-20T13:00:00Z');
    const delivered = await product.run(['alerts', 'deliver']);
    expect(delivered.code).toBe(0);
    expect(delivered.stdout).toMatch(/^Alerts\n {2}sent to whatsapp:\+15…02: .*\n(.*\n)*1 alert sent\.\n$/);
    expect(bodies(product)).toHaveLength(1);
    await product.run(['alerts', 'silence', '--all', '--for', '1h', '--why', 'a long reason '.repeat(20)]);
    for (const columns of [80, 140]) {
      const all = await product.run(['alerts', 'list', '--all'], { columns });
      expect(all.stdout).toMatch(
        /Sent or withdrawn\n[\s\S]* {2}A1 +sent +warning +watch[\s\S]* 2026-11-20 13:00 UTC\n/,
      );
      expect(all.stdout.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
    }
  });

  it('list shows for a day the alerts that a message only counted', async () => {
    const product = await firing('alerts: { digest_at: never }\n');
    expect((await product.run(['alerts', 'list'])).stdout).not.toContain('Summarised');
    product.execute('UPDATE outbox SET counted = 1');
    expect((await product.run(['alerts', 'list'])).stdout).toMatch(
      /\nSummarised\n.*\n {2}A1 +summarised +warning .*\n(?: +\(\d+\)\n)?.* clicks\n/,
    );
    expect((await product.json(['alerts', 'list', '--all'])).value).toMatchObject({
      counted: [{ counted: true, state: 'accepted' }],
      past: [],
    });
    product.at('2026-11-21T12:01:00Z');
    expect((await product.run(['alerts', 'list'])).stdout).not.toContain('Summarised');
    expect((await product.run(['alerts', 'list', '--all'])).stdout).toMatch(/ summarised +warning /);
  });

  it('list says that nothing fires, and needs an earlier run', async () => {
    const product = await createProduct({ rules: {} });
    const early = await product.run(['alerts', 'list']);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('No run has read data yet')]);
    await product.run(['report', '--dry-run']);
    expect(await product.run(['alerts', 'list'])).toMatchObject({
      code: 0,
      stdout: 'No alert is firing, and no alert is waiting to be sent.\n',
    });
  });

  it('silence holds alerts back until it ends, and shows who silenced what', async () => {
    const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config: 'alerts: { digest_at: never }\n' });
    await product.run(['report', '--dry-run']);
    const silence = ['alerts', 'silence', '--rule', 'wat*', '--for', '2h', '--why', 'the shop is closed'];
    expect(await product.run(silence)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^S1 silences rule wat\* until 2026-11-20 14:00 UTC\.\nNo condition in its scope fires now\.\n$/,
      ),
    });
    await product.run(['report', '--no-extract']);
    expect(bodies(product)).toEqual([]);
    const { stdout } = await product.run(['alerts', 'list']);
    expect(stdout).toContain('sent to nobody');
    expect(stdout).toMatch(/S1 +rule wat\* +active +anna +2026-11-20 14:00 UTC\n {4}the shop is closed/);
    expect(await product.run(['alerts', 'silence', '--end', 's1'])).toMatchObject({
      code: 0,
      stdout: 'S1 has ended. It silenced rule wat*.\n',
    });
    await product.run(['report', '--no-extract']);
    expect(bodies(product)).toEqual([expect.stringContaining(`${campaignName}: `)]);
    expect((await product.run(['alerts', 'list'])).stdout).not.toContain('S1');
    expect((await product.run(['alerts', 'list', '--all'])).stdout).toMatch(/S1 .* ended +anna /);
  });

  it('reports silences and routes of unknown rules and accounts, with the nearest name', async () => {
    const product = await createProduct({
      rules: { 'watch.yaml': WATCH },
      config: `alerts: { digest_at: never, recipients: { anna: { messages: "${ANNA}" } }, routes: [{ to: [anna], rules: [wacht, "w*"] }, { to: [anna], accounts: ["1112223334"] }] }\n`,
    });
    await product.run(['report', '--dry-run']);
    const silence = async (...scope: string[]) =>
      product.run(['alerts', 'silence', ...scope, '--for', '2h', '--why', 'x']);
    expect(await silence('--rule', 'wacht')).toMatchObject({
      code: 0,
      stderr: 'warning: The silence has no effect: no such rule: wacht. Did you mean watch?\n',
    });
    expect((await silence('--rule', 'w*ch', '--customer', EUR)).stderr).toBe('');
    expect((await silence('--customer', '1112223334')).stderr).toContain('no such account: 1112223334.');
    expect((await silence('--all')).stdout).toMatch(/^S4 silences everything until /);
    const routes = [
      'warning: alerts.routes[0]: no such rule: wacht. Did you mean watch?',
      'warning: alerts.routes[1]: no such account: 1112223334.',
    ];
    expect((await product.run(['alerts', 'list'])).stderr).toBe(`${routes.join('\n')}\n`);
    expect((await product.run(['alerts', 'test'])).stderr).toContain(routes.join('\n'));
  });

  it('silence exits with 2 and a next step if an argument is missing or invalid', async () => {
    const product = await createProduct({ rules: {} });
    await product.run(['report', '--dry-run']);
    const cases: [sentence: string, args: string[], words: string][] = [
      ['of nothing', ['--for', '2h', '--why', 'x'], 'No alerts selected'],
      ['of no length', ['--all', '--why', 'x'], 'No duration given'],
      ['of no reason', ['--all', '--for', '2h'], 'No reason given'],
      ['of an empty reason', ['--all', '--for', '2h', '--why', ' '], 'The reason is empty'],
      ['of an unknown length', ['--all', '--for', '2 hours', '--why', 'x'], 'such as 30m, 2h or 3d'],
      ['of a year', ['--all', '--for', '365d', '--why', 'x'], 'at most 90 days'],
      ['of an unknown severity', ['--severity', 'loud', '--for', '2h', '--why', 'x'], 'Allowed choices are info'],
      ['that there is not, ended', ['--end', 'S7'], 'No active silence S7.'],
      ['of no number, ended', ['--end', 'seven'], 'the number of a silence, such as S3'],
    ];
    for (const [sentence, args, words] of cases) {
      const { code, stdout, stderr } = await product.run(['alerts', 'silence', ...args]);
      expect([sentence, code, stdout]).toEqual([sentence, 2, '']);
      expect(stderr).toContain(words);
      expect(stderr).toContain('next step: ');
    }
    expect(product.rows('SELECT * FROM silence')).toEqual([]);
  });

  it('test sends a message to all recipients or to one, and exits with 1 if one is not accepted', async () => {
    const config = `alerts: { digest_at: never, recipients: { anna: { messages: "${ANNA}" }, ben: { messages: "whatsapp:+4915112345678" } } }\n`;
    const product = await createProduct({ rules: {}, config });
    const all = await product.run(['alerts', 'test']);
    expect(all).toMatchObject({ code: 0 });
    expect(all.stdout).toMatch(/^anna: sent, whatsapp:\+15…02\nben: sent, whatsapp:\+49…78\n$/);
    expect(bodies(product)).toEqual([
      expect.stringMatching(/^Test alert by anna: alerts reach anna\.\nRef pk-/),
      expect.stringMatching(/^Test alert by anna: alerts reach ben\.\nRef pk-/),
    ]);
    product.reconfigure('apply', QUIET);
    await product.run(['alerts', 'test', '--severity', 'info']);
    expect(['at once, in quiet hours too', bodies(product).length]).toEqual(['at once, in quiet hours too', 3]);
    product.reconfigure('apply', config);
    product.fault = ({ kind }) => (kind === 'message' ? { kind: 'status', status: 400 } : undefined);
    const failed = await product.run(['alerts', 'test', '--to', 'ben', '--severity', 'info', '--by', 'carl']);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/^ben: not delivered, whatsapp:\+49…78, /);
    expect(await product.run(['alerts', 'test', '--to', 'nobody'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Unknown recipient: found nobody, expected one of anna, ben.'),
    });
  });
});

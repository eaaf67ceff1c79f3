import { expect, it } from 'vitest';
import { lostMessagesIn } from '../../../src/storage/records/alerts/digest-facts.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { storeAt } from '../../support/state.ts';

const WATCH = `description: Tells of clicks.
from: stats
for: account
over: 7 days
when: clicks >= 1
alert: { severity: warning, text: "Clicks: {clicks}" }
`;
/** A configuration whose recipients have one number for both channels. */
const told = (people: Readonly<Record<string, string>>) => {
  const each = Object.entries(people).map(
    ([name, number]) => `${name}: { messages: "whatsapp:+${number}", graph: ${number} }`,
  );
  return `alerts: { digest_at: never, recipients: { ${each.join(', ')} } }\n`;
};
const viaGraph = ({ sandbox: { url, credentials } }: Product) => ({
  GRAPH_URL: url,
  GRAPH_ACCESS_TOKEN: credentials.graph.accessToken,
  GRAPH_PHONE_NUMBER_ID: credentials.graph.phoneNumberId,
});

it('a recipient who is reached by the second channel is a note, not a failure', async () => {
  const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config: told({ anna: '15550100011' }) });
  const { code, stdout } = await product.run(['report', '--format', 'json'], { env: viaGraph(product) });
  expect(code).toBe(0);
  const value = JSON.parse(stdout);
  const text = expect.stringContaining('Clicks: ');
  expect(value).toMatchObject({
    failures: [],
    messages: [
      { name: 'anna', channel: 'messages', state: 'failed', instead: 'graph', lost: false, text },
      { name: 'anna', channel: 'graph', state: 'accepted', instead: null, lost: false, text },
    ],
  });
  expect(value).toHaveProperty(
    'notes',
    expect.arrayContaining([
      expect.stringMatching(
        /^The alert to anna \(whatsapp:\+15…11\) was refused\. pacekeeper sends it by graph instead: .*opted out/,
      ),
    ]),
  );
});

it('a recipient who no channel reaches is one failure, with the reason of each channel', async () => {
  const config = told({ anna: '15550100031', ben: '4915112345678' });
  const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config });
  const { code, stdout } = await product.run(['report'], { columns: 100_000, env: viaGraph(product) });
  expect(code).toBe(1);
  const failed = /\nFailed\n((?: {2}.*\n)+)/.exec(stdout)?.[1]?.trimEnd().split('\n');
  expect(failed).toEqual([
    expect.stringMatching(
      /^ {2}ALERT NOT DELIVERED to anna \(\+15…31\), all channels failed. Alert: Clicks: .*\. By messages: .*opted out.* By graph: /,
    ),
  ]);
  expect(stdout).not.toContain('goes out by graph instead');
  expect(stdout).toContain('Done with 1 failure: ');
});

it('the list says of each recipient and channel whether the alert was refused, or accepted and not delivered', async () => {
  const config = told({ anna: '15550100011', ben: '4915112345678' });
  const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config });
  product.sandbox.setPhone('whatsapp:+4915112345678', 'undelivered', 'messages');
  await product.run(['report'], { env: viaGraph(product) });
  await product.sandbox.settled();
  product.at('2026-11-20T13:01:00Z');
  await product.run(['alerts', 'deliver'], { env: viaGraph(product) });
  const list = await product.run(['alerts', 'list', '--all'], { columns: 200, env: viaGraph(product) });
  expect(list.stdout).toMatch(/A1 +refused +warning .*whatsapp:\+15…11/);
  expect(list.stdout).toMatch(/A1 +sent +warning .*graph:\+15…11/);
  expect(list.stdout).toMatch(/A1 +not delivered +warning .*whatsapp:\+49…78/);
});

it('a lost alert stays on the list and on every report, once per person, until somebody acknowledges it', async () => {
  const config = told({ anna: '15550100011', ben: '15550100031' });
  const product = await createProduct({ rules: { 'watch.yaml': WATCH }, config });
  await product.run(['report'], { env: viaGraph(product) });
  const list = async (...more: string[]) => {
    const { stdout } = await product.run(['alerts', 'list', ...more, '--format', 'json'], { env: viaGraph(product) });
    return JSON.parse(stdout) as Record<'lost' | 'past', { recipient: string; state: string; kind: string }[]>;
  };
  const shown = ({ recipient, state }: { recipient: string; state: string }) => [recipient, state];
  const state = await storeAt(product.place);
  const day = { since: '2026-11-20T00:00:00Z', now: '2026-11-21T00:00:00Z' };
  // The digest counts what was lost to ben once, and nothing of what anna heard another way.
  expect(await lostMessagesIn(state.db, day)).toBe(1);
  await state.close();
  const now = await list();
  const all = await list('--all');
  expect([now.lost.map(shown), now.past]).toEqual([[['graph:+15…31', 'failed']], []]);
  expect(all.lost).toEqual(now.lost);
  expect(all.past.map(shown)).toEqual([
    ['whatsapp:+15…11', 'failed'],
    ['whatsapp:+15…31', 'failed'],
    ['graph:+15…11', 'accepted'],
  ]);
  product.at('2026-12-27T12:30:00Z');
  expect((await list()).lost).toEqual(now.lost);
  const run = (...args: string[]) => product.run(args, { env: viaGraph(product), width: 1000 });
  expect((await run('report', '--dry-run')).stdout).toMatch(
    /Needs you\n +An alert was not delivered: .*\. Run pacekeeper alerts list, then pacekeeper alerts acknowledge\.\n/,
  );
  expect((await run('status')).stdout).toContain('Alerts: none waiting, 1 not delivered\n');
  expect(await run('alerts', 'acknowledge')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No alerts selected'),
  });
  expect((await run('alerts', 'acknowledge', '--rule', 'other')).stdout).toBe('0 alerts acknowledged.\n');
  expect((await run('alerts', 'acknowledge', '--all')).stdout).toBe('1 alert acknowledged.\n');
  expect((await list()).lost).toEqual([]);
  expect((await run('alerts', 'list', '--all')).stdout).toContain('Acknowledged by anna.');
  expect((await run('report', '--dry-run')).stdout).toContain('Needs you: nothing');
});

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProduct, type Product } from '../support/product.ts';
import { stubServer } from '../support/stub-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIMMED } from '../support/trim-rule.ts';

const ALERTMANAGER = '/usr/bin/prometheus-alertmanager';

interface Told {
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly startsAt: string;
  }[];
}

/** Tells a receiver of its alerts at once, and of changes after a second. `told` resolves when the receiver heard so often. */
async function startAlertmanager() {
  const heard: Told[] = [];
  let onHeard = (): void => undefined;
  const receiver = await stubServer(({ body }, response) => {
    response.end();
    heard.push(JSON.parse(body));
    onHeard();
  });
  const folder = tempDir();
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(
    config,
    `route: { receiver: nobody, routes: [{ matchers: ['recipient="ads-team"'], receiver: team, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 100h }] }
receivers: [{ name: nobody }, { name: team, webhook_configs: [{ url: "${receiver.url}/hear", send_resolved: true }] }]
`,
  );
  const server = spawn(
    ALERTMANAGER,
    [
      `--config.file=${config}`,
      `--storage.path=${folder}`,
      '--web.listen-address=127.0.0.1:0',
      '--cluster.listen-address=',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise((resolve) => server.once('close', resolve));
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const url = await new Promise<string>((resolve, reject) => {
    const lines: string[] = [];
    createInterface(server.stderr).on('line', (line) => {
      lines.push(line);
      const [, address] = /Listening on" address=(\S+)/.exec(line) ?? [];
      if (address !== undefined) resolve(`http://${address}`);
    });
    void ended.then(() => reject(new Error(`Alertmanager ended:\n${lines.join('\n')}`)));
  });
  return {
    url,
    heard,
    told: (times: number) =>
      new Promise<void>((done) => {
        onHeard = () => heard.length >= times && done();
        onHeard();
      }),
    /** Those that it keeps now. */
    kept: async (): Promise<Told['alerts']> => (await fetch(`${url}/api/v2/alerts`)).json() as never,
  };
}

const rule = (severity: string, clicks: number) => ({
  'busy.yaml': `description: Tells of clicks.
from: stats
for: campaign
over: 3 days
when: clicks >= ${clicks}
alert: { severity: ${severity}, text: "{campaign_name}: {clicks} clicks" }
`,
});

const HOUR_MS = 3_600_000;

/** Alertmanager has the real clock, so the product has a time before it. */
async function reporting(url: string, hoursAgo: number) {
  const product = await createProduct({
    rules: rule('warning', 1),
    config: `alertmanager: { url: "${url}" }
alerts: { digest_at: never, recipients: { team: { alertmanager: ads-team } } }
`,
  });
  const report = async (ago: number): Promise<Product> => {
    product.at(new Date(Date.now() - ago * HOUR_MS).toISOString());
    expect(await product.run(['report'])).toMatchObject({ code: 0 });
    return product;
  };
  await report(hoursAgo);
  return { product, report };
}

function rewrite({ folder }: Product, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'rules', name), text);
}

describe.runIf(existsSync(ALERTMANAGER))('Debian’s prometheus-alertmanager, if it is installed', () => {
  it('tells its receiver of a condition once, although reports repeat it, and of its end', async () => {
    const manager = await startAlertmanager();
    const { product, report } = await reporting(manager.url, 25);
    await manager.told(1);
    await report(0.5);
    expect(product.rows("SELECT state FROM outbox WHERE reason IN ('first', 'repeat')")).toEqual([
      { state: 'accepted' },
      { state: 'accepted' },
    ]);
    expect(await manager.kept()).toHaveLength(1);
    rewrite(product, rule('warning', 1_000_000));
    await report(0);
    await manager.told(2);
    const [began, ended] = manager.heard;
    const labels = { alertname: 'busy', recipient: 'ads-team', severity: 'warning', customer_id: TRIMMED.customerId };
    expect(began).toMatchObject({ status: 'firing', alerts: [{ labels }] });
    expect(began?.alerts[0]?.annotations.summary).toMatch(`${TRIMMED.campaignName}: `);
    expect(ended).toMatchObject({ status: 'resolved', alerts: [{ labels, startsAt: began?.alerts[0]?.startsAt }] });
    expect([await manager.kept(), manager.heard.length]).toEqual([[], 2]);
  });

  it('has one alert of the higher severity after a condition became more severe', async () => {
    const manager = await startAlertmanager();
    const { product, report } = await reporting(manager.url, 2);
    await manager.told(1);
    rewrite(product, rule('critical', 1));
    await report(0);
    await manager.told(2);
    expect((await manager.kept()).map(({ labels }) => labels.severity)).toEqual(['critical']);
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alertSettings } from '../../src/config/alert-settings.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { readEnvironment } from '../../src/config/setting-tree.ts';
import { createProduct } from '../support/product.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIMMED } from '../support/trim-rule.ts';

const page = readFileSync('docs/alerts.md', 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${kind}\n([^\`]*)\`\`\``, 'g'))].map((match) => match[1] ?? '');
const withoutReference = (text: string) => text.replace(/Ref pk-\w{8}/, 'Ref pk-XXXXXXXX');

describe('docs/alerts.md', () => {
  it('shows real alerts and answers', async () => {
    const texts = blocks('text');
    const product = await createProduct({ config: 'alerts: { digest_at: 13:00, approvers: [+15005550002] }\n' });
    await product.run(['report']);
    expect(`${withoutReference(product.sandbox.messages()[0]?.body ?? '')}\n`).toBe(texts[0]);

    const said: string[] = [];
    for (const line of blocks('console')[0]?.split('\n') ?? []) {
      if (!line.startsWith('$ pacekeeper ')) continue;
      const args = [...line.slice('$ pacekeeper '.length).matchAll(/"([^"]*)"|(\S+)/g)];
      const { stdout } = await product.run(args.map(([, quoted, plain]) => quoted ?? plain ?? ''));
      said.push(`${line}\n${stdout.replace(/:00:\d\dZ/, ':00:00Z')}`);
    }
    expect(said.join('')).toBe(blocks('console')[0]);

    product.reconfigure(
      'apply',
      `accounts: { ${TRIMMED.customerId}: { locale: de-DE } }\nalerts: { digest_at: never }\n`,
    );
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    expect(product.sandbox.messages().at(-1)?.body.replaceAll('\u00a0', ' ')).toMatch(
      /\n51,00 € to 43,35 € \(-15 %\)\n/,
    );
  });

  it('shows the real digest; approvals.md quotes the real question', async () => {
    const [, digest] = blocks('text');
    const product = await createProduct({
      mode: 'approve',
      config: 'alerts: { digest_at: 13:00, approvers: [+15005550002] }\n',
    });
    await product.run(['report', '--dry-run']);
    product.at('2026-11-21T12:00:00Z');
    await product.run(['report']);
    const asked = product.sandbox.messages()[0]?.body ?? '';
    const [, question = ''] = /`(Reply YES \w+ or NO \w+)`/.exec(readFileSync('docs/approvals.md', 'utf8')) ?? [];
    expect(asked.replace(/\b[A-Z0-9]{4}\b(?= |$)/g, 'PY3W')).toContain(question);
    expect(question).toContain('PY3W');
    expect(asked).not.toContain('Decide: ');
    const quiet = await createProduct({ rules: {}, config: 'alerts: { digest_at: 13:00 }\n' });
    await quiet.run(['report', '--dry-run']);
    quiet.at('2026-11-21T14:00:00Z');
    await quiet.run(['alerts', 'deliver']);
    await quiet.run(['alerts', 'deliver']);
    const told = quiet.sandbox.messages().map(({ body }) => body.replace(/Ref pk-\w{8}/, ''));
    expect(told).toEqual([digest]);
  });

  it('has valid settings', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), blocks('yaml').join('\n'));
    const alerts = alertSettings((await readSettings(folder, {}, readEnvironment(folder, {}))).alerts);
    expect(alerts.recipients.map(({ name }) => name)).toEqual(['anna', 'agency']);
    expect(alerts.routes).toHaveLength(2);
    expect(alerts.approvers).toEqual([{ name: 'anna', number: '+4915112345678' }]);
  });
});

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignId, campaignName } = TRIMMED;
const TRUE = 'clicks >= 1';
const FALSE = 'clicks >= 5000';
const UNKNOWN = 'cost / (clicks - clicks) > 1';
const KEY = `rule:watch:${EUR}:campaign/${campaignId}`;

const watch = (when: string, severity = 'warning') => `description: Tells of clicks.
from: stats
for: campaign
over: 7 days
when: ${when}
alert: { severity: ${severity}, text: "{campaign_name}: {clicks} clicks" }
`;

const write = (product: Product, text: string, name = 'watch') =>
  writeFileSync(join(product.folder, 'rules', `${name}.yaml`), text);
const bodies = (product: Product) => product.sandbox.messages().map(({ body }) => body);
const conditions = (product: Product) =>
  product.rows("SELECT dedupe_key AS key, state, severity FROM alert WHERE kind = 'condition' ORDER BY id");

/** A product with a rule that only tells, and what people heard of it run by run. */
async function telling(config = 'alerts: { digest_at: never }\n') {
  const product = await createProduct({ rules: { 'watch.yaml': watch(TRUE) }, config });
  let heard = 0;
  return {
    product,
    /** What one more report tells. */
    async report(now: string, args: readonly string[] = ['--no-extract']): Promise<string[]> {
      product.at(now);
      const { code, stderr } = await product.run(['report', ...args]);
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      const fresh = bodies(product).slice(heard);
      heard += fresh.length;
      return fresh;
    },
  };
}

describe('a rule with an alert', () => {
  it('reports once each that a condition begins, worsens and ends, and ignores unknown values', async () => {
    const { product, report } = await telling();
    const [first, ...none] = await report('2026-11-20T12:00:00Z', []);
    expect(none).toEqual([]);
    expect(first).toMatch(
      new RegExp(
        `^${campaignName}: \\d+ clicks\nWhy: clicks \\(\\d+\\) >= 1, 2026-11-13 to 2026-11-19\nAccount .* \\(${EUR}\\), rule watch\nRef pk-`,
      ),
    );
    expect(conditions(product)).toEqual([{ key: KEY, state: 'firing', severity: 'warning' }]);
    expect(await report('2026-11-20T12:10:00Z')).toEqual([]);

    write(product, watch(UNKNOWN));
    expect(await report('2026-11-20T12:20:00Z')).toEqual([]);
    expect(conditions(product)).toEqual([{ key: KEY, state: 'firing', severity: 'warning' }]);

    write(product, watch(TRUE, 'critical'));
    expect(await report('2026-11-20T12:30:00Z')).toEqual([expect.stringMatching(/^Now critical: .* clicks\n/)]);

    write(product, watch(FALSE, 'critical'));
    expect(await report('2026-11-20T12:40:00Z')).toEqual([
      expect.stringMatching(
        /^Resolved \(began 2026-11-20\): .*: \d+ clicks\nNow: clicks \d+, 2026-11-13 to 2026-11-19\nAccount /,
      ),
    ]);
    expect(conditions(product)).toEqual([{ key: KEY, state: 'resolved', severity: 'critical' }]);
    expect(await report('2026-11-20T12:50:00Z')).toEqual([]);

    write(product, watch(TRUE, 'critical'));
    expect(await report('2026-11-20T13:00:00Z')).toEqual([]);
    expect(conditions(product)).toEqual([{ key: KEY, state: 'firing', severity: 'critical' }]);
    expect(await report('2026-11-20T13:41:00Z')).toEqual([expect.stringContaining(`${campaignName}: `)]);
  });

  it('repeats its alert after a day, with the day on which it began', async () => {
    const { report } = await telling();
    await report('2026-11-20T12:00:00Z', []);
    expect(await report('2026-11-21T12:00:00Z', [])).toEqual([expect.stringMatching(/^Still true since 2026-11-20: /)]);
  });

  it.each<[sentence: string, change: (product: Product) => void, why: RegExp]>([
    [
      'that was removed',
      (product) => rmSync(join(product.folder, 'rules', 'watch.yaml')),
      /\nWhy: the rule watch was removed or no longer alerts\n/,
    ],
    [
      'that no longer covers the campaign',
      (product) => write(product, `${watch(TRUE)}where: campaign_name = 'another'\n`),
      /\nWhy: the rule no longer covers it, or it has no rows in these days\n/,
    ],
    [
      'that now has another currency',
      (product) => write(product, `${watch(TRUE)}currency: CHF\n`),
      /\nWhy: the rule now covers only accounts in CHF\n/,
    ],
  ])('reports as over, with the reason, the condition of a rule %s', async (_sentence, change, why) => {
    const { product, report } = await telling();
    await report('2026-11-20T12:00:00Z', []);
    change(product);
    expect(await report('2026-11-20T12:10:00Z')).toEqual([expect.stringMatching(why)]);
    expect(conditions(product)).toMatchObject([{ state: 'resolved' }]);
    expect(await report('2026-11-20T12:20:00Z')).toEqual([]);
  });

  it('counts as a new rule if renamed: the old alert ends, the new one is sent', async () => {
    const { product, report } = await telling();
    await report('2026-11-20T12:00:00Z', []);
    rmSync(join(product.folder, 'rules', 'watch.yaml'));
    write(product, watch(TRUE), 'renamed');
    const [told, ...none] = await report('2026-11-20T12:10:00Z');
    expect(none).toEqual([]);
    expect(told).toContain('Resolved (began ');
    expect(told).toContain(', rule renamed');
  });

  it('does not report the end of a condition whose start was not reported', async () => {
    const { product, report } = await telling(
      'alerts: { digest_at: never, recipients: { anna: { messages: "whatsapp:+15005550002", quiet_hours: 10:00-14:00 } } }\n',
    );
    expect(await report('2026-11-20T12:00:00Z', [])).toEqual([]);
    write(product, watch(FALSE));
    expect(await report('2026-11-20T12:10:00Z')).toEqual([]);
    expect(await report('2026-11-20T15:00:00Z')).toEqual([]);
    expect(product.rows('SELECT state, error FROM outbox')).toEqual([
      { state: 'withdrawn', error: 'It was resolved before it was reported.' },
    ]);
  });

  it('records nothing in a dry run', async () => {
    const { product, report } = await telling();
    expect(await report('2026-11-20T12:00:00Z', ['--dry-run'])).toEqual([]);
    expect(conditions(product)).toEqual([]);
  });

  it('says what it would change, and that nothing changed, if it may only suggest', async () => {
    const rules = {
      'trim.yaml': `${TRIM_RULES['trim.yaml'].trimEnd()}\nalert: { severity: warning, text: "{campaign_name}: {cost / clicks} a click" }\n`,
    };
    const product = await createProduct({ rules, mode: 'propose', config: 'alerts: { digest_at: never }\n' });
    const { code, stdout } = await product.run(['report', '--verbose']);
    expect(code).toBe(0);
    expect(stdout).toContain('  Suggestions change nothing until automation.mode is approve or apply.');
    const [body, ...none] = bodies(product);
    expect(none).toEqual([]);
    expect(body?.split('\n').slice(0, 5)).toEqual([
      expect.stringMatching(`^${campaignName}: 3\\.\\d+ EUR a click$`),
      `Suggested: ${campaignName} (campaign ${campaignId})`,
      '60.00 EUR to 51.00 EUR (-15%)',
      'Nothing was changed: mode propose',
      expect.stringMatching(/^Why: clicks \(\d+\) >= 30 AND .*; decrease budget by 15%$/),
    ]);
  });

  it('sends one alert for its text and its budget change: change first, with the worse severity', async () => {
    const rules = {
      'trim.yaml': `${TRIM_RULES['trim.yaml'].trimEnd()}\nalert: { severity: warning, text: "{campaign_name}: {cost / clicks} a click" }\n`,
    };
    const product = await createProduct({
      rules,
      config: `alerts: { digest_at: never }\naccounts: { ${EUR}: { locale: de-DE } }\n`,
    });
    expect((await product.run(['report'])).code).toBe(0);
    const [body, ...none] = bodies(product);
    expect(none).toEqual([]);
    const lines = body?.replaceAll('\u00a0', ' ').split('\n');
    expect(lines).toEqual([
      `Budget changed: ${campaignName} (campaign ${campaignId})`,
      '60,00 € to 51,00 € (-15 %)',
      expect.stringMatching(new RegExp(`^${campaignName}: 3\\.\\d\\d EUR a click$`)),
      expect.stringMatching(/^Why: clicks \(\d+\) >= 30 .*; decrease budget by 15%$/),
      expect.stringMatching(/^Account .*, rule trim$/),
      'Undo: pacekeeper budgets undo B1',
      expect.stringMatching(/^Ref pk-/),
    ]);
    expect(product.rows('SELECT kind, state, severity, notified_as FROM alert ORDER BY id')).toEqual([
      { kind: 'event', state: 'resolved', severity: 'warning', notified_as: 'first' },
      { kind: 'condition', state: 'firing', severity: 'warning', notified_as: 'first' },
    ]);
    // The change is made and may not be made again today: the condition still is so, and was told.
    product.at('2026-11-20T14:00:00Z');
    expect((await product.run(['report', '--no-extract'])).code).toBe(0);
    expect(bodies(product)).toHaveLength(1);
    expect((await product.run(['audit', 'verify'])).code).toBe(0);
  });
});

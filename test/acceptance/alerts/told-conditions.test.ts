import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProgramOptions } from '../../commands/run-in-process.ts';
import { createProduct, type Product } from '../../support/product.ts';
import { TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';

const { campaignName } = TRIMMED;
const OTHER = { env: { ADS_CUSTOMER_IDS: '6193047821' } };
const RULES = {
  'trim.yaml': `${TRIM_RULES['trim.yaml'].trimEnd()}\nalert: { severity: warning, text: "{campaign_name}: dear clicks" }\n`,
};
const RECIPIENT = 'recipients: { anna: { messages: "whatsapp:+15005550002", quiet_hours: 22:00-07:00 } }';

const bodies = (product: Product) => product.sandbox.messages().map(({ body }) => body);
const runs = async (product: Product, now: string, ...args: (string | ProgramOptions)[]) => {
  product.at(now);
  const { code, stderr } = await product.run(
    args.filter((one) => typeof one === 'string'),
    args.find((one) => typeof one !== 'string'),
  );
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
};
const told = (product: Product) =>
  product.rows("SELECT state, notified_at, notified_as FROM alert WHERE kind = 'condition'");

describe('a condition that a person has acknowledged', () => {
  it('is not repeated, says who has seen it, and is reported when it becomes more severe or ends', async () => {
    const severe = (severity: string) =>
      RULES['trim.yaml'].replace('severity: warning', `severity: ${severity}`).replace(/^ *mode:.*$/m, '');
    const product = await createProduct({
      mode: 'propose',
      rules: RULES,
      config: `alerts: { digest_at: never, repeat_hours: 2, ${RECIPIENT} }\n`,
    });
    const acknowledge = (...args: string[]) => product.run(['alerts', 'acknowledge', ...args]);
    await runs(product, '2026-11-20T12:00:00Z', 'report');
    expect(bodies(product)).toHaveLength(1);
    product.at('2026-11-20T12:10:00Z');
    expect(await acknowledge('A7', 'b7')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No such alert: found A7, b7, expected numbers such as A7.'),
    });
    expect((await acknowledge('A1', '--all')).code).toBe(2);
    expect(await acknowledge('A1', '--by', 'anna')).toMatchObject({ code: 0, stdout: '1 alert acknowledged.\n' });
    // Options choose only what nobody has seen.
    expect((await acknowledge('--all')).stdout).toBe('0 alerts acknowledged.\n');
    expect((await product.run(['alerts', 'list'])).stdout).toMatch(/A1 .*seen by anna/);
    await runs(product, '2026-11-20T14:30:00Z', 'report', '--no-extract');
    expect(bodies(product)).toHaveLength(1);
    writeFileSync(join(product.folder, 'rules', 'trim.yaml'), severe('critical'));
    await runs(product, '2026-11-20T15:00:00Z', 'report', '--no-extract');
    expect(bodies(product).slice(1)).toEqual([expect.stringMatching(/^Now critical: /)]);
    // What came later, nobody has seen.
    await runs(product, '2026-11-20T18:00:00Z', 'report', '--no-extract');
    expect(bodies(product).slice(2)).toEqual([expect.stringMatching(/^Still true since /)]);
    product.at('2026-11-20T18:10:00Z');
    expect((await acknowledge('--rule', 'trim')).stdout).toBe('1 alert acknowledged.\n');
    writeFileSync(
      join(product.folder, 'rules', 'trim.yaml'),
      severe('critical').replace(/when:.*/, 'when: clicks < 0'),
    );
    await runs(product, '2026-11-20T18:20:00Z', 'report', '--no-extract');
    expect(bodies(product).slice(3)).toEqual([expect.stringMatching(/^Resolved /)]);
  });
});

describe('a condition that another alert was to report', () => {
  it('is reported in the morning if its proposal expired in the quiet hours, and the message says so', async () => {
    const product = await createProduct({
      mode: 'approve',
      rules: RULES,
    });
    writeFileSync(
      join(product.folder, 'pacekeeper.yaml'),
      `automation: { mode: approve, approval_hours: 4 }\nalerts: { digest_at: never, ${RECIPIENT} }\n`,
    );
    await runs(product, '2026-11-20T22:10:00Z', 'report');
    expect(told(product)).toMatchObject([{ state: 'firing', notified_as: 'first' }]);
    await runs(product, '2026-11-21T07:00:00Z', 'alerts', 'deliver');
    const [body, ...none] = bodies(product);
    expect(none).toEqual([]);
    expect(body).toMatch(
      new RegExp(
        `^${campaignName}: dear clicks\nWhy: clicks .*\nThe change \\w{4} awaited approval\\. It expired before it was reported\\.\nAccount .*, rule trim\nRef`,
      ),
    );
    expect(told(product)).toEqual([
      { state: 'firing', notified_at: expect.stringMatching(/^2026-11-21T07:00/), notified_as: 'first' },
    ]);
    await runs(product, '2026-11-21T07:10:00Z', 'alerts', 'deliver');
    expect(bodies(product)).toHaveLength(1);
  });

  it('is reported when the silence of its change ends, and the digest of that pass counts the change', async () => {
    const product = await createProduct({
      rules: RULES,
      config: `alerts: { digest_at: 12:00, ${RECIPIENT} }\n`,
    });
    await runs(product, '2026-11-19T13:00:00Z', 'report', '--dry-run');
    await runs(product, '2026-11-20T11:00:00Z', 'alerts', 'silence', '--all', '--for', '3d', '--why', 'x');
    await runs(product, '2026-11-20T12:00:00Z', 'report');
    expect(bodies(product)).toEqual([expect.stringContaining('1 alert went to nobody')]);
    expect(bodies(product)[0]).toMatch(/: since 2026-11-19 13:00 UTC\n1 budget changed, /);
    expect(told(product)).toEqual([{ state: 'firing', notified_at: null, notified_as: null }]);
    await runs(product, '2026-11-20T12:10:00Z', 'report', '--no-extract');
    expect(told(product)).toEqual([{ state: 'firing', notified_at: null, notified_as: null }]);

    await runs(product, '2026-11-20T12:20:00Z', 'alerts', 'silence', '--end', 'S1');
    await runs(product, '2026-11-20T12:20:00Z', 'alerts', 'deliver');
    expect(bodies(product)).toHaveLength(2);
    expect(bodies(product)[1]).toMatch(new RegExp(`^${campaignName}: dear clicks\nSince 2026-11-20\\.\nAccount `));

    // Late by less than a day: nothing of the day before is counted again.
    await runs(product, '2026-11-21T11:59:00Z', 'alerts', 'deliver');
    expect(bodies(product)).toHaveLength(2);
    await runs(product, '2026-11-21T12:00:00Z', 'alerts', 'deliver');
    const digest = bodies(product)[2];
    expect(digest).toMatch(/: since 2026-11-20 12:00 UTC\n/);
    expect(digest).not.toContain('went to nobody');
    expect(digest).not.toContain('changed');
  });

  it('reaches a new recipient in a digest of the last week, regardless of the first run', async () => {
    const product = await createProduct({ rules: RULES, config: `alerts: { digest_at: 12:00, ${RECIPIENT} }\n` });
    await runs(product, '2026-11-01T13:00:00Z', 'report', '--dry-run');
    await runs(product, '2026-11-20T12:00:00Z', 'alerts', 'deliver');
    expect(bodies(product)).toEqual([expect.stringMatching(/: since 2026-11-13 12:00 UTC\nNothing to report\.\n/)]);
  });

  it('ends without a message after a week in which no run checked its account', async () => {
    const product = await createProduct({ rules: RULES, config: `alerts: { digest_at: never, ${RECIPIENT} }\n` });
    await runs(product, '2026-11-20T12:00:00Z', 'report');
    await runs(product, '2026-11-25T12:00:00Z', OTHER, 'report', '--no-extract');
    expect(told(product)).toMatchObject([{ state: 'firing' }]);
    await runs(product, '2026-11-28T12:00:00Z', OTHER, 'report', '--no-extract');
    expect(told(product)).toEqual([{ state: 'resolved', notified_at: null, notified_as: null }]);
    expect(product.rows("SELECT resolved_because FROM alert WHERE kind = 'condition'")).toEqual([
      { resolved_because: 'No run has checked the account since 2026-11-21 UTC.' },
    ]);
    expect(bodies(product)).toHaveLength(1);
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveInProcess } from '../../commands/serve/serve-in-process.ts';
import { onFiles } from '../../support/folder-store.ts';
import { BUDGET, copiesOf, createProduct, type Product } from '../../support/product.ts';
import { TRIMMED } from '../../support/trim-rule.ts';

const { customerId: EUR, campaignId } = TRIMMED;
const DESCRIPTION = 'Cut expensive clicks.';
const WHY = 'the sale goes on';
const DENIED = JSON.stringify({ error: { code: 403, message: 'Not allowed.', status: 'PERMISSION_DENIED' } });

/** B1 cut the budget from 60.00 to 51.00 EUR, and B2 undid it. */
async function firstUndone(): Promise<Product> {
  const product = await createProduct();
  await product.run(['report']);
  product.at('2026-11-20T13:00:00Z');
  expect((await product.run(['budgets', 'undo', 'B1', '--why', WHY])).code).toBe(0);
  product.at('2026-11-20T14:00:00Z');
  await product.run(['report']);
  return product;
}

const undone = copiesOf(firstUndone);

/** One change of 60.00 to 51.00 EUR awaits approval. */
async function firstProposed(): Promise<Product> {
  const product = await createProduct({ mode: 'approve' });
  expect((await product.run(['report'])).code).toBe(0);
  return product;
}

const proposed = copiesOf(firstProposed, { mode: 'approve' });

const codeOf = (product: Product) => String(product.rows('SELECT code FROM budget_proposal')[0]?.code);

/** Pages of the dashboard, as text without markup. */
async function pagesOf(product: Product): Promise<(path: string) => Promise<string>> {
  const { stdout } = await product.run(['serve', 'token', '--name', 'monitor']);
  const { ready } = await serveInProcess(product.folder, product.env());
  return async (path) => {
    const page = await fetch(ready.address + path, { headers: { authorization: `Bearer ${stdout.trim()}` } });
    const text = await page.text();
    return text
      .replace(/<style>.*?<\/style>|<script.*?<\/script>/gs, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
  };
}

/** The lines of a listing about one change, with those below it. */
const linesAbout = (text: string, start: string) => {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.includes(start));
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => !line.startsWith('    '));
  return [lines[from], ...rest.slice(0, end)].join('\n');
};

describe('an undo', () => {
  it('is explained in the history by the person and the person’s reason, not by the rule that it undid', async () => {
    const product = await undone();
    const { stdout } = await product.run(['budgets', 'history'], { columns: 160 });
    const about = linesAbout(stdout, ' B2 ');
    expect(about).toContain('undo of B1 by anna');
    expect(about).toContain(`${WHY} (undoes B1 by rule trim@`);
    expect(about.replaceAll(/by rule trim@\w+/g, '')).not.toContain('trim');
    const { value } = await product.json(['budgets', 'history']);
    expect(value.changes).toMatchObject([
      { id: 2, kind: 'undo', undoes: 1, actor: 'anna', rule: null, rule_version: null },
      { id: 1, kind: 'rule', undoes: null, rule: 'trim', rule_version: expect.stringMatching(/^\w{12}$/) },
    ]);
    expect((await product.json(['budgets', 'show', 'B2'])).value.change).toMatchObject({ rule: null, undoes: 1 });
  });

  it('names no rule in the published tables, but the change that it undid', async () => {
    const product = await undone();
    const rules = (sql: string) => product.rows(sql, 'warehouse');
    const expected = [
      { rule: 'trim', versioned: 1, undoes: null },
      { rule: null, versioned: 0, undoes: 1 },
    ];
    const columns = 'rule, CASE WHEN rule_version IS NULL THEN 0 ELSE 1 END AS versioned';
    expect(rules(`SELECT ${columns}, undoes FROM budget_change ORDER BY id`)).toEqual(expected);
    expect(rules(`SELECT ${columns}, undoes FROM budget_intent ORDER BY id`)).toEqual(expected);
    const decided = `SELECT origin, rule FROM decision WHERE kind = 'change' ORDER BY event_id`;
    expect(rules(decided)).toEqual([
      { origin: 'rule', rule: 'trim' },
      { origin: 'undo', rule: null },
    ]);
  });

  it('names no rule in the result of its run and in its alert', async () => {
    const product = await createProduct();
    await product.run(['report']);
    const { value } = await product.json(['budgets', 'undo', 'B1', '--why', WHY]);
    expect(value.decisions).toMatchObject([{ rule: null, intent_id: 2, reason: expect.stringContaining(WHY) }]);
    expect(product.sandbox.messages().at(-1)?.body).toMatch(/\nAccount [^\n]* \(4081725530\)\nUndo: /);
    const again = await product.json(['budgets', 'undo', 'B1']);
    expect(again.value.decisions).toMatchObject([{ rule: null, state: 'refused', code: 'UNDONE_ALREADY' }]);
  });

  it('is not explained on the dashboard by the description of the rule', async () => {
    const product = await undone();
    const page = await pagesOf(product);
    const newest = (await page(`/accounts/${EUR}`)).split('Newest changes')[1] ?? '';
    const [undo = '', cut = ''] = newest
      .split('undo of B1 by anna')
      .flatMap((part, index) => (index === 1 ? part.split('trim, B1') : []));
    expect(undo).toContain(WHY);
    expect(undo).not.toContain(DESCRIPTION);
    expect(cut).toContain(DESCRIPTION);
    const [, ofRun = ''] = (await page('/runs/2')).split('Budget changes');
    expect(ofRun.slice(0, ofRun.indexOf(WHY)).replace(/by rule trim@\w+/, '')).not.toContain('trim');
  });

  it.runIf(onFiles)('keeps a sound record if the record is taken over from the published file', async () => {
    // The published file names the service, so no copy.
    const product = await firstUndone();
    for (const file of ['state.sqlite', 'state.sqlite-wal', 'state.sqlite-shm']) {
      rmSync(join(product.folder, 'data', file), { force: true });
    }
    expect(await product.run(['adopt', '--why', 'the disk broke'])).toMatchObject({ code: 0, stderr: '' });
    expect(product.rows("SELECT rule, rule_version <> '' AS versioned FROM budget_intent")).toEqual([
      { rule: 'trim', versioned: 1 },
      { rule: 'trim', versioned: 1 },
    ]);
    expect((await product.run(['audit', 'verify', '--offline'])).code).toBe(0);
  });
});

describe('a rejection', () => {
  it('is in the history, with who, when and why', async () => {
    const product = await proposed();
    const code = codeOf(product);
    product.at('2026-11-20T13:00:00Z');
    await product.run(['budgets', 'reject', code, '--why', WHY]);
    const { stdout } = await product.run(['budgets', 'history'], { columns: 160 });
    expect(linesAbout(stdout, ` ${code} `)).toMatch(
      new RegExp(
        `  ${code} +rejected .* 60\\.00 EUR  51\\.00 EUR .*2026-11-20 13:00 UTC\n    rejected by anna: ${WHY}\n    clicks [^\n]*$`,
        's',
      ),
    );
    const { value } = await product.json(['budgets', 'history']);
    const rejection = {
      code,
      state: 'rejected',
      budget_id: BUDGET,
      rule: 'trim',
      actor: 'anna',
      updated_at: '2026-11-20T13:00:00Z',
      why: WHY,
    };
    expect(value).toMatchObject({ changes: [], rejections: [rejection] });
    const [head = '', row = ''] = (await product.run(['budgets', 'history', '--format', 'csv'])).stdout.split('\r\n');
    expect(head).toMatch(/,"updated_at","proposal","why"$/);
    expect(row).toMatch(new RegExp(`^"rejection",.*"${code}","${WHY}"$`));
  });

  it.each([
    [['--customer', EUR], 1],
    [['--campaign', campaignId], 1],
    [['--customer', '6193047821'], 0],
    [['--campaign', '1'], 0],
  ])('is found by %j', async (filter, found) => {
    const product = await proposed();
    await product.run(['budgets', 'reject', codeOf(product)]);
    const { value } = await product.json(['budgets', 'history', ...filter]);
    expect(value.rejections).toHaveLength(found);
  });

  it('is in the history of its budget on the dashboard', async () => {
    const product = await proposed();
    await product.run(['budgets', 'reject', codeOf(product), '--why', WHY]);
    const page = await (await pagesOf(product))(`/budgets/${EUR}/${BUDGET}`);
    const [, history = ''] = /History (.*) Proposals /.exec(page) ?? [];
    expect(history).toContain(`rejected by anna: ${WHY}`);
  });
});

describe('the published proposals say why somebody decided', () => {
  it.each([
    ['a rejection', 'reject', ['--why', WHY], WHY],
    ['an approval', 'approve', ['--why', WHY], WHY],
    ['an approval without a reason', 'approve', [], null],
  ])('%s', async (_, act, why, published) => {
    const product = await proposed();
    await product.run(['budgets', act, codeOf(product), ...why]);
    const decided = product.rows('SELECT decided_by, decided_why FROM budget_proposal', 'warehouse');
    expect(decided).toEqual([{ decided_by: 'anna', decided_why: published }]);
  });

  it('an expiry', async () => {
    const product = await proposed();
    product.at('2026-11-22T12:00:00Z');
    await product.run(['report']);
    const ended = "SELECT decided_by, decided_why FROM budget_proposal WHERE state = 'expired'";
    expect(product.rows(ended, 'warehouse')).toEqual([
      { decided_by: 'pacekeeper', decided_why: expect.stringMatching(/^Nobody decided before 2026-11-2/) },
    ]);
  });
});

describe('a refused act of one person', () => {
  it('exits with 1, but is no failed run for others', async () => {
    const product = await undone();
    const refused = await product.run(['budgets', 'undo', 'B1']);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('Nothing was changed: B1 was already undone by anna, as B2.');
    expect(product.rows('SELECT command, state, failures FROM run ORDER BY id DESC LIMIT 2')).toEqual([
      { command: 'budgets undo', state: 'refused', failures: 1 },
      { command: 'report', state: 'done', failures: 0 },
    ]);
    expect((await product.json(['status'])).value.runs[0]).toMatchObject({ command: 'budgets undo', state: 'refused' });
    expect((await product.json(['status'])).value.last_report).toMatchObject({ command: 'report', state: 'done' });
    expect((await product.run(['status'])).stdout).toMatch(/^Last report: done, run \d, 2026-\S+ \S+ UTC$/m);
    const page = await pagesOf(product);
    expect(await page('/')).toMatch(/Last report: done run \d/);
    expect(await page('/inbox')).not.toContain('Last report');
    expect(await page('/runs')).toMatch(/Run \d, budgets undo refused/);
    expect(await page('/runs')).not.toContain('1 failure');
    expect(await page('/metrics')).not.toContain('state="failed"');
  });

  it('does not hide that the last report failed', async () => {
    const product = await createProduct();
    product.fault = ({ kind }) => (kind === 'stream' ? { kind: 'html', status: 503 } : undefined);
    expect((await product.run(['report'])).code).toBe(1);
    product.fault = undefined;
    await product.run(['budgets', 'reconcile']);
    const page = await pagesOf(product);
    expect(await page('/')).toMatch(/Last report: failed run \d/);
    expect(await page('/inbox')).toContain('Last report failed');
  });

  it('counts as failed if the service refused a change that guards allowed', async () => {
    const product = await createProduct();
    await product.run(['report']);
    product.fault = ({ kind }) => (kind === 'mutate' ? { kind: 'status', status: 403, body: DENIED } : undefined);
    expect((await product.run(['budgets', 'undo', 'B1'])).code).toBe(1);
    expect(product.rows('SELECT state FROM run ORDER BY id DESC LIMIT 1')).toEqual([{ state: 'failed' }]);
  });
});

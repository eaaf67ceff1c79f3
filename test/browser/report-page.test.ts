import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportDocument } from '../../src/dashboard/report/report-page.ts';
import { customerId } from '../../src/domain/ids.ts';
import { account, BUSY } from '../pages/report/report-facts.ts';
import { runCli } from '../support/run-cli.ts';
import { NOON } from '../support/world.ts';
import { axeFindings, expectAccessible, looks, overflowOf, visit, withBrowser } from './browser.ts';

withBrowser();

const root = mkdtempSync(join(tmpdir(), 'pacekeeper-report-page-'));
afterAll(() => rmSync(root, { recursive: true }));

const LONG = `${'A long name '.repeat(25)}\u202e שלום <script>`;

const fileOf = (name: string) => join(root, name === 'sandbox' ? 'data/report.html' : `${name}.html`);

beforeAll(async () => {
  const inputs = ['--queries', `${process.cwd()}/queries`, '--rules', `${process.cwd()}/rules`];
  const { code, stderr } = await runCli(['report', ...inputs], { cwd: root, env: { PACEKEEPER_NOW: NOON } });
  expect(code, stderr).toBe(0);
  const many = Array.from({ length: 200 }, (_, index) =>
    account({
      customerId: customerId(String(1_000_000_000 + index)),
      name: `Client ${index}`,
      campaigns: index < 12 ? account().campaigns : undefined,
    }),
  );
  writeFileSync(
    fileOf('hostile'),
    reportDocument({ ...BUSY, accounts: [account({ name: LONG }), ...BUSY.accounts.slice(1)] }),
  );
  writeFileSync(fileOf('many'), reportDocument({ ...BUSY, accounts: many, accountsLeftOut: 300 }));
});

/** One width is enough for axe-core, which takes long. */
const AXE_WIDTH = 1400;

describe.each(['sandbox', 'hostile', 'many'])('the report page (%s)', (name) => {
  it.each(looks())('is accessible at $width, $colorScheme, and asks for nothing', async ({ width, colorScheme }) => {
    const { href } = pathToFileURL(fileOf(name));
    const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
    const { page, asked, complaints, close } = await visit(href, options);
    await page.goto(href);
    expect(await overflowOf(page)).toBe(0);
    await expectAccessible(page);
    if (name === 'sandbox')
      await page.evaluate('document.querySelectorAll("details").forEach((one) => { one.open = true })');
    if (width === AXE_WIDTH) expect(await axeFindings(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    expect(asked).toEqual([href]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe('the report page of four accounts', () => {
  it.each([
    [1400, 900, 3],
    [375, 812, 6],
  ])('is at %i × %i at most %i screens before its folds', async (width, height, screens) => {
    const { href } = pathToFileURL(fileOf('sandbox'));
    const { page, close } = await visit(href, { viewport: { width, height } });
    await page.goto(href);
    const all = (await page.evaluate('document.documentElement.scrollHeight')) as number;
    expect(all / height).toBeLessThanOrEqual(screens);
    await close();
  });

  it('prints on two sheets of A4', async () => {
    const { href } = pathToFileURL(fileOf('sandbox'));
    const { page, close } = await visit(href);
    await page.goto(href);
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(2);
    await close();
  });

  it('has at most 300 KB', () => {
    expect(readFileSync(fileOf('sandbox')).length).toBeLessThanOrEqual(300_000);
  });
});

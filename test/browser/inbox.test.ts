import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/effort.ts';
import { fillHostileState } from '../support/hostile-state.ts';
import { runCli } from '../support/run-cli.ts';
import { NOON } from '../support/world.ts';
import { axeFindings, expectAccessible, logIn, looks, overflowOf, visit, withBrowser } from './browser.ts';
import { type Served, serveFolder } from './served.ts';

withBrowser();

const ENV = { PACEKEEPER_NOW: NOON };
const root = mkdtempSync(join(tmpdir(), 'pacekeeper-inbox-'));
afterAll(async () => {
  await Promise.all([worked.close(), hostile.close()]);
  rmSync(root, { recursive: true });
});

/** Where screenshots are put; nowhere when it is not set. */
const SCREENSHOTS = process.env.SCREENSHOTS;

const RULES = {
  'cut.yaml': `description: Cut each budget.
from: campaign_spend
for: campaign
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
limits: { step: 20% }
mode: approve
`,
  'busy.yaml': `description: Tell of clicks.
from: campaign_spend
for: account
over: 7 days
when: clicks >= 1
alert: { severity: warning, text: "{clicks} clicks" }
`,
};

let worked: Served;
let hostile: Served;

beforeAll(async () => {
  const cwd = join(root, 'worked');
  mkdirSync(join(cwd, 'rules'), { recursive: true });
  cpSync('queries/campaign_spend.sql', join(cwd, 'queries', 'campaign_spend.sql'));
  for (const [name, text] of Object.entries(RULES)) writeFileSync(join(cwd, 'rules', name), text);
  writeFileSync(join(cwd, 'pacekeeper.yaml'), 'automation: { mode: approve }\n');
  const { code, stderr } = await runCli(['report'], { cwd, env: ENV });
  expect(code, stderr).toBe(0);
  worked = await serveFolder(cwd, ENV, 'approver');
  const named = join(root, 'hostile');
  await fillHostileState(join(named, 'data', 'state.sqlite'));
  hostile = await serveFolder(named, ENV, 'approver');
});

interface Way {
  follow(page: Page, name: RegExp): Promise<void>;
  confirm(page: Page, verb: string): Promise<void>;
}

const WAYS: Readonly<Record<string, Way>> = {
  mouse: {
    follow: (page, name) => page.getByRole('link', { name }).first().click(),
    confirm: async (page, verb) => {
      if (verb !== 'Acknowledge') await page.getByLabel('Your reason').fill('seen in the browser');
      await page.getByRole('button', { name: verb }).click();
    },
  },
  keyboard: {
    follow: async (page, name) => {
      await page.getByRole('link', { name }).first().focus();
      await page.keyboard.press('Enter');
    },
    confirm: async (page, verb) => {
      // The field, or the button alone, has the focus; a browser gives it a moment after the page is there.
      await page.locator(verb === 'Acknowledge' ? 'button:focus' : '#why:focus').waitFor();
      if (verb !== 'Acknowledge') await page.keyboard.type('seen in the browser');
      await page.keyboard.press('Enter');
    },
  },
};

const AMOUNTS = /: [\d.,]+ \w+ to [\d.,]+ \w+ a day\.$/;

const ACTS = [
  { link: /^Approve \w+$/, verb: 'Approve', told: AMOUNTS },
  { link: /^Reject \w+$/, verb: 'Reject', told: /: keeps [\d.,]+ \w+ a day, not / },
  { link: /^Undo B\d+$/, verb: 'Undo', told: AMOUNTS },
  { link: /^Freeze all budgets$/, verb: 'Freeze all budgets', told: /No budget changes until somebody unfreezes/ },
  { link: /^Unfreeze budgets$/, verb: 'Unfreeze budgets', told: /Budgets may change again\./ },
  { link: /^Acknowledge A\d+$/, verb: 'Acknowledge', told: /busy: goes to no further channel/ },
  { link: /^Silence A\d+$/, verb: 'Silence', told: /busy: no alerts of this rule/ },
] as const;

const PEOPLE = [
  { by: 'mouse', javaScriptEnabled: false },
  { by: 'keyboard', javaScriptEnabled: true },
  { by: 'keyboard', javaScriptEnabled: false },
  { by: 'mouse', javaScriptEnabled: true },
];

describe.each(isLong ? PEOPLE : PEOPLE.slice(0, 2))(
  'a person with a $by, with JavaScript: $javaScriptEnabled',
  ({ by, javaScriptEnabled }) => {
    it('approves, rejects, undoes, freezes, unfreezes, acknowledges and silences', async () => {
      const way = WAYS[by] as Way;
      const { page, complaints, elsewhere, close } = await visit(worked.address, { javaScriptEnabled });
      await logIn(page, worked.address, worked.token);
      for (const { link, verb, told } of ACTS) {
        await page.goto(`${worked.address}/inbox`);
        await way.follow(page, link);
        await page.getByRole('heading', { level: 1, name: link }).waitFor();
        await way.confirm(page, verb);
        await page.getByRole('heading', { level: 1, name: `Done: ${verb}` }).waitFor();
        expect(await page.locator('.find[role=status]').textContent()).toMatch(told);
        await page.getByRole('link', { name: 'Back to the inbox' }).click();
        await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      }
      expect([complaints.filter((text) => !/status of 401/.test(text)), elsewhere]).toEqual([[], []]);
      await close();
    });

    it('cannot send a form without a reason', async () => {
      const { page, close } = await visit(worked.address, { javaScriptEnabled });
      await logIn(page, worked.address, worked.token);
      await page.goto(`${worked.address}/inbox?act=freeze`);
      await page.getByRole('button', { name: 'Freeze all budgets' }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Freeze all budgets');
      await page.goto(`${worked.address}/inbox`);
      expect(await page.getByText('No budget is changed').count()).toBe(0);
      await close();
    });
  },
);

describe.each(looks())('the inbox at $width, $colorScheme', ({ width, colorScheme }) => {
  it.each(['worked', 'hostile'])('is accessible and fits, as are its acts and outcomes (%s)', async (name) => {
    const { address, token } = name === 'worked' ? worked : hostile;
    const options = { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: true, bypassCSP: true };
    const { page, close } = await visit(address, options);
    await logIn(page, address, token);
    const look = async (step: string) => {
      expect([step, await overflowOf(page)]).toEqual([step, 0]);
      await expectAccessible(page);
      expect([step, await axeFindings(page)]).toEqual([step, []]);
      const file = `${name}-${step}-${width}-${colorScheme}.png`;
      if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
    };
    await page.goto(`${address}/inbox`);
    await look('inbox');
    for (const [step, link] of [
      ['approve', /^Approve \w+$/],
      ['undo', /^Undo B\d+$/],
      ['silence', /^Silence A\d+$/],
    ] as const) {
      await page.goto(`${address}/inbox`);
      await page.getByRole('link', { name: link }).first().click();
      // A long name hides no amount.
      if (step !== 'silence') expect(await page.locator('.find').textContent()).toMatch(AMOUNTS);
      await look(step);
    }
    await page.getByLabel('Your reason').fill('a reason');
    await page.getByRole('button', { name: 'Silence' }).click();
    await page.locator('.find[role=status]').waitFor();
    await page.locator('summary').click();
    await look('done');
    // Sends the form again.
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Nothing was changed' }).waitFor();
    await look('refused');
    await close();
  });
});

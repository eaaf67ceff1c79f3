import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
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

/** Chooses the first line of the first card alone. The button of a card with one line names the code. */
async function chooseOne(page: Page, verb: string): Promise<Locator> {
  const ask = page.locator('article.ask').first();
  for (const box of (await ask.getByRole('checkbox').all()).slice(1)) await box.uncheck();
  return ask.getByRole('button', { name: new RegExp(`^${verb} (chosen|[A-Z0-9]{4})$`) });
}

async function toFollow(page: Page, name: RegExp): Promise<Locator> {
  const [, decision] = /^\^(Approve|Reject) /.exec(name.source) ?? [];
  return decision === undefined ? page.getByRole('link', { name }).first() : chooseOne(page, decision);
}

interface Way {
  follow(page: Page, name: RegExp): Promise<void>;
  confirm(page: Page, verb: string): Promise<void>;
}

const WAYS: Readonly<Record<string, Way>> = {
  mouse: {
    follow: async (page, name) => (await toFollow(page, name)).click(),
    confirm: async (page, verb) => {
      if (verb !== 'Acknowledge') await page.getByLabel('Your reason').fill('seen in the browser');
      await page.getByRole('button', { name: verb }).click();
    },
  },
  keyboard: {
    follow: async (page, name) => {
      await (await toFollow(page, name)).focus();
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
  { link: /^Approve \w+$/, verb: 'Approve', told: AMOUNTS, back: 'Undo' },
  { link: /^Reject \w+$/, verb: 'Reject', told: /: keeps [\d.,]+ \w+ a day, not /, back: undefined },
  { link: /^Undo B\d+$/, verb: 'Undo', told: AMOUNTS, back: undefined },
  {
    link: /^Freeze all budgets$/,
    verb: 'Freeze all budgets',
    told: /No budget changes until somebody unfreezes/,
    back: 'Unfreeze budgets',
  },
  { link: /^Unfreeze budgets$/, verb: 'Unfreeze budgets', told: /Budgets may change again\./, back: undefined },
  { link: /^Acknowledge A\d+$/, verb: 'Acknowledge', told: /busy: goes to no further channel/, back: undefined },
  { link: /^Silence A\d+$/, verb: 'Silence', told: /busy: no alerts of this rule/, back: undefined },
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
      // With JavaScript, the person stays on the page.
      const level = javaScriptEnabled ? 2 : 1;
      await page.goto(`${worked.address}/inbox`);
      for (const { link, verb, told, back } of ACTS) {
        await way.follow(page, link);
        await page.getByRole('heading', { level, name: link }).waitFor();
        await way.confirm(page, verb);
        await page.getByRole('heading', { level, name: `Done: ${verb}` }).waitFor();
        expect(await page.locator('.find[role=status]').textContent()).toMatch(told);
        const ways = page.locator('.ways:has(.back) a:not(.back)');
        expect(await ways.allTextContents()).toEqual(back === undefined ? [] : [back]);
        if (javaScriptEnabled) {
          const reloaded = page.waitForEvent('load');
          await page.keyboard.press('Escape');
          await reloaded;
        } else await page.getByRole('link', { name: 'Back to the inbox' }).click();
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

describe('an act on the page', () => {
  /** The dialog of the freeze, which every page offers, with a reason typed. */
  async function asked(path: string) {
    const visited = await visit(worked.address, { javaScriptEnabled: true });
    const { page } = visited;
    await logIn(page, worked.address, worked.token);
    await page.goto(worked.address + path);
    await page.locator('a[href*="act=freeze"]').first().click();
    await page.getByLabel('Your reason').fill('a “reason” & more');
    const send = () => page.getByRole('button', { name: 'Freeze all budgets' }).click();
    return { ...visited, dialog: page.locator('dialog'), send };
  }

  it('says in place that a lost answer leaves the result unknown, and sends nothing again', async () => {
    const { page, dialog, send, close } = await asked('/runs');
    const sent: string[] = [];
    await page.route('**/inbox', (route) => {
      sent.push(route.request().method());
      return route.abort();
    });
    await send();
    await dialog.getByText('it is unknown if this was done. Look at the inbox').waitFor();
    expect(sent).toEqual(['POST']);
    await close();
  });

  it('says that the server did not answer if the form cannot be loaded', async () => {
    const { page, dialog, close } = await asked('/runs');
    await page.keyboard.press('Escape');
    await page.route('**/inbox?*', (route) => route.abort());
    await page.locator('a[href*="act=freeze"]').first().click();
    await dialog.getByText('The server did not answer.').waitFor();
    await close();
  });

  it('goes on with the same reason after a login if the session ended meanwhile', async () => {
    const { page, dialog, send, close } = await asked('/coverage');
    await page.context().clearCookies();
    await send();
    await dialog.getByText('Your login has ended.').waitFor();
    await dialog.getByLabel('Token').fill(worked.token);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    expect(await dialog.getByLabel('Your reason').inputValue()).toBe('a “reason” & more');
    await send();
    await dialog.getByRole('heading', { name: 'Done: Freeze all budgets' }).waitFor();
    // What was done is taken back from its result.
    await dialog.getByRole('link', { name: 'Unfreeze budgets' }).click();
    await page.getByLabel('Your reason').fill('over');
    await page.getByRole('button', { name: 'Unfreeze budgets' }).click();
    await dialog.getByRole('heading', { name: 'Done: Unfreeze budgets' }).waitFor();
    const reloaded = page.waitForEvent('load');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await reloaded;
    expect(await page.locator('.notice.serious').count()).toBe(0);
    await close();
  });

  it('never shows the late answer of another act', async () => {
    const { page, dialog, close } = await asked('/inbox');
    await page.keyboard.press('Escape');
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/inbox?act=freeze', async (route) => {
      await released;
      await route.continue();
    });
    await page.locator('a[href*="act=freeze"]').first().click();
    await dialog.getByText('Loading…').waitFor();
    await page.keyboard.press('Escape');
    await (await chooseOne(page, 'Approve')).click();
    await dialog.getByRole('heading', { name: /^Approve/ }).waitFor();
    const late = page.waitForResponse('**/inbox?act=freeze');
    release();
    await (await late).finished();
    await page.getByLabel('Your reason').fill('seen');
    expect(await dialog.getByRole('heading').allTextContents()).toEqual([expect.stringMatching(/^Approve \w+$/)]);
    expect(await dialog.getByRole('button', { name: 'Freeze all budgets' }).count()).toBe(0);
    await close();
  });

  it('can be left without sending, and the page stays as it was', async () => {
    const { page, dialog, close } = await asked('/runs');
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.locator('a[href*="act=freeze"]:focus').count()).toBe(1);
    expect(loads).toBe(0);
    await close();
  });
});

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
      ['undo', /^Undo B\d+$/],
      ['silence', /^Silence A\d+$/],
    ] as const) {
      await page.goto(`${address}/inbox`);
      const asked = await page.getByRole('link', { name: link }).first().getAttribute('href');
      await page.getByRole('link', { name: link }).first().click();
      await page.locator('dialog form').waitFor();
      expect([`${step} in place`, await overflowOf(page)]).toEqual([`${step} in place`, 0]);
      expect([`${step} in place`, await axeFindings(page)]).toEqual([`${step} in place`, []]);
      if (SCREENSHOTS)
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${step}-here-${width}-${colorScheme}.png`) });
      await page.goto(new URL(asked ?? '', page.url()).href);
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

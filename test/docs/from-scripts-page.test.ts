import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { APPLY, createWorld, NOON } from '../support/world.ts';
import { FILES, PAGE, RULES } from './scripts/page-files.ts';

const ALPENKONTOR = { customers: [customerId('4081725530')] };

/** A folder with the shipped queries and rules, and the files of the page. */
function folderOfPage(): string {
  const folder = tempDir();
  for (const shipped of ['queries', 'rules']) cpSync(shipped, join(folder, shipped), { recursive: true });
  mkdirSync(join(folder, 'targets'));
  for (const { path, text } of FILES) appendFileSync(join(folder, path), text);
  return folder;
}

const check = async (folder: string) => {
  const { code, stdout, stderr } = await runInProcess(['check'], { folder, env: { PACEKEEPER_NOW: NOON } });
  return [code, stdout + stderr];
};

/** The shipped query and its tests, with the files of the page for queries. */
const queriesOfPage = () => {
  const folder = join(folderOfPage(), 'queries');
  const names = readdirSync(folder).filter((name) => /^(?:campaign_spend|labelled_spend)\./.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
};

const worldOf = (rules: Readonly<Record<string, string>>) =>
  createWorld({ config: APPLY, queries: queriesOfPage(), rules });
const applying = (...names: readonly string[]) =>
  Object.fromEntries(
    RULES.filter(([name]) => names.includes(name)).map(([name, text]) => [name, `${text}mode: apply\n`]),
  );

describe('docs/from-scripts.md', () => {
  it('has a rule, a target or a test for twelve scripts', () => {
    const sections = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title).slice(1);
    const rows = [...PAGE.matchAll(/^\| ([A-Z][^|]+) \|/gm)].map(([, script = '']) => script);
    expect([...sections, ...rows]).toHaveLength(12);
    expect(FILES).toHaveLength([...PAGE.matchAll(/^```\w/gm)].length);
    const shown = PAGE.split(/^## /m).slice(2);
    expect(shown.filter((section) => !section.includes('```'))).toEqual([]);
  });

  it('has files that pass without a warning, beside the shipped ones', async () => {
    expect(await check(folderOfPage())).toEqual([0, expect.stringContaining(' 0 errors, 0 warnings.')]);
  });

  it('changes the shipped rules as it says', async () => {
    const folder = folderOfPage();
    const adapt = (name: string, from: RegExp, to: string) => {
      const path = join(folder, 'rules', `${name}.yaml`);
      const text = readFileSync(path, 'utf8');
      expect(text).toMatch(from);
      writeFileSync(path, text.replace(from, to));
    };
    const [, when = ''] = /`(when: [^`]+)`/.exec(PAGE) ?? [];
    adapt('runaway-spend-today', /^when: .*$/m, when);
    adapt('month-pacing', /^where: .*\n/m, '');
    expect(await check(folder)).toEqual([0, expect.stringContaining(' 0 errors, 0 warnings.')]);
  });

  it('leaves out campaigns with the label, and nothing for a label that the account lacks', async () => {
    const [name, text] = RULES.find(([, rule]) => rule.includes('campaign_labels')) ?? ['', ''];
    const lacking = text.replaceAll("'pilot'", "'Pilot'");
    const everywhere = text.replace(/^where: .*\n/m, '');
    const world = await worldOf({ [name]: text, 'lacking.yaml': lacking, 'everywhere.yaml': everywhere });
    const { rules } = await world.report(ALPENKONTOR);
    const subjects = Object.fromEntries(rules.map(({ rule, subjects }) => [rule, subjects]));
    // Two campaigns of the account have the label.
    const all = subjects.everywhere ?? 0;
    expect(subjects).toEqual({ 'expensive-clicks': all - 2, lacking: all, everywhere: all });
    expect(all).toBeGreaterThan(2);
  });

  it('lets the cap win over other decreases until the floor, where another rule raises the budget', async () => {
    const world = await worldOf(applying('a-month-cap.yaml', 'weekday-budgets.yaml'));
    const amounts: unknown[] = [];
    for (const day of ['20', '21', '22']) {
      world.clock.set(`2026-11-${day}T12:00:00Z`);
      await world.report(ALPENKONTOR);
      amounts.push(world.sandbox.budgetAmount('4081725530', '11087046455'));
    }
    // From 85.00, the other rule asks for 60.00, 30.00 and 20.00.
    expect(amounts).toEqual([8_500_000n, 5_000_000n, 20_000_000n]);
  });

  it('stops rules of an account without conversions', async () => {
    const world = await worldOf(applying('a-month-cap.yaml'));
    const stopped = async () => (await world.report({ ...ALPENKONTOR, noExtract: true })).rules;
    expect((await world.report(ALPENKONTOR)).failures).toEqual([]);
    world.execute('UPDATE campaign_spend SET conversions = 0');
    expect(await stopped()).toEqual([
      expect.objectContaining({ notEvaluated: expect.stringContaining('the test conversions_arrive') }),
    ]);
  });
});

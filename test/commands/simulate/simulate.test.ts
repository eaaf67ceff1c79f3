import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { chartsBelow } from '../../support/terminal-charts.ts';
import { runInProcess } from '../run-in-process.ts';

const QUERIES = ['--queries', resolve('queries')];
const SMALL = ['simulate', '--days', '20', '--campaigns', '5', ...QUERIES];

function folderWith(rules: Readonly<Record<string, string>>): string {
  const folder = tempDir();
  mkdirSync(join(folder, 'rules'));
  for (const [file, text] of Object.entries(rules)) writeFileSync(join(folder, 'rules', file), text);
  return folder;
}

const CUT = `description: Cuts what is dear.
from: keyword_stats
for: campaign
over: 7 days
when: clicks >= 10 AND cost / clicks > 1.00
currency: EUR
change: decrease budget by 20%
limits: { floor: 5, cooldown: 3 days }
`;

describe('pacekeeper simulate', () => {
  it('needs and writes no state file, and prints equal JSON for equal seeds', async () => {
    const folder = folderWith({ 'cut.yaml': CUT });
    const args = [...SMALL, '--seed', '3', '--format', 'json'];
    const one = await runInProcess(args, { folder });
    const other = await runInProcess(args, { folder });
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(other.stdout).toBe(one.stdout);
    const result = JSON.parse(one.stdout);
    expect(result).toMatchObject({ days: 20, seed: 3, market: 'seed 3', from: '2026-01-01', to: '2026-01-20' });
    for (const side of [result.with, result.without]) {
      expect(side).toMatchObject({ spend_micros: expect.any(Number), clicks: expect.any(Number) });
    }
    expect(result.with.changes).toBe(result.changes.length);
    expect(result.with.changes).toBeGreaterThan(0);
    expect(result.without).toMatchObject({ changes: 0, alerts: 0 });
    expect(result.by_day).toHaveLength(20);
    expect(() => readFileSync(join(folder, 'data', 'state.sqlite'))).toThrow('ENOENT');
  });

  it('also draws the spend on a terminal if the rules change budgets: per day, or as means of weeks', async () => {
    const folder = folderWith({ 'cut.yaml': CUT });
    const heads: (string | undefined)[] = [];
    for (const days of ['1', '20', '40']) {
      const args = ['simulate', '--days', days, '--campaigns', '5', ...QUERIES];
      const piped = await runInProcess(args, { folder });
      const shown = await runInProcess(args, { folder, columns: 100 });
      for (const [head, ...lines] of chartsBelow(piped.stdout, shown.stdout)) {
        heads.push(head, lines.at(-1)?.trim().replace(/ +/g, ' '));
        expect(lines.join('')).toMatch(/●.*·|·.*●/);
      }
      const asJson = [...args, '--format', 'json'];
      expect(await runInProcess(asJson, { folder, columns: 100 })).toEqual(await runInProcess(asJson, { folder }));
    }
    expect(heads).toEqual([
      'Spend per day, EUR:  ● with the rules  · without',
      '2026-01-01 2026-01-10 2026-01-20',
      'Spend per day, mean of 7 days, EUR:  ● with the rules  · without',
      '2026-01-06 2026-01-20 2026-02-03',
    ]);
    const calm = folderWith({ 'cut.yaml': CUT.replace('1.00', '100') });
    const piped = await runInProcess(SMALL, { folder: calm });
    expect(await runInProcess(SMALL, { folder: calm, columns: 100 })).toEqual(piped);
  });

  it.each(sample([80, 140]))(
    'fits %i columns, and says what is left out and how far rules would go for real',
    async (columns) => {
      const folder = folderWith({ 'cut.yaml': CUT, 'other.yaml': CUT.replace('EUR', 'JPY') });
      const { code, stdout } = await runInProcess(SMALL, { folder, columns });
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
      const text = stdout.replace(/\s+/g, ' ');
      expect(text).toContain('This is a simulation. Nothing was changed.');
      expect(text).toContain('Left out: it is for accounts in JPY, but this one is in EUR.');
      expect(text).toContain(
        'The simulation makes all changes and ignores the modes of the rules. In real runs, changes of cut would only be suggested.',
      );
    },
  );

  it('writes a page without scripts, and a picture with its own colours', async () => {
    const folder = folderWith({ 'cut.yaml': CUT });
    const files = ['--html', 'simulation.html', '--svg', 'simulation.svg'];
    const { code, stdout } = await runInProcess([...SMALL, ...files], { folder });
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nFiles: simulation\.html, simulation\.svg\n$/);
    const page = readFileSync(join(folder, 'simulation.html'), 'utf8');
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    for (const title of ['Spend per day', 'Sum of daily budgets', 'Cumulative clicks', 'Changes and alerts per day']) {
      expect(page).toContain(`<figcaption>${title}`);
    }
    const picture = readFileSync(join(folder, 'simulation.svg'), 'utf8');
    expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 860 \d+"/);
    expect(picture).not.toMatch(/var\(|inherit|<style|class=/);
  });

  it.each(
    sample<[why: string, args: string[], message: RegExp]>([
      ['without days', [], /required option '--days <number>' not specified/],
      [
        'for more days than fit in memory',
        ['--days', '3650', '--campaigns', '200'],
        /Simulation too large: found 3650 days of 200 campaigns, expected at most 2000 days\./,
      ],
      ['for no day at all', ['--days', '0'], /Expected a whole number from 1 to 3650/],
      ['of an unknown account', ['--days', '1', '--customer', '123'], /No such account in the market: found 123/],
      [
        'of two accounts',
        ['--days', '1', '--customer', '4081725530', '--campaigns', '2'],
        /--campaigns and --customer/,
      ],
      [
        'of a missing market file',
        ['--days', '1', '--market', 'nowhere.csv'],
        /Reading the market failed .*nowhere\.csv/,
      ],
      [
        'from a day far in the future',
        ['--days', '1', '--from', '9999-12-30'],
        /Expected a day from 1970-01-01 to 2999-12-31/,
      ],
      ['from a day before all calendars', ['--days', '1', '--from', '0000-01-05'], /Expected a day from 1970-01-01/],
      ['from an invalid day', ['--days', '1', '--from', '2026-02-30'], /Expected a date such as/],
      [
        'into a missing folder',
        ['--days', '1', '--campaigns', '1', '--html', 'no/x.html'],
        /Cannot write .*x\.html: its folder does not exist/,
      ],
    ]),
  )('is refused %s, with a reason', async (_why, args, message) => {
    const { code, stderr } = await runInProcess(['simulate', ...QUERIES, ...args], { folder: folderWith({}) });
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(message);
    expect(stderr).toMatch(/next step: /);
  });

  it('reports that both sides are the same without rules', async () => {
    const { code, stdout } = await runInProcess(SMALL, { folder: folderWith({}) });
    expect(code).toBe(0);
    expect(stdout).toContain('No rules found, so both results are the same.');
  });
});

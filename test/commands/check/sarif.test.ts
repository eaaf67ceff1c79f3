import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import draft04 from 'ajv-draft-04';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const SCHEMA = 'test/fixtures/sarif/sarif-2.1.0-rtm.5.json.gz';
const GOOD = 'SELECT campaign.id FROM campaign\n';
const BAD = '# Grüße 🚲\nSELECT campaign.id,\n  metrics.clickz\nFROM campaign\nLIMIT 0\n';

interface Placed {
  readonly locations: readonly [{ readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }];
}

const validate = new draft04.default({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
  JSON.parse(gunzipSync(readFileSync(SCHEMA)).toString()),
);

/** The command in a folder with these files, from which it is started as people start it. */
async function sarifOf(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const folder = tempDir();
  for (const name of ['queries', 'rules', 'elsewhere']) mkdirSync(join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  const { code, stdout } = await runInProcess(['check', '--format', 'sarif', ...args], { folder });
  const log = JSON.parse(stdout);
  expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
  return { code, stdout, folder, run: log.runs[0] };
}

describe('check --format sarif', () => {
  it('has a validator that refuses an invalid log', () => {
    expect(validate({ version: '2.1.0', runs: [{ tool: { driver: {} } }] })).toBe(false);
  });

  it('gives each finding its code with help, its level, and its place', async () => {
    const { code, run } = await sarifOf({ 'queries/a.sql': BAD, 'queries/b.sql': GOOD });
    expect(code).toBe(2);
    expect(run.columnKind).toBe('utf16CodeUnits');
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([
      'LIMIT_VALUE_TOO_LOW',
      'UNRECOGNIZED_FIELD',
    ]);
    for (const { help, shortDescription } of run.tool.driver.rules) {
      expect(help.text).toMatch(/\n\nwrong:\n[\s\S]+\n\nright:\n[\s\S]+/);
      expect(help.text.startsWith(shortDescription.text)).toBe(true);
    }
    expect(run.results).toEqual([
      {
        ruleId: 'UNRECOGNIZED_FIELD',
        ruleIndex: 1,
        level: 'error',
        message: { text: '"metrics.clickz" is not a field of campaign.\nDid you mean metrics.clicks?' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'queries/a.sql' },
              region: { startLine: 3, startColumn: 3, endLine: 3, endColumn: 17 },
            },
          },
        ],
      },
      expect.objectContaining({ ruleId: 'LIMIT_VALUE_TOO_LOW', ruleIndex: 0 }),
    ]);
  });

  it('is a valid log without results if nothing is wrong', async () => {
    const { code, run } = await sarifOf({ 'queries/b.sql': GOOD });
    expect([code, run.results, run.tool.driver.rules]).toEqual([0, [], []]);
  });

  it('tells warnings and notes apart from errors', async () => {
    const unbound = 'SELECT campaign.id FROM campaign WHERE campaign.id = :chosen\n';
    const view = 'SELECT location_view.resource_name FROM location_view\n';
    const { code, run } = await sarifOf({ 'queries/a.sql': unbound, 'queries/b.sql': view });
    const levels = new Set(run.results.map(({ level }: { level: string }) => level));
    expect([code, levels]).toEqual([0, new Set(['warning', 'note'])]);
  });

  it('escapes text of a file, so that no viewer shows a placeholder or a link, or obeys a sign', async () => {
    const evil = 'SELECT campaign.id FROM campaign WHERE campaign.name = `{0}[here](https://x.example)\u202e`';
    const { stdout, run } = await sarifOf({ 'queries/a b#%c.sql': evil });
    const uris = run.results.map((result: Placed) => result.locations[0].physicalLocation.artifactLocation.uri);
    expect(new Set(uris)).toEqual(new Set(['queries/a%20b%23%25c.sql']));
    const texts = run.results.map(({ message }: { message: { text: string } }) => message.text).join('\n');
    expect(texts).toContain('{{0}}\\[here\\](https://x.example)');
    expect(stdout).not.toContain('\u202e');
  });

  it('names a file outside the working folder by its address', async () => {
    const outside = join(tempDir(), 'a.sql');
    writeFileSync(outside, BAD);
    const { run } = await sarifOf({ 'queries/b.sql': GOOD }, outside);
    const { uri } = run.results[0].locations[0].physicalLocation.artifactLocation;
    expect(uri).toBe(pathToFileURL(outside).href);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { NEWEST_CATALOGUE } from '../../../src/config/declared/advertising.ts';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { selectableFields } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { sample } from '../../support/effort.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runInProcess } from '../run-in-process.ts';

const { resources, fields } = loadCatalogue(NEWEST_CATALOGUE);

async function fieldsText(args: readonly string[], columns = 80): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(['fields', ...args], { columns });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The names at the beginning of the lines of a list. */
function listedNames(text: string, known: { has(name: string): boolean }): string[] {
  const list = text.slice(text.indexOf('\n\n', text.indexOf('\n\n') + 2));
  return [...list.matchAll(/^ {2}(\S+)/gm)].map((match) => match[1] ?? '').filter((name) => known.has(name));
}

describe('pacekeeper fields', () => {
  it('lists every resource once, those with metrics first', async () => {
    const text = await fieldsText([]);
    const [withMetrics = '', without = ''] = text.split(/^\d+ resources without metrics$/m);
    const names = [...text.matchAll(/^ {2}([a-z]\w+)(?: +\d+)?$/gm)].map((match) => match[1] ?? '');
    expect(names.toSorted()).toEqual([...resources.keys()].toSorted());
    expect(withMetrics).toMatch(/^ {2}keyword_view +115\n {4}A keyword view\.$/m);
    expect(without).toMatch(/^ {2}ad_group_label\n/m);
    expect(text).toMatch(/Run pacekeeper fields keyword_view to see .*--search\s+cost/s);
  });

  it.each(sample(['keyword_view', 'campaign', 'campaign_budget', 'customer', 'change_event']))(
    'lists each field that is selectable FROM %s exactly once',
    async (name) => {
      const resource = resources.get(name);
      const selectable = resource ? selectableFields(loadCatalogue(NEWEST_CATALOGUE), resource) : [];
      for (const columns of [80, 140]) {
        const listed = listedNames(await fieldsText([name], columns), fields);
        expect(listed.toSorted()).toEqual(selectable.map((field) => field.name).toSorted());
      }
    },
  );

  it('starts a resource with its key and the number of fields per group', async () => {
    const text = await fieldsText(['campaign_budget']);
    expect(text.split('\n\n').slice(0, 2).join('\n\n')).toMatchInlineSnapshot(`
      "campaign_budget
        A campaign budget.
        A row is identified by campaign_budget.id and the selected segments.

      Selectable in a query FROM campaign_budget
        campaign_budget   18  attributes
        customer          39  attributes
        campaign         141  attributes; selecting one splits the rows
        segments           7  segments; selecting one splits the rows
        metrics           28  metrics"
    `);
    expect(text).toContain('\ncampaign: 141 attributes; selecting one splits the rows, as a segment does\n');
    expect(text).toMatch(/pacekeeper\s+check\s+--online\s+to\s+ask\s+the\s+service\.\n$/);
  });

  it.each(
    sample([
      [60, []],
      [80, []],
      [80, ['keyword_view']],
      [100, ['campaign']],
      [120, ['campaign']],
      [140, ['ad_group_criterion']],
      [140, ['metrics']],
      [80, ['segments']],
      [80, ['campaign.status']],
      [80, ['--search', 'video']],
      [140, ['--search', 'search']],
    ]),
  )('fits %i columns, except for longer names: fields %j', async (columns, args) => {
    const lines = (await fieldsText(args, columns)).split('\n');
    const wide = lines.filter((line) => stringWidth(line) > columns);
    expect(wide.filter((line) => !fields.has(line.trim()))).toEqual([]);
    expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
  });

  it('has one line per field in wide terminals, with the type and the description cut to the width', async () => {
    const lines = (await fieldsText(['segments'], 140)).split('\n');
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}segments\.ad_format_type {2,}ENUM {2,}Ad Format type\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}segments\.\S+ {2,}\S.* {2}.*…$/));
  });

  it.each(
    sample([
      ['all metrics', 'metrics', 'metrics.'],
      ['all segments', 'segments', 'segments.'],
      ['the fields of a message', 'campaign.network_settings', 'campaign.network_settings.'],
      ['a message written as in SQL (name.*)', 'Campaign.Network_Settings.*', 'campaign.network_settings.'],
    ]),
  )('lists %s: %s', async (_, name, prefix) => {
    const expected = [...fields.keys()].filter((field) => field.startsWith(prefix));
    const text = await fieldsText([name]);
    expect([...text.matchAll(/^ {2}([a-z][\w.]+)/gm)].map((match) => match[1])).toEqual(expected);
  });

  it('aligns the columns of the specification’s table, which has no descriptions', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'ads: { catalogue: spec }\n');
    const { code, stdout } = await runInProcess(['fields', 'keyword_view'], { columns: 80, folder });
    expect(code).toBe(0);
    expect(stdout).toContain('  metrics.impressions  INT64\n  metrics.clicks       INT64\n');
    expect(listedNames(stdout, loadCatalogue('spec').fields)).toHaveLength(loadCatalogue('spec').fields.size);
  });

  it.each(
    sample([
      ['keyword_views', 'Did you mean keyword_view?'],
      ['clicks', 'Did you mean metrics.clicks?'],
      ['campain.nam', 'Did you mean campaign.name?'],
      ['metrics.clicsk', 'Did you mean metrics.clicks?'],
      ['metric', 'Did you mean metrics?'],
      ['xyzzy_qwerty', 'Run pacekeeper fields --search qwerty to search descriptions, too.'],
    ]),
  )('refuses the unknown name %s with the next step: %s', async (name, nextStep) => {
    const { code, stdout, stderr } = await runInProcess(['fields', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: Unknown name ${JSON.stringify(name)}: catalogue ${NEWEST_CATALOGUE} has no such resource or field.\nnext step: ${nextStep}\n`,
    );
  });
});

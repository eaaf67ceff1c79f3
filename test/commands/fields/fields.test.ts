import { describe, expect, it } from 'vitest';
import { NEWEST_CATALOGUE } from '../../../src/config/declared/advertising.ts';
import { loadCatalogue } from '../../../src/config/load-catalogue.ts';
import { selectableFields } from '../../../src/language/gaql/catalogue/catalogue.ts';
import { runInProcess } from '../run-in-process.ts';

const { resources, fields } = loadCatalogue(NEWEST_CATALOGUE);

async function fieldsText(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(['fields', ...args], { columns: 80 });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** The names at the beginning of the lines of the lists. */
function listedNames(text: string, known: { has(name: string): boolean }): string[] {
  return [...text.matchAll(/^ {2}(\S+)/gm)].map((match) => match[1] ?? '').filter((name) => known.has(name));
}

describe('pacekeeper fields', () => {
  it('lists every resource once, those with metrics first', async () => {
    const text = await fieldsText([]);
    const names = listedNames(text, resources);
    expect(names.toSorted()).toEqual([...resources.keys()].toSorted());
    const withoutMetrics = names.map((name) => resources.get(name)?.metrics.size === 0);
    expect(withoutMetrics).toEqual(withoutMetrics.toSorted());
    expect(text).toMatch(/^ {2}keyword_view +115\n {4}A keyword view\.$/m);
    expect(text).toMatch(/Run pacekeeper fields ad_group to see .*--search\s+cost/s);
  });

  it.each(['keyword_view', 'campaign', 'campaign_budget', 'customer', 'change_event'])(
    'lists each field that is selectable FROM %s exactly once',
    async (name) => {
      const resource = resources.get(name);
      const selectable = resource ? selectableFields(loadCatalogue(NEWEST_CATALOGUE), resource) : [];
      const listed = listedNames(await fieldsText([name]), fields);
      expect(listed.toSorted()).toEqual(selectable.map((field) => field.name).toSorted());
    },
  );

  it('starts a resource with its key, and each group with the number of its fields', async () => {
    const text = await fieldsText(['campaign_budget']);
    expect(text.split('\n').filter((line) => /^[a-z]+:|^\S.*identified/.test(line))).toEqual([
      'A row is identified by campaign_budget.id and the selected segments.',
      'customer: 39 attributes',
      'campaign: 141 attributes; selecting one splits the rows',
      'segments: 7 segments; selecting one splits the rows',
      'metrics: 28 metrics',
    ]);
    expect(text).toMatch(/pacekeeper\s+check\s+--online\s+to\s+ask\s+the\s+service\.\n$/);
  });

  it.each([
    ['all metrics', 'metrics', 'metrics.'],
    ['all segments', 'segments', 'segments.'],
    ['the fields of a message', 'campaign.network_settings', 'campaign.network_settings.'],
    ['a message written as in SQL (name.*)', 'Campaign.Network_Settings.*', 'campaign.network_settings.'],
  ])('lists %s: %s', async (_, name, prefix) => {
    const expected = [...fields.keys()].filter((field) => field.startsWith(prefix));
    const text = await fieldsText([name]);
    expect(listedNames(text, fields)).toEqual(expected);
  });

  it.each([
    ['keyword_views', 'Did you mean keyword_view?'],
    ['clicks', 'Did you mean metrics.clicks?'],
    ['campain.nam', 'Did you mean campaign.name?'],
    ['metrics.clicsk', 'Did you mean metrics.clicks?'],
    ['metric', 'Did you mean metrics?'],
    ['xyzzy_qwerty', 'Run pacekeeper fields --search qwerty to search descriptions, too.'],
  ])('refuses the unknown name %s with the next step: %s', async (name, nextStep) => {
    const { code, stdout, stderr } = await runInProcess(['fields', name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: Unknown name ${JSON.stringify(name)}: catalogue ${NEWEST_CATALOGUE} has no such resource or field.\nnext step: ${nextStep}\n`,
    );
  });
});

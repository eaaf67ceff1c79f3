import { describe, expect, it } from 'vitest';
import { NEWEST_CATALOGUE } from '../../../src/config/declared/advertising.ts';
import { loadCatalogue, loadDescriptions } from '../../../src/config/load-catalogue.ts';
import { runInProcess } from '../run-in-process.ts';

interface Match {
  readonly name: string;
  readonly matched: 'name' | 'description' | 'constant';
  readonly values: readonly string[];
}

const run = (...args: readonly string[]) => runInProcess(['fields', ...args], { columns: 80 });

async function search(...args: readonly string[]) {
  const { code, stdout } = await run(...args, '--format', 'json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as {
    fields: Match[];
    resources: { name: string }[];
    nearest: string[];
    within: string | null;
  };
}

const { fields } = loadCatalogue(NEWEST_CATALOGUE);
const descriptions = loadDescriptions(NEWEST_CATALOGUE);

describe('pacekeeper fields --search', () => {
  it('finds exactly the fields with the word in the name, description or constants', async () => {
    const found = (await search('--search', 'cost')).fields.map(({ name }) => name);
    const expected = [...fields.values()].filter(
      ({ name, values }) =>
        [name, descriptions.fields[name] ?? ''].some((text) => /cost/i.test(text)) ||
        values.some((value) => /\bcost\b/i.test(value.replaceAll('_', ' '))),
    );
    expect(found.toSorted()).toEqual(expected.map(({ name }) => name).toSorted());
  });

  it.each([
    ['the name itself is first', 'clicks', 'metrics.clicks'],
    ['a full name is first', 'campaign.status', 'campaign.status'],
    ['capitals do not matter', 'CLICKS', 'metrics.clicks'],
    ['spaces match underscores', 'cost micros', 'metrics.cost_micros'],
    ['a plural matches its singular', 'conversion', 'metrics.conversions'],
    ['matches in the resource name alone rank lower', 'budget', 'campaign.campaign_budget'],
    ['a former name finds the current one', 'video_views', 'metrics.video_trueview_views'],
    ['a constant finds its field', 'PMAX_REPLACEMENT_SHOPPING', 'experiment.type'],
  ])('ranks: %s (%s)', async (_, word, first) => {
    expect((await search('--search', word)).fields[0]?.name).toBe(first);
  });

  it('puts names before descriptions before constants, and whole words before parts of words', async () => {
    const { fields: found } = await search('--search', 'budget');
    const places = found.map(({ matched }) => matched);
    const order = ['name', 'description', 'constant'];
    expect(places).toEqual(places.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    const inNames = (await search('--search', 'click')).fields.filter(({ matched }) => matched === 'name');
    const whole = inNames.map(({ name }) => /[._]clicks?([._]|$)/.test(name));
    expect(whole).toEqual(whole.toSorted((a, b) => Number(b) - Number(a)));
    expect(new Set(whole).size).toBe(2);
  });

  it('also finds resources, unless it searches within one', async () => {
    expect((await search('--search', 'keyword')).resources[0]?.name).toMatch(/keyword/);
    expect(await search('keyword_view', '--search', 'keyword')).toMatchObject({
      within: 'keyword_view',
      resources: [],
    });
  });

  it.each([
    ['a resource', 'campaign_budget', 'campaign', /^(campaign_budget|customer|campaign|segments|metrics)\./],
    ['the metrics', 'metrics', 'cost', /^metrics\./],
    ['a message', 'campaign.network_settings', 'network', /^campaign\.network_settings\./],
    ['a field', 'campaign.status', 'PAUSED', /^campaign\.status$/],
  ])('searches within %s', async (_, name, word, expected) => {
    const names = (await search(name, '--search', word)).fields.map((field) => field.name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((found) => !expected.test(found))).toEqual([]);
  });

  it('shows the match: the sentence of a description, or the constants', async () => {
    const { stdout } = await run('keyword_view', '--search', 'performance_max');
    expect(stdout).toMatch(/^9 fields in keyword_view with "performance_max"\.\n\n3 fields, by name\n/);
    expect(stdout).toContain('  campaign.advertising_channel_type ENUM\n    PERFORMANCE_MAX\n');
  });

  it.each([
    ['a misspelt word', ['--search', 'impresions'], ['impressions']],
    ['no similar word', ['--search', 'xyzzyqwerty'], []],
  ])('succeeds without a match, and suggests similar words: %s', async (_, args, nearest) => {
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `No name, description or constant in catalogue ${NEWEST_CATALOGUE} contains "${args[1]}".`,
    );
    expect(stdout.includes('Did you mean')).toBe(nearest.length > 0);
    expect((await search(...args)).nearest.slice(0, 1)).toEqual(nearest);
  });

  it('reports matches elsewhere', async () => {
    const { stdout } = await run('campaign', '--search', 'quality score');
    expect(stdout).toMatch(/^No name, description or constant in campaign contains "quality score"/);
    expect(await search('campaign', '--search', 'quality score')).toMatchObject({ fields: [], elsewhere: 6 });
    expect(stdout).toMatch(/^6 fields elsewhere: run pacekeeper fields --search "quality score"\.$/m);
  });

  it.each(['', ' ', '%%'])('refuses the word %j', async (word) => {
    const { code, stdout, stderr } = await run('--search', word);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Invalid --search: found ${JSON.stringify(word)}, expected a word.`);
  });
});

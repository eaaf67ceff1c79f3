import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { galleryQuestions } from '../../src/dashboard/explore/gallery.ts';
import { questionsOf } from './bi-page.ts';

it('Explore has the thirteen questions of the documentation, with the same SQL', () => {
  const documented = [...questionsOf('Ten questions'), ...questionsOf('Three questions from finance')];
  const titles = [...readFileSync('docs/bi.md', 'utf8').matchAll(/^### \d+\. (.*)$/gm)].map(([, title]) => title);
  const gallery = galleryQuestions();
  expect(gallery.map(({ title }) => title)).toEqual(titles);
  expect(gallery.map(({ sql }) => sql)).toEqual(documented.map(([, sql]) => sql));
  expect(gallery).toHaveLength(13);
});

it('each question says in one plain sentence or two what it shows, and some have a chart', () => {
  const gallery = galleryQuestions();
  for (const { title, about } of gallery) expect(about, title).toMatch(/^[A-Z][^`]+\.$/);
  expect(gallery.find(({ title }) => title === 'Which weekdays are strong?')).toMatchObject({
    about: 'Only complete days count.',
    chart: { x: 'weekday_name', y: 'clicks_per_day', series: '', kind: 'bar' },
    reads: ['v_campaign_day', 'dim_calendar'],
  });
  expect(gallery.at(-1)?.chart).toEqual({});
});

it('the tables of a question are those that it reads, without its own', () => {
  const compared = galleryQuestions().find(({ title }) => title.startsWith('How does this month compare'));
  expect(new Set(compared?.reads)).toEqual(new Set(['account', 'account_day', 'campaign_spend_by_day']));
});

it('the package and the image have the page of the questions', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };
  expect(files).toContain('docs/bi.md');
  expect(readFileSync('docs/deploy/Dockerfile', 'utf8')).toContain('COPY docs/bi.md ./docs/');
});

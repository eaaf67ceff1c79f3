import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GALLERY } from '../../src/storage/warehouse/publish/gallery.ts';
import { questionsOf } from './bi-page.ts';

it('Explore has the thirteen questions of the documentation, with the same SQL', () => {
  const documented = [...questionsOf('Ten questions'), ...questionsOf('Three questions from finance')];
  const titles = [...readFileSync('docs/bi.md', 'utf8').matchAll(/^### \d+\. (.*)$/gm)].map(([, title]) => title);
  expect(GALLERY.map(({ title }) => title)).toEqual(titles);
  expect(GALLERY.map(({ sql }) => sql)).toEqual(documented.map(([, sql]) => sql));
  expect(GALLERY).toHaveLength(13);
});

it('each question names the tables that it reads', () => {
  for (const { title, reads, sql } of GALLERY) {
    const own = [...sql.matchAll(/(?:^|\W)(\w+) AS \(/g)].map(([, name]) => name);
    const read = [...sql.matchAll(/\b(?:FROM|JOIN)\s+(\w+)/g)].map(([, name]) => name);
    expect(new Set(reads), title).toEqual(new Set(read.filter((name) => !own.includes(name))));
  }
});

import { expect, it } from 'vitest';
import { ARGUED, ROOMS_OF_OUTSIDE_TEXT } from './argued-searches.ts';
import { type TextSearch, textSearches } from './text-searches.ts';

const isOutside = ({ file }: TextSearch) => Object.hasOwn(ROOMS_OF_OUTSIDE_TEXT, file.split('/')[0] ?? '');

it('no place in src looks into a text, unless a reason stands for it', { timeout: 120_000 }, () => {
  const left = new Map(Object.entries(ARGUED).map(([file, [, ...calls]]) => [file, [...calls]]));
  const found: string[] = [];
  for (const search of textSearches().filter((one) => !isOutside(one))) {
    const calls = left.get(search.file) ?? [];
    const at = calls.indexOf(search.call);
    if (at >= 0) calls.splice(at, 1);
    else {
      found.push(
        `src/${search.file}:${search.line} looks into a text: ${search.call}. A fact is data, with a sentence at the edge. Where it is no sentence of ours, say so in test/house/argued-searches.ts.`,
      );
    }
  }
  expect(found).toEqual([]);
  const gone = [...left].flatMap(([file, calls]) => calls.map((call) => `src/${file}: ${call}`));
  expect(gone, 'argued, and not there any more').toEqual([]);
});

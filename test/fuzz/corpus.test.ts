import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CORPUS, corpusOf } from './corpus.ts';
import { failureOf } from './fuzz-loop.ts';
import { keepFilesOfTargets } from './own-folder.ts';
import { TARGETS } from './targets.ts';

keepFilesOfTargets();

describe('every stored input', () => {
  it.each(TARGETS)('of $name holds its claim', async (target) => {
    const seeds = target.seeds().map((text) => Buffer.from(text));
    expect(seeds.length).toBeGreaterThan(0);
    for (const input of [...seeds, ...corpusOf(target.name).map(({ input }) => input)]) {
      expect((await failureOf(target, input))?.message).toBeUndefined();
    }
  });

  it('belongs to an existing target', () => {
    const names = new Set(TARGETS.map(({ name }) => name));
    expect(readdirSync(CORPUS).filter((name) => !names.has(name))).toEqual([]);
  });
});

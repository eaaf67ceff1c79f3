import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const KB_MAX = 250;

/** The built files that are read before any command runs: what the first one imports, and what that imports. */
function loadedAtStart(path: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(path)) return found;
  const text = readFileSync(path, 'utf8');
  found.set(path, text);
  // A part that is loaded when it is needed is import(…), with a parenthesis.
  for (const [, name = ''] of text.matchAll(/^(?:import|export) ?(?:[^'"();]*from )?"(\.\/[\w.-]+\.js)";$/gm)) {
    loadedAtStart(join(dirname(path), name), found);
  }
  return found;
}

it(`a start reads at most ${KB_MAX} KB, and no code for other commands`, () => {
  // main.js checks the version of Node before it imports the program.
  const loaded = new Map<string, string>();
  for (const [, name = ''] of readFileSync('dist/main.js', 'utf8').matchAll(/await import\("(.*?)"\)/g)) {
    loadedAtStart(join('dist', name), loaded);
  }
  expect(loaded.size).toBeGreaterThan(3);
  const kilobytes = [...loaded.values()].reduce((sum, text) => sum + text.length, 0) / 1_000;
  const packages = [...loaded.values()].flatMap((text) => text.match(/^\/\/ .*node_modules\/[^/\n]+/gm) ?? []);
  const names = new Set(packages.map((line) => line.replace(/.*\//, '')));
  expect({ names: [...names], isSmall: kilobytes <= KB_MAX }).toEqual({ names: ['commander'], isSmall: true });
});

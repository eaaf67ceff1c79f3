import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseDocument, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { hideValues } from '../../src/config/hide-values.ts';
import { readLastResort } from '../../src/config/last-resort.ts';
import { beyondBounds, PARSING } from '../../src/language/yaml/parsing.ts';
import { keyAt, nodeAt, readYaml } from '../../src/language/yaml/read-yaml.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const LEVELS = 3000;
const nested = (opening: string, closing = '') => `a: ${opening.repeat(LEVELS)}${closing.repeat(LEVELS)}\n`;

/** Sound YAML, all of it: what is wrong is what it costs. */
const BOMBS: readonly (readonly [sentence: string, source: string, expected: RegExp])[] = [
  ['lists in lists by the thousand', nested('[', ']'), /Found more than 100 nested lists and groups\./],
  ['groups in groups by the thousand', nested('{a: ', '}'), /Found more than 100 nested lists and groups\./],
  ['lists that nothing closes', nested('['), /Found more than 100 nested lists and groups\./],
  ['lists in lists on one line', `${'- '.repeat(LEVELS)}a`, /Found more than 100 nested lists and groups\./],
  ['keys that are groups', `${'? '.repeat(LEVELS)}a`, /Found more than 100 nested lists and groups\./],
  [
    'groups on one line that all end at once',
    `${'a: '.repeat(LEVELS)}\n---\nb: 1\n`,
    /Found more than 100 nested lists and groups\./,
  ],
  [
    'brackets that quotes would hide',
    `a: ${'[ "]", '.repeat(LEVELS)}`,
    /Found more than 100 nested lists and groups\./,
  ],
  [
    'aliases of aliases of aliases',
    Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'a0: &a0 x'
        : `a${level}: &a${level} [${Array(9)
            .fill(`*a${level - 1}`)
            .join(', ')}]`,
    ).join('\n'),
    /^The aliases of this file refer to themselves, or expand to too much text\.$/,
  ],
  [
    'as many aliases as fit, each of its own anchor',
    Array.from({ length: 4000 }, (_, index) => `a${index}: &a${index} x\nb${index}: *a${index}\n`).join(''),
    /more than 100 aliases/,
  ],
];

const KEYS = Array.from({ length: 2_000 }, (_, index) => `k${index}`);

describe('a YAML bomb', () => {
  it.each(BOMBS)('is refused with its place before it expands: %s', (_, source, expected) => {
    const reading = readYaml(source, z.unknown());
    const messages = reading.kind === 'refused' ? reading.diagnostics.map(({ message }) => message) : [];
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(expected);
  });

  it('is shown without a value, whatever is wrong with it', () => {
    const masked = hideValues(`ads: { access_token: secret-of-mine }\n${nested('[', ']')}`);
    expect(masked).not.toContain('secret-of-mine');
    expect(masked).toContain('access_token');
  });

  it('ends a command like any mistake, with exit code 2 and the place, not with a program failure', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), `automation: ${'['.repeat(LEVELS)}\n`);
    const { code, stderr } = await runInProcess(['config', 'show'], { folder });
    expect(code).toBe(2);
    expect(stderr).toContain('pacekeeper.yaml:1:');
    expect(stderr).toContain('Found more than 100 nested lists and groups.');
  });

  it.each(['schedule', 'ads', 'accounts', 'alerts'])('that refers to itself is a mistake, too: %s', async (section) => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), `${section}: &a [*a]\n`);
    const { code, stderr } = await runInProcess(['config', 'show'], { folder });
    expect(code).toBe(2);
    expect(stderr).toContain('The configuration');
  });

  it('is skipped by the search for secrets after every other step failed', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'pacekeeper.yaml'), nested('[', ']'));
    const { secrets } = await readLastResort(folder, {}, { ADS_ACCESS_TOKEN: 'known all the same' });
    expect(secrets).toContain('known all the same');
  });

  it('differs from real files: a hundred levels, a hundred aliases and thousands of keys are read', () => {
    const deep = `a: ${'['.repeat(99)}${']'.repeat(99)}\n`;
    const aliases = `x: &x 1\nb: [${Array(40).fill('*x').join(', ')}]\n`;
    const keys = Array.from({ length: 3000 }, (_, index) => `k${index}: 1\n`).join('');
    const list = `ids: [${Array.from({ length: 10_001 }, (_, index) => index).join(', ')}]\n`;
    for (const source of [deep, aliases, keys, list]) {
      expect(beyondBounds(source)).toBeUndefined();
      expect(readYaml(source, z.unknown()).kind).toBe('ok');
    }
  });

  it('is reported at the first alias beyond the limit', () => {
    const before = `x: &x 1\nb: [${Array(100).fill('*x').join(', ')}`;
    expect(beyondBounds(`${before}, *x, *x]\nc: *x\n`)?.offset).toBe(`${before}, `.length);
    const lines = `- &x 1\n${'- *x\n'.repeat(100)}`;
    expect(beyondBounds(`${lines}- *x\n- *x\n`)?.offset).toBe(`${lines}- `.length);
  });

  it.each([
    ['between braces', `{${KEYS.map((key) => `${key}: 1`).join(', ')}}`],
    ['on lines', KEYS.map((key) => `${key}: 1\n`).join('')],
  ])('of thousands of keys %s compares none with all others', (_, source) => {
    const looks = vi.spyOn(Array.prototype, 'some');
    onTestFinished(() => looks.mockRestore());
    expect(readYaml(source, z.unknown()).kind).toBe('ok');
    expect(looks.mock.calls.length).toBeLessThan(10);
  });

  it('of thousands of unknown keys is searched once for all places', () => {
    const document = parseDocument(KEYS.map((key) => `${key}: 1\n`).join(''), PARSING);
    const map = document.contents as YAMLMap;
    let looks = 0;
    map.items = new Proxy(map.items, {
      get(items, name) {
        looks += typeof name === 'string' && /^\d+$/.test(name) ? 1 : 0;
        return Reflect.get(items, name) as unknown;
      },
    });
    expect(KEYS.map((key) => keyAt(map, key)?.range?.[0]).every((offset) => offset !== undefined)).toBe(true);
    expect(KEYS.every((key) => nodeAt(document, [key]) !== undefined)).toBe(true);
    expect(looks).toBe(KEYS.length);
  });

  it('of mistakes only reports a hundred of them', () => {
    const reading = readYaml(`${'- a: '.repeat(2000)}a`, z.unknown());
    expect(reading.kind === 'refused' && reading.diagnostics.length).toBe(100);
  });
});

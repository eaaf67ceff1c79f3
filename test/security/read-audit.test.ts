import { describe, expect, it } from 'vitest';
import { readAudit } from './read-audit.ts';

const metadata = { dependencies: { total: 412 } };

describe('the registry’s audit of the packages', () => {
  it('is clean only if it says so, with the number of packages', () => {
    expect(readAudit(JSON.stringify({ vulnerabilities: {}, metadata }))).toEqual({ kind: 'clean', packages: 412 });
  });

  it('lists package, severity and a link', () => {
    const via = [{ title: 'Prototype Pollution', url: 'https://github.com/advisories/GHSA-1' }, 'other'];
    const vulnerabilities = { lodash: { severity: 'high', range: '<4.17.21', via } };
    expect(readAudit(JSON.stringify({ vulnerabilities, metadata }))).toEqual({
      kind: 'found',
      findings: [
        {
          name: 'lodash',
          text: 'lodash <4.17.21 (high): Prototype Pollution https://github.com/advisories/GHSA-1; through other',
        },
      ],
    });
  });

  it.each<[sentence: string, printed: string, because: string]>([
    ['an error of npm', '{"error":{"summary":"audit endpoint returned an error"}}', 'audit endpoint returned an error'],
    [
      'a message',
      '{"message":"request to https://registry.npmjs.org failed"}',
      'request to https://registry.npmjs.org failed',
    ],
    ['nothing', '', 'npm audit printed no answer'],
    ['a page', '<html>', 'npm audit printed no answer'],
    ['an answer without packages', '{"vulnerabilities":{}}', 'npm audit printed no answer'],
    ['an answer of another kind', '[]', 'npm audit printed no answer'],
  ])('is unknown if it is %s', (_, printed, because) => {
    expect(readAudit(printed)).toEqual({ kind: 'not_asked', because });
  });
});

import { parse as parseYaml } from 'yaml';
import { scheduleProblems } from '../../../src/config/check-schedule.ts';
import { settingsFrom } from '../../../src/config/read-settings.ts';
import { SETTINGS } from '../../../src/config/setting-tree.ts';
import { InputError } from '../../../src/domain/errors.ts';
import { claimFindings } from '../claim-findings.ts';
import { examplesIn, textsIn } from '../inputs/sources.ts';
import { claim, claimSame, type Target } from '../target.ts';

/** Longer than anything that is shown of a value, so that it is nowhere harmless. */
export const SECRET = `EAAG${'z9Q7'.repeat(20)}`;

const REAL = { settle: settingsFrom };

/** The settings file: settings or findings with places, and no word of what may be a secret. */
export function settingsTarget(program: typeof REAL = REAL): Target {
  const keys = SETTINGS.flatMap(({ path }) => path?.split('.') ?? []);
  return {
    name: 'settings',
    tokens: [
      ...new Set(keys.map((key) => `${key.replace('[]', '')}:`)),
      SECRET,
      `\n  token: ${SECRET}\n`,
      ...'&a *a !!binary | >- { } [ ] live sandbox 1234567890 (123) EUR Europe/Berlin 22:00-07:00 12.50'.split(' '),
      'https://a.example',
      '<<: *a',
      '- ',
      '? ',
      ': ',
      '*/5 * * * *',
    ],
    seeds: () => [
      ...textsIn('.', 'pacekeeper.yaml'),
      ...['configuration.md', 'alerts.md', 'schedule.md', 'go-live.md'].flatMap((page) => examplesIn(page, ['yaml'])),
    ],
    judge(input) {
      const source = input.toString('utf8');
      try {
        const settings = program.settle('/nowhere', {}, {}, source, { schedule: scheduleProblems });
        const plain: unknown = parseYaml(source, { schema: 'failsafe', logLevel: 'silent' });
        if (typeof plain === 'object' && plain) {
          const known = Object.keys(plain).filter((key) => !(key in settings));
          claimSame(known, [], 'A section of the file is in none of the settings');
        }
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        claimRefusal(source, error);
      }
    },
  };
}

function claimRefusal(source: string, { message, nextStep, findings }: InputError): void {
  claim(message !== '', () => 'A refusal without words');
  const shown = [message, nextStep ?? ''];
  for (const { source: masked, diagnostics } of findings) {
    claim(diagnostics.length > 0, () => 'A refusal without a finding');
    claimFindings(source, diagnostics);
    claimSame(masked.length, source.length, 'The masked text has another length');
    claimSame(masked.replace(/[^\r\n]/g, ''), source.replace(/[^\r\n]/g, ''), 'The masked text has other lines');
    shown.push(masked, ...diagnostics.flatMap(({ message: words, hint = '' }) => [words, hint]));
  }
  // Eight characters of it are enough to know it by.
  const told = shown.find((text) => text.includes(SECRET.slice(8, 24)));
  claim(told === undefined, () => `A secret is shown: ${told}`);
}

import { InputError } from '../../domain/errors.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import { CODES, type Explanation } from '../../language/gaql/codes.ts';
import { RULE_CODES, SHARED_CODES } from '../../language/rules/file/rule-codes.ts';
import { MODEL_CODES } from '../../storage/warehouse/models/model-codes.ts';
import { wrapText } from '../../views/text/text-layout.ts';

const EXAMPLE_CHARACTERS_MAX = 300;

/** Throws `InputError` for an unknown code. */
export function explainCode(name: string, width: number): string {
  const code = name.toUpperCase();
  const explanation = explanationOf(code);
  if (!explanation) {
    throw new InputError(`Unknown code ${JSON.stringify(name)}.`, {
      nextStep:
        didYouMean(code, [...CODES.keys(), ...RULE_CODES.keys(), ...MODEL_CODES.keys()]) ??
        'See docs/query-language.md for all codes. check --online can also show codes of the service.',
    });
  }
  const inRules = SHARED_CODES.get(code);
  const example = (text: string) =>
    (text.length > EXAMPLE_CHARACTERS_MAX ? `${text.slice(0, EXAMPLE_CHARACTERS_MAX)}…` : text)
      .replaceAll('\u0000', '\\0')
      .split('\n')
      .map((line) => wrapText(line, width, '    ', '      '));
  const half = ({ meaning, wrong, right }: Explanation, before: string) => [
    wrapText(`${before}${meaning}`, width, '  ', '  '),
    '',
    '  wrong:',
    ...example(wrong),
    '  right:',
    ...example(right),
  ];
  const lines = [code, ...half(explanation, ''), ...(inRules ? ['', ...half(inRules, 'In a rule: ')] : [])];
  return `${lines.join('\n')}\n`;
}

export function explanationOf(code: string): Explanation | undefined {
  return CODES.get(code) ?? RULE_CODES.get(code) ?? MODEL_CODES.get(code);
}

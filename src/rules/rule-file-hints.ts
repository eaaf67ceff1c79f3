import { didYouMean } from '../gaql/check/suggest.ts';
import type { HintFor } from '../yaml/read-yaml.ts';
import { ruleFileSchema } from './rule-schema.ts';
import { ownWindowHint } from './window-hints.ts';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(ruleFileSchema.shape),
  pace: Object.keys(ruleFileSchema.shape.pace.unwrap().shape),
  limits: Object.keys(ruleFileSchema.shape.limits.unwrap().shape),
  alert: Object.keys(ruleFileSchema.shape.alert.unwrap().shape),
};

/** Words of other systems, and the key that says the same here. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['if', 'The condition is written as when: clicks >= 30.'],
  ['condition', 'The condition is written as when: clicks >= 30.'],
  ['then', 'What becomes of the budget is written as change: decrease budget by 10%.'],
  ['action', 'What becomes of the budget is written as change: decrease budget by 10%.'],
  ['table', 'The table is written as from: keyword_stats.'],
  ['query', 'The table is written as from: keyword_stats.'],
  ['days', 'The days are written as over: 7 days.'],
  ['window', 'The days are written as over: 7 days.'],
  ['target', 'The target of a month is written as change: pace budget to 3000 per month.'],
  ['pacing', 'Write pace.'],
  ['pace.start', 'Did you mean starts?'],
  ['pace.end', 'Did you mean ends?'],
  ['pace.target', 'The target is written as change: pace budget to 3000 per month.'],
  ['limits.min', 'Did you mean floor, the least amount, or minimum: { clicks: 30 }?'],
  ['limits.max', 'Did you mean ceiling?'],
]);

/** What to do about keys and values of a rule file that are not known. */
export const ruleFileHint: HintFor = (path, found) => {
  const name = path.join('.').toLowerCase();
  if (found === undefined) {
    const keys = KEYS[path.slice(0, -1).join('.')];
    return OTHER_WORDS.get(name) ?? (keys && didYouMean(String(path.at(-1)), keys));
  }
  if (name === 'pace.curve' && Array.isArray(found)) {
    const count = `${found.length} ${found.length === 1 ? 'weight is' : 'weights are'} given`;
    return found.length === 7
      ? undefined
      : `${count}: write one for each day from Monday to Sunday, such as [1, 1, 1, 1, 1, 0.5, 0.5].`;
  }
  if (/^pace\.months\./.test(name) && String(found) === '0')
    return 'Leave the month out, or set "ends" to the last day that is paced.';
  if (typeof found !== 'string') return undefined;
  const band = /^(\d+(?:\.\d+)?)%? (?:to|-|–) (\d+(?:\.\d+)?)%?$/.exec(found);
  if (name === 'pace.band' && band) {
    const [, low = '', high = ''] = band;
    return Number(low) <= 100 && Number(high) >= 100
      ? `Write ${low}% to ${high}%.`
      : 'Write 95% to 105%, with 100% between the two.';
  }
  if (name === 'over') return ownWindowHint(found);
  if (name === 'alert') return `Write alert: { severity: warning, text: "${found.replaceAll('"', "'")}" }.`;
  const unit = /^(\d+)(?:[.,](\d+))? ?(EUR|USD|GBP|CHF|JPY|€|\$|£)?$/.exec(found);
  if (/^limits\.(floor|ceiling)$/.test(name) && unit) {
    const [, units, fraction] = unit;
    return `Write ${units}${fraction === undefined ? '' : `.${fraction}`}.`;
  }
  return undefined;
};

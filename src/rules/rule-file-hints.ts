import { didYouMean } from '../gaql/check/suggest.ts';
import type { HintFor } from '../yaml/read-yaml.ts';
import { ruleFileSchema } from './rule-schema.ts';
import { ownWindowHint } from './window-hints.ts';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(ruleFileSchema.shape),
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
  if (typeof found !== 'string') return undefined;
  if (name === 'over') return ownWindowHint(found);
  if (name === 'alert') return `Write alert: { severity: warning, text: "${found.replaceAll('"', "'")}" }.`;
  const unit = /^(\d+)(?:[.,](\d+))? ?(EUR|USD|GBP|CHF|JPY|€|\$|£)?$/.exec(found);
  if (/^limits\.(floor|ceiling)$/.test(name) && unit) {
    const [, units, fraction] = unit;
    return `Write ${units}${fraction === undefined ? '' : `.${fraction}`}.`;
  }
  return undefined;
};

import { ALERT_SEVERITIES } from '../../../domain/channel.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { HintFor } from '../../yaml/read-yaml.ts';
import { ownWindowHint } from '../language/expression-messages.ts';
import { MODES, SUBJECTS } from '../rule.ts';
import { ruleFileSchema } from './rule-schema.ts';

const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(ruleFileSchema.shape),
  pace: Object.keys(ruleFileSchema.shape.pace.unwrap().shape),
  limits: Object.keys(ruleFileSchema.shape.limits.unwrap().shape),
  alert: Object.keys(ruleFileSchema.shape.alert.unwrap().shape),
};

const ALERT_LINE = `"alert: { severity: warning, text: '{clicks} clicks' }"`;

const LIMIT_EXAMPLES = [
  ['floor', '5'],
  ['ceiling', '200'],
  ['step', '20%'],
  ['cooldown', '3 days'],
  ['drift', '50% over 30 days'],
  ['minimum', '{ clicks: 30 }'],
] as const;

const VALUES: Readonly<
  Record<string, { readonly known: readonly string[]; readonly others: Readonly<Record<string, string>> }>
> = {
  for: { known: SUBJECTS, others: { adgroup: 'ad_group', customer: 'account' } },
  mode: {
    known: MODES,
    others: {
      show: 'propose',
      manual: 'approve',
      ask: 'approve',
      approval: 'approve',
      auto: 'apply',
      automatic: 'apply',
      act: 'apply',
    },
  },
  'alert.severity': {
    known: ALERT_SEVERITIES,
    others: {
      high: 'critical',
      urgent: 'critical',
      severe: 'critical',
      error: 'critical',
      emergency: 'critical',
      medium: 'warning',
      moderate: 'warning',
      warn: 'warning',
      normal: 'warning',
      low: 'info',
      notice: 'info',
    },
  },
};

const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['if', 'Write the condition as "when: clicks >= 30".'],
  ['condition', 'Write the condition as "when: clicks >= 30".'],
  ['then', 'Write the change as "change: decrease budget by 10%".'],
  ['action', 'Write the change as "change: decrease budget by 10%".'],
  ['table', 'Write the table as "from: keyword_stats".'],
  ['query', 'Write the table as "from: keyword_stats".'],
  ['days', 'Write the days as "over: 7 days".'],
  ['window', 'Write the days as "over: 7 days".'],
  ['target', 'Write the monthly target as "change: pace budget to 3000 per month".'],
  ['pacing', 'Write "pace".'],
  ['message', `The text belongs to the alert. Write ${ALERT_LINE}.`],
  ['text', `The text belongs to the alert. Write ${ALERT_LINE}.`],
  ['notify', `Write ${ALERT_LINE}.`],
  ['alert.message', 'Did you mean text?'],
  ['alert.level', 'Did you mean severity?'],
  ['severity', `Severity belongs to the alert. Write "alert: { severity: critical, text: '{clicks} clicks' }".`],
  ...LIMIT_EXAMPLES.map(
    ([key, limit]) => [key, `This is one of the limits. Write "limits: { ${key}: ${limit} }".`] as const,
  ),
  ['pace.start', 'Did you mean starts?'],
  ['pace.end', 'Did you mean ends?'],
  ['pace.target', 'Write the target as "change: pace budget to 3000 per month".'],
  ['limits.min', 'Did you mean "floor" (the lowest amount) or "minimum: { clicks: 30 }"?'],
  ['limits.max', 'Did you mean ceiling?'],
]);

export const ruleFileHint: HintFor = (path, found) => {
  const name = path.join('.').toLowerCase();
  if (found === undefined) {
    const keys = KEYS[path.slice(0, -1).join('.')];
    return OTHER_WORDS.get(name) ?? (keys && didYouMean(String(path.at(-1)), keys));
  }
  if (name === 'pace.curve' && Array.isArray(found)) {
    const count = `Found ${found.length} ${found.length === 1 ? 'weight' : 'weights'}`;
    return found.length === 7
      ? undefined
      : `${count}. Write one for each day from Monday to Sunday, such as [1, 1, 1, 1, 1, 0.5, 0.5].`;
  }
  if (/^pace\.months\./.test(name) && String(found) === '0')
    return 'Remove the month, or set "ends" to the last paced day.';
  if (typeof found !== 'string') return undefined;
  const band = /^(\d+(?:\.\d+)?)%? (?:to|-|–) (\d+(?:\.\d+)?)%?$/.exec(found);
  if (name === 'pace.band' && band) {
    const [, low = '', high = ''] = band;
    return Number(low) <= 100 && Number(high) >= 100
      ? `Write "${low}% to ${high}%".`
      : 'Write two percentages around 100%, such as 95% to 105%.';
  }
  if (name === 'over') return ownWindowHint(found);
  const values = VALUES[name];
  if (values !== undefined) {
    const word = found.trim().toLowerCase();
    const known = values.known.includes(word) ? word : new Map(Object.entries(values.others)).get(word);
    return known === undefined ? didYouMean(word, values.known) : `Write "${path.at(-1)}: ${known}".`;
  }
  if (name === 'alert' && /^(true|yes|on)$/i.test(found)) return `Write ${ALERT_LINE}.`;
  if (name === 'alert' && /^(false|no|off)$/i.test(found)) return 'Remove "alert".';
  if (name === 'alert') return `Write "alert: { severity: warning, text: '${found.replaceAll("'", "''")}' }".`;
  const unit = /^(\d+)(?:[.,](\d+))? ?(EUR|USD|GBP|CHF|JPY|€|\$|£)?$/.exec(found);
  if (/^limits\.(floor|ceiling)$/.test(name) && unit) {
    const [, units, fraction] = unit;
    return `Write ${units}${fraction === undefined ? '' : `.${fraction}`}.`;
  }
  return undefined;
};

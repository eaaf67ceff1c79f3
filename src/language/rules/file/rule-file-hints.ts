import { ALERT_SEVERITIES } from '../../../domain/channel.ts';
import { didYouMean } from '../../gaql/check/suggest.ts';
import type { HintFor } from '../../yaml/read-yaml.ts';
import { MODES, SUBJECTS } from '../rule.ts';
import { ruleFileSchema } from './rule-schema.ts';

const LIMITS = Object.keys(ruleFileSchema.shape.limits.unwrap().shape);
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(ruleFileSchema.shape),
  pace: Object.keys(ruleFileSchema.shape.pace.unwrap().shape),
  limits: LIMITS,
  alert: Object.keys(ruleFileSchema.shape.alert.unwrap().shape),
};

const LIMIT_HINT = 'Write it under "limits", as in "limits: { floor: 5, cooldown: 3 days }".';
const ALERT_LINE = `"alert: { severity: warning, text: '{clicks} clicks' }"`;

const VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['for', SUBJECTS],
  ['mode', MODES],
  ['alert.severity', ALERT_SEVERITIES],
]);

const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['if', 'Write the condition as "when: clicks >= 30".'],
  ['condition', 'Write the condition as "when: clicks >= 30".'],
  ['then', 'Write the change as "change: decrease budget by 10%".'],
  ['action', 'Write the change as "change: decrease budget by 10%".'],
  ['table', 'Write the table as "from: keyword_stats".'],
  ['query', 'Write the table as "from: keyword_stats".'],
  ['days', 'Write the days as "over: 7 days".'],
  ['window', 'Write the days as "over: 7 days".'],
  ['message', `The text belongs to the alert. Write ${ALERT_LINE}.`],
  ['text', `The text belongs to the alert. Write ${ALERT_LINE}.`],
  ['limits.min', 'Did you mean "floor" (the lowest amount) or "minimum: { clicks: 30 }"?'],
  ['limits.max', 'Did you mean ceiling?'],
  ...LIMITS.map((key) => [key, LIMIT_HINT] as const),
]);

export const ruleFileHint: HintFor = (path, found) => {
  const name = path.join('.').toLowerCase();
  if (found === undefined) {
    const keys = KEYS[path.slice(0, -1).join('.')];
    return OTHER_WORDS.get(name) ?? (keys && didYouMean(String(path.at(-1)), keys));
  }
  if (typeof found !== 'string') return undefined;
  if (name === 'alert') return `Write ${ALERT_LINE}.`;
  return didYouMean(found.trim(), VALUES.get(name) ?? []);
};

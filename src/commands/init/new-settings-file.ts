import type { Channel } from '../../channels/channel.ts';
import { CHANNELS } from '../../channels/channels.ts';
import { SETTINGS, type Setting } from '../../config/setting-tree.ts';
import { SCHEMA_LINE } from '../../config/settings-json-schema.ts';
import type { Answers } from './gather-answers.ts';

const TEMPLATES = '  # 24 hours after a recipient wrote, WhatsApp takes only approved templates (docs/alerts.md):';

const RATES = [
  'exchange_rates:',
  '  - { date: 2026-01-01, from: GBP, to: EUR, rate: 1.17 }',
  '  - { date: 2026-01-01, from: USD, to: EUR, rate: 0.92 }',
  '  - { date: 2026-01-01, from: JPY, to: EUR, rate: 0.006 }',
];

const UNEXPLAINED = ['container', 'serve', 'log'] as const;

interface Placed {
  readonly setting: Setting;
  readonly value: string;
}

export function divideValues({ values }: Pick<Answers, 'values'>): {
  readonly file: readonly Placed[];
  readonly env: ReadonlyMap<string, string>;
} {
  const env = new Map(values);
  env.delete('PACEKEEPER_TARGET');
  const file: Placed[] = [];
  for (const setting of SETTINGS) {
    const name = setting.env.find((one) => env.has(one));
    if (name === undefined || setting.path === undefined || setting.secrecy === 'secret') continue;
    file.push({ setting, value: env.get(name) ?? '' });
    env.delete(name);
  }
  return { file, env };
}

export function newSettingsFile({ target, values, timeZone }: Pick<Answers, 'target' | 'values' | 'timeZone'>): string {
  const { file } = divideValues({ values });
  const area = (name: string, otherwise: readonly string[], more: readonly string[] = []): string[] => {
    const lines = file.flatMap(({ setting, value }) => {
      const [first, ...keys] = setting.at.split('.');
      return first === name ? `  ${keys.join('.')}: ${yamlValue(setting, value)}` : [];
    });
    return [...(lines.length === 0 ? otherwise : [`${name}:`, ...lines, ...more]), ''];
  };
  const ifGiven = (name: string, more: readonly string[] = []) =>
    file.some(({ setting }) => setting.at.startsWith(`${name}.`)) ? area(name, [], more) : [];
  return [
    SCHEMA_LINE,
    '# Settings of pacekeeper. All keys are optional. Editors that read the line above explain and complete them.',
    '# Put secrets in .env beside this file. The environment overrides .env, and .env overrides this file.',
    '',
    '# sandbox: an embedded service; no data leaves this machine.   live: the services configured below.',
    `target: ${target}`,
    '',
    '# The limit for automation: propose (suggest), approve (ask for approval), apply (act). A rule can set a stricter mode.',
    ...(target === 'live'
      ? [
          '# Start with propose: nothing is changed, and every run shows what it would have done.',
          'automation: { mode: propose }',
        ]
      : ['# Default: apply for the sandbox, propose for live.', '# automation: { mode: propose }']),
    '',
    '# The advertising interface. Put its tokens in .env: ADS_ACCESS_TOKEN, or ADS_CLIENT_SECRET and',
    '# ADS_REFRESH_TOKEN. Without customer_ids, pacekeeper reads all accounts they reach.',
    ...area('ads', ['# ads:', '#   url: https://ads.example.com', '#   customer_ids: [123-456-7890]']),
    ...CHANNELS.flatMap(({ name, example, templateExample }: Channel) => {
      const own = templateExample === undefined ? [] : [templateExample];
      const more = own.flatMap((line) => [TEMPLATES, `  # ${line}`]);
      if (example === undefined) return ifGiven(name, more);
      const lines = [...example.lines, ...own.map((line) => `  ${line}`)].map((line) => `# ${line}`);
      return [`# ${example.about}`, ...area(name, lines, more)];
    }),
    ...UNEXPLAINED.flatMap((name) => ifGiven(name)),
    '# People who receive alerts, and approvers who answer YES or NO by message:',
    'alerts:',
    `  time_zone: ${timeZone}`,
    '  # recipients: { anna: { messages: "whatsapp:+15550100002", quiet_hours: 22:00-07:00 } }',
    '  # approvers: { anna: "+15550100002" }',
    '',
    '# Fixed exchange rates, for targets of accounts with different currencies:',
    ...RATES.map((line) => (target === 'sandbox' ? line : `# ${line}`)),
    '',
    '# Jobs of pacekeeper schedule. cron: minute, hour, day of the month, month, day of the week.',
    'schedule:',
    `  - { name: morning-report, cron: "30 5 * * *", time_zone: ${timeZone}, job: report }`,
    '',
    '# Facts about an account that the advertising interface does not report:',
    '# accounts:',
    '#   1234567890: { currency: EUR, time_zone: Europe/Berlin }',
    '',
  ].join('\n');
}

function yamlValue({ facts: { separator } }: Setting, value: string): string {
  if (separator === undefined) return yamlText(value);
  const parts = value.split(separator).map((part) => part.trim());
  return `[${parts
    .filter((part) => part !== '')
    .map(yamlText)
    .join(', ')}]`;
}

/** YAML could read some texts as numbers or booleans. JSON quotes are valid in YAML. */
function yamlText(value: string): string {
  const plain =
    /^(?:[A-Za-z][\w.-]*|https?:\/\/[\w.:/-]*\w|\d+)$/.test(value) &&
    !/^(?:true|false|yes|no|on|off|null)$/i.test(value);
  return plain ? value : JSON.stringify(value);
}

export function newEnvFile(values: ReadonlyMap<string, string>): string {
  const lines = [...values].map(([name, value]) => `${name}=${envText(value)}`);
  return ['# Secrets of pacekeeper. Keep this file private and out of version control.', ...lines, ''].join('\n');
}

/** A `.env` file has no escapes, so the quote character must not occur in the value. */
function envText(value: string): string {
  if (/^[\w.:/+=@,~-]+$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one));
  return quote === undefined ? value : `${quote}${value}${quote}`;
}

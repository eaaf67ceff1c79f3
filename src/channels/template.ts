import * as z from 'zod';
import { referenceWord, waysToDecide } from '../domain/channel.ts';
import { ApiError } from '../domain/errors.ts';
import { cutText, firstLineOf, shortLine } from '../domain/outside-text.ts';
import { PAGES } from '../domain/pages.ts';
import { listed } from '../domain/wording.ts';
import { setting } from '../language/settings/declare.ts';
import type { OutgoingAlert, ReplyWindow } from './channel.ts';

/** The kinds of `SaidAlert`. The template `default` is for those without a template of their own. */
const KINDS = ['event', 'condition', 'digest', 'test', 'reply'] as const;
const DEFAULT = 'default';

const KIND = new RegExp(`^(?:${[...KINDS, DEFAULT].join('|')})$`);

/** The keys of `templates`. */
export const TEMPLATE_KIND = { key: z.string().regex(KIND, `one of ${[...KINDS, DEFAULT].join(', ')}`), shown: KIND };

/** So that the number of the other alerts is never cut. */
const FINDING_LENGTH_MAX = 110;

/** Each returns a text that can have several lines. */
const FIELDS = {
  finding: ({ text, alerts }) => {
    const more = alerts.length > 1 ? ` (+${alerts.length - 1} more)` : '';
    return cutText(firstLineOf(alerts[0]?.text ?? text), FINDING_LENGTH_MAX) + more;
  },
  text: ({ text, reference }) =>
    text
      .replace(`\nRef ${referenceWord(reference)}`, '')
      .replaceAll(/\n{2,}/g, ' | ')
      .replaceAll('\n', ' · '),
  account: ({ alerts }) => alerts[0]?.customerId ?? 'all accounts',
  rule: ({ alerts }) => alerts[0]?.rule ?? 'no rule',
  severity: ({ alerts }) => alerts[0]?.severity ?? 'info',
  decide: ({ alerts }) => {
    const code = alerts.find(({ proposalCode }) => proposalCode !== undefined)?.proposalCode;
    return code === undefined ? 'Nothing to decide' : waysToDecide(code, true);
  },
  link: ({ dashboardUrl }) => (dashboardUrl === undefined ? 'pacekeeper alerts list' : dashboardUrl + PAGES.inbox.path),
} as const satisfies Readonly<Record<string, (alert: OutgoingAlert) => string>>;

type Field = keyof typeof FIELDS;

const FIELD_NAMES = Object.keys(FIELDS) as Field[];

export const templateFields = () =>
  setting(
    z.array(z.enum(FIELD_NAMES)).min(1, 'at least one field'),
    `Values of the variables, in their order: ${listed(FIELD_NAMES.map((name) => `\`${name}\``))}`,
    { default: ['text'], without: '`[text]`' },
  );

export interface Template {
  readonly fields: readonly Field[];
}

/** By the kind of an alert. */
export type Templates<Own extends Template> = ReadonlyMap<string, Own>;

/** In UTF-16 units. WhatsApp allows 1,024 for a template with its variables. */
const LENGTH_MAX: Readonly<Partial<Record<Field, number>>> & { readonly other: number } = { text: 800, other: 150 };

/** Less than `LENGTH_MAX.text`, because line ends become separators. */
const WINDOW_TEXT_LENGTH_MAX = 600;

/** Undefined for settings without templates: free text is then sent at any time. */
export function replyWindow(
  templates: Templates<Template>,
  window: Pick<ReplyWindow, 'refusal' | 'openedAt'>,
): ReplyWindow | undefined {
  return templates.size === 0 ? undefined : { ...window, textLengthMax: WINDOW_TEXT_LENGTH_MAX };
}

/** `place` is the setting, such as `messages.templates`. Throws `ApiError`, so the next channel gets the message. */
export function templateFor<Own extends Template>(
  templates: Templates<Own>,
  place: string,
  { alerts }: OutgoingAlert,
): Own {
  const kind = alerts[0]?.kind ?? DEFAULT;
  const found = templates.get(kind) ?? templates.get(DEFAULT);
  if (found !== undefined) return found;
  throw new ApiError(
    `The message was not sent: the recipient has not written for 24 hours. ${place} has no template for ${kind}.`,
    {
      status: 'NO_TEMPLATE',
      outcome: 'not_processed',
      transient: false,
      nextStep: `Set ${place}.${kind} or ${place}.${DEFAULT}.`,
    },
  );
}

/**
 * The values of the variables. Services refuse an empty one, line ends, tabs and more than four spaces. The last one ends
 * with the reference, by which a look-up finds the message.
 */
export function variablesOf({ fields }: Template, alert: OutgoingAlert): string[] {
  const word = referenceWord(alert.reference);
  return fields.map((field, index) => {
    const end = index === fields.length - 1 ? ` ${word}` : '';
    return (shortLine(FIELDS[field](alert), (LENGTH_MAX[field] ?? LENGTH_MAX.other) - end.length) || '-') + end;
  });
}

/** For `pacekeeper doctor`. */
export function kindsOf(templates: Templates<Template>) {
  const missing = templates.has(DEFAULT) ? [] : KINDS.filter((kind) => !templates.has(kind));
  return { set: [...templates.keys()], missing };
}

import { checkAddress, checkUrl, type Env, missing } from './area-problems.ts';
import type { MessagesSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

/** Area C; undefined when nothing of it is set. Recipients may be named under `alerts` instead. */
export function readMessages(file: SettingsFile, env: Env, problems: string[]): MessagesSettings | undefined {
  const { messages } = file;
  const to =
    env('MESSAGES_TO')
      ?.split(',')
      .map((text) => text.trim())
      .filter(Boolean) ?? messages.to;
  const value = {
    MESSAGES_URL: env('MESSAGES_URL') ?? messages.url,
    MESSAGES_ACCOUNT_ID: env('MESSAGES_ACCOUNT_ID') ?? messages.account_id,
    MESSAGES_USERNAME: env('MESSAGES_USERNAME') ?? messages.username,
    MESSAGES_PASSWORD: env('MESSAGES_PASSWORD') ?? messages.password,
    MESSAGES_FROM: env('MESSAGES_FROM') ?? messages.from,
    MESSAGES_TO: to && to.length > 0 ? to.join(',') : undefined,
  };
  const present = Object.entries(value)
    .filter(([, text]) => text !== undefined)
    .map(([name]) => name);
  if (present.length === 0) return undefined;
  const elsewhere = Object.keys(file.alerts.recipients).length > 0 ? ['MESSAGES_TO'] : [];
  for (const [name, text] of Object.entries(value)) {
    if (text === undefined && !elsewhere.includes(name)) problems.push(missing(name, present));
  }
  const url = value.MESSAGES_URL === undefined ? undefined : checkUrl('MESSAGES_URL', value.MESSAGES_URL, problems);
  if (value.MESSAGES_FROM !== undefined) checkAddress('MESSAGES_FROM', value.MESSAGES_FROM, problems);
  for (const address of to ?? []) checkAddress('MESSAGES_TO', address, problems);
  const { MESSAGES_ACCOUNT_ID: accountId, MESSAGES_USERNAME: username } = value;
  const { MESSAGES_PASSWORD: password, MESSAGES_FROM: from } = value;
  if (!url || !accountId || !username || !password || !from) return undefined;
  return { url, accountId, username, password, from, to: to ?? [], media: messages.media ?? 'refuse' };
}

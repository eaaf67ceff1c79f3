import { cutText } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { REFUSED_FOR_NOW } from '../../services/http/classify-failure.ts';
import { retryAfterMs } from '../../services/http/retry.ts';
import { jsonObject, type OutgoingAlert } from '../channel.ts';
import { postJson, type Sending } from '../post-json.ts';
import type { PostedArea } from '../posted-channel.ts';

const CONTENT_LENGTH_MAX = 2_000;
/** Leaves room for a link and for escapes. */
const TEXT_LENGTH_MAX = 1_700;

export const sending: Sending<PostedArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  send: (alert, url, connection) =>
    postJson(connection, {
      url,
      service: 'Discord',
      body: discordMessage(alert),
      // Without `wait=true` in the address, the answer is empty.
      proof: /^$|"id":/,
      judge: (status, text) =>
        status === 429
          ? { ...REFUSED_FOR_NOW, retryAfterMs: retryAfterMs({ 'retry-after': secondsIn(text) }) }
          : undefined,
      renew: 'Make a new webhook in Discord, and set it in discord.webhooks (DISCORD_WEBHOOKS).',
    }),
};

function secondsIn(text: string): string {
  return String(jsonObject(parseJson(text)).retry_after);
}

/** An empty list of mentions keeps `@everyone` in a name from calling everyone. */
export function discordMessage({ text, dashboardUrl }: Pick<OutgoingAlert, 'text' | 'dashboardUrl'>): object {
  const link = dashboardUrl === undefined ? '' : `\n[Open pacekeeper](<${dashboardUrl}${PAGES.inbox.path}>)`;
  return { content: cutText(escaped(text), CONTENT_LENGTH_MAX - link.length) + link, allowed_mentions: { parse: [] } };
}

/** For links, mentions and hidden text. Other marks are harmless, because names have none. */
function escaped(text: string): string {
  return text.replace(/[\\|<[]/g, '\\$&');
}

import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert } from '../channel.ts';
import { postJson, type Sending } from '../post-json.ts';
import type { PostedArea } from '../posted-channel.ts';

/** Teams takes 28 KiB. A unit of text has at most three bytes, and a line about a hundred more. */
const TEXT_LENGTH_MAX = 3_500;
const LINES_MAX = 150;

/** Teams answers before the workflow runs, so success means accepted only. */
export const sending: Sending<PostedArea> = {
  textLengthMax: TEXT_LENGTH_MAX,
  send: (alert, url, connection) =>
    postJson(connection, {
      url,
      service: 'Teams',
      body: teamsMessage(alert),
      renew: 'Make a new workflow in Teams, and set its address in teams.webhooks (TEAMS_WEBHOOKS).',
    }),
};

/** Text runs have no Markdown, so nothing in a name can format the card. */
export function teamsMessage({ text, dashboardUrl }: Pick<OutgoingAlert, 'text' | 'dashboardUrl'>): object {
  const lines = text.split('\n');
  lines.push(lines.splice(LINES_MAX - 1).join(' '));
  const button = { type: 'Action.OpenUrl', title: 'Open pacekeeper', url: dashboardUrl + PAGES.inbox.path };
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: lines.flatMap((line, index) => (line === '' ? [] : cardLine(line, !lines[index - 1]))),
    actions: dashboardUrl === undefined ? [] : [button],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }],
  };
}

/** The first line of a paragraph is the finding. */
function cardLine(text: string, isFirst: boolean): object {
  return {
    type: 'RichTextBlock',
    spacing: isFirst ? 'Medium' : 'None',
    inlines: [{ type: 'TextRun', text, weight: isFirst ? 'Bolder' : 'Default' }],
  };
}

import { escapeHtml, firstLineOf, shortLine } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert } from '../channel.ts';

const SUBJECT_LENGTH_MAX = 120;

/** The finding, such as "Budget changed: Boots (+2 more)". */
export function subjectOf({ alerts, text }: Pick<OutgoingAlert, 'alerts' | 'text'>): string {
  const more = alerts.length > 1 ? ` (+${alerts.length - 1} more)` : '';
  return `${shortLine(firstLineOf(alerts[0]?.text ?? text), SUBJECT_LENGTH_MAX - more.length)}${more}`;
}

/**
 * In the head, where all common mail programs read it. Without it, the mail is still in order. Colours follow those of the
 * dashboard.
 */
const STYLE = `:root{color-scheme:light dark}
body{margin:0;background:#fff;color:#1c1f22}
main{max-width:640px;margin:0 auto;padding:24px 16px;font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:anywhere}
div{border-left:4px solid #7a7f85;padding:2px 0 2px 12px;margin:0 0 20px}
div.critical{border-color:#b3261e}
div.warning{border-color:#b26a00}
div.info{border-color:#1f6f5c}
strong{display:block;font-size:17px;margin:0 0 4px}
p{margin:0;color:#4a4f55}
a{display:inline-block;background:#1f6f5c;color:#fff;padding:10px 16px;border-radius:6px;text-decoration:none;font-weight:600}
@media (prefers-color-scheme:dark){body{background:#16191c;color:#e8eaec}p{color:#b4bac0}a{background:#8fd3c1;color:#10201c}}`;

/** The same words as the text, without pictures and script. A report has a page of its own instead of its text. */
export function mailPage({
  text,
  alerts,
  mail,
  dashboardUrl,
}: Pick<OutgoingAlert, 'text' | 'alerts' | 'mail' | 'dashboardUrl'>): string {
  const severityOf = new Map(alerts.map(({ text: own, severity }) => [firstLineOf(own), severity]));
  const report = mail && alerts[0]?.text;
  const said = report === undefined ? text : text.slice(0, Math.max(0, text.indexOf(report)));
  const blocks = said
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [first = '', ...rest] = block.split('\n');
      const lines = rest.map((line) => `<p>${escapeHtml(line)}</p>\n`).join('');
      return `<div class="${severityOf.get(first) ?? 'other'}"><strong>${escapeHtml(first)}</strong>\n${lines}</div>`;
    });
  const way =
    dashboardUrl === undefined ? '' : `<a href="${escapeHtml(dashboardUrl + PAGES.inbox.path)}">Open pacekeeper</a>\n`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>pacekeeper</title><style>${STYLE}</style></head>
<body><main>
${blocks.join('\n')}${mail?.html ?? ''}
${way}</main></body></html>
`;
}

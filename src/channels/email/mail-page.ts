import { referenceWord } from '../../domain/channel.ts';
import { escapeHtml, firstLineOf, outsideName, shortLine } from '../../domain/outside-text.ts';
import { PAGES } from '../../domain/pages.ts';
import type { OutgoingAlert } from '../channel.ts';

const SUBJECT_LENGTH_MAX = 120;
const ACCOUNT_LENGTH_MAX = 40;

/** The finding, such as "Thames Bicycle Works: Budget changed: Boots (+2 more)". The account only if it is the same for all. */
export function subjectOf({ alerts, text }: Pick<OutgoingAlert, 'alerts' | 'text'>): string {
  const [first, ...others] = alerts;
  const more = others.length > 0 ? ` (+${others.length} more)` : '';
  const account = others.every((one) => one.account === first?.account) ? first?.account : undefined;
  const where = account === undefined ? '' : `${outsideName(account, ACCOUNT_LENGTH_MAX)}: `;
  const finding = first?.kind === 'digest' ? digestFinding(first.text) : firstLineOf(first?.text ?? text);
  return `${where}${shortLine(finding, SUBJECT_LENGTH_MAX - more.length - where.length)}${more}`;
}

/** The headings of its parts, which begin with a number. */
function digestFinding(text: string): string {
  const [first = '', ...lines] = text.split('\n');
  const headings = lines.filter((line) => /^\d/.test(line)).map((line) => line.split(':')[0]);
  return headings.length === 0 ? first : headings.join(', ');
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
img{display:block;width:100%;height:auto;margin:0 0 20px;background:#fff;border-radius:6px}
a{display:inline-block;background:#1f6f5c;color:#fff;padding:10px 16px;border-radius:6px;text-decoration:none;font-weight:600}
@media (prefers-color-scheme:dark){body{background:#16191c;color:#e8eaec}p{color:#b4bac0}a{background:#8fd3c1;color:#10201c}}`;

/** The `Content-ID` of the picture: no other mail has it. */
export function pictureId({ reference }: Pick<OutgoingAlert, 'reference'>): string {
  return `month.${referenceWord(reference)}@pacekeeper`;
}

/** The same words as the text, without script. A report has a page of its own instead of its text. */
export function mailPage(alert: OutgoingAlert): string {
  const { text, alerts, mail, picture, dashboardUrl } = alert;
  const severityOf = new Map(alerts.map(({ text: own, severity }) => [firstLineOf(own), severity]));
  const report = mail && alerts[0]?.text;
  const said = report === undefined ? text : text.slice(0, Math.max(0, text.indexOf(report)));
  const blocks = said
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [first = '', ...rest] = block.split('\n');
      const lines = rest.map((line) => `<p>${lineHtml(line)}</p>\n`).join('');
      return `<div class="${severityOf.get(first) ?? 'other'}"><strong>${escapeHtml(first)}</strong>\n${lines}</div>`;
    });
  const month =
    picture?.png === undefined
      ? ''
      : `<img src="cid:${pictureId(alert)}" width="640" alt="${escapeHtml(picture.words)}">\n`;
  const way =
    dashboardUrl === undefined ? '' : `<a href="${escapeHtml(dashboardUrl + PAGES.inbox.path)}">Open pacekeeper</a>\n`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>pacekeeper</title><style>${STYLE}</style></head>
<body><main>
${blocks.join('\n')}${mail?.html ?? ''}
${month}${way}</main></body></html>
`;
}

/** Our own links stand after `Decide:`. Names of others have none. */
function lineHtml(line: string): string {
  const [, url] = /^Decide: (https?:\/\/\S+)/.exec(line) ?? [];
  if (url === undefined) return escapeHtml(line);
  return `<a href="${escapeHtml(url)}">Decide</a>${escapeHtml(line.slice('Decide: '.length + url.length))}`;
}

import { minuteText } from '../../domain/civil-date.ts';
import { type Frozen, frozenWords } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/outside-text.ts';
import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { RunProgress } from '../../storage/records/runs/run-history.ts';
import { document } from '../../views/html/document.ts';
import { type Html, html, trusted } from '../../views/html/html.ts';
import { SHELL_STYLE } from '../../views/html/shell-style.ts';
import { actWay } from '../inbox/acts.ts';
import { liveLine, liveRun } from '../live/live-run.ts';
import { type Kept, type ShellFacts, shell, shellFacts } from './shell.ts';

interface FrameOptions {
  readonly path: string;
  readonly title: string;
  /** Without it, the title is the heading. */
  readonly heading?: Html;
  /** Controls beside the heading. */
  readonly filter?: Html;
  /** Restrictions that links to other pages keep. */
  readonly kept?: Kept;
  readonly facts?: ShellFacts | undefined;
  readonly frozen?: Frozen | undefined;
  readonly run?: RunProgress | undefined;
  readonly body: Html;
  readonly isKnown?: boolean;
}

const TITLE_MAX = 55;

export function frame(options: FrameOptions): string {
  const { path, title, heading = title, filter, kept, facts, frozen, run, body, isKnown = true } = options;
  return document({
    title: `${shortLine(title, TITLE_MAX)} · pacekeeper`,
    // A form must send its origin, or the server refuses the form.
    head: html`<meta name="referrer" content="same-origin"><style>${trusted(SHELL_STYLE)}</style>`,
    ...(isKnown ? { shell: html`${shell(path, { facts, frozen, kept })}${liveLine(path, run)}` } : {}),
    hasScript: isKnown,
    body: html`${frozen && frozenNotice(path, frozen)}<div class="top"><h1>${heading}</h1>${filter}</div>
${body}`,
  });
}

export function frozenNotice(path: string, frozen: Frozen): Html {
  const way = frozen.isLiftable && html` ${actWay(path, { act: 'unfreeze', on: '' })}`;
  return html`<p class="notice serious"><strong>${frozenWords(frozen)}</strong>${way}</p>\n`;
}

export async function stateFrame(
  app: StateApp,
  options: Omit<FrameOptions, 'facts' | 'frozen' | 'run'>,
): Promise<string> {
  const [frozen, facts] = redactTexts([await standing(app), await shellFacts(app)] as const, app.settings);
  return frame({ ...options, frozen, facts, run: await liveRun(app) });
}

export function standing(app: StateApp): Promise<Frozen | undefined> {
  return killSwitch(app, app.settings.paths.data).standing(minuteText);
}

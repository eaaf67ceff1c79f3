import { minuteText } from '../../domain/civil-date.ts';
import { type Frozen, frozenWords } from '../../domain/frozen.ts';
import { shortLine } from '../../domain/outside-text.ts';
import { LOGOUT_PATH, linkFrom, PAGES } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { RunProgress } from '../../storage/records/runs/run-history.ts';
import { document } from '../../views/html/document.ts';
import { type Html, html, trusted } from '../../views/html/html.ts';
import { actWay } from '../inbox/acts.ts';
import { liveLine, liveRun } from '../live/live-run.ts';

const STATUS_STYLE = `.live{margin:.75rem 0;color:var(--muted);font-size:.92em;max-width:none}
.live:empty{margin:0}
.site nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:baseline;justify-content:space-between;border-bottom:1px solid var(--line);padding-bottom:.5rem}
.problem{border:1px solid var(--line);border-left:.3rem solid var(--bad);border-radius:.25rem;background:var(--raised);padding:.5rem .9rem;max-width:none}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:0 1rem}
.card{border:1px solid var(--line);border-radius:.4rem;padding:.25rem 1rem 1rem;margin:.5rem 0;min-width:0}
.effect{font-size:1.35rem;line-height:1.3;margin:.35rem 0;max-width:none}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.card h3{margin:.75rem 0 .25rem}
.card .line{margin:.25rem 0}
.card .ways{margin:.75rem 0 0}
.facts.short{grid-template-columns:max-content 1fr}
h1,h2,h3,dd,p,li{overflow-wrap:anywhere}
small{color:var(--muted)}
td time{white-space:nowrap}
.amount{white-space:nowrap}
.ways{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:baseline}
.button,.filter button{display:inline-block;font:inherit;color:var(--link);background:var(--raised);border:1px solid var(--line);border-radius:.4rem;padding:.35rem .8rem;text-decoration:none;cursor:pointer}
.button[aria-disabled]{color:var(--muted);cursor:not-allowed}
.button.primary{color:var(--paper);background:var(--link);border-color:var(--link);font-weight:600}
.act{display:grid;gap:.4rem;justify-items:start;max-width:40rem;margin:1rem 0}
.act input,.act select,.act textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--muted);border-radius:.3rem;padding:.4rem;max-width:100%}
.act input{width:100%}
.filter{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:end;margin:.75rem 0}
.filter label{display:grid;grid-template-columns:minmax(0,1fr);min-width:0;max-width:100%;gap:.15rem;color:var(--muted);font-size:.85rem;font-weight:400}
.filter input,.filter select{font:inherit;height:2.2rem;color:var(--ink);background:var(--paper);border:1px solid var(--muted);border-radius:.3rem;padding:.3rem;max-width:100%}
.ranges{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0}
.timeline{list-style:none;padding:0;max-width:none;border-left:2px solid var(--line);margin-left:.3rem}
.timeline>li{display:grid;grid-template-columns:6rem 1fr;gap:0 1rem;padding:.4rem 0 .4rem .9rem}
.timeline time{color:var(--muted);font-variant-numeric:tabular-nums}
.timeline p{margin:.1rem 0}
.act textarea{width:100%;min-width:0;resize:vertical}
.explore aside dl{font-size:.9rem;margin:.25rem 0 1rem}
.explore aside dd{margin:0 0 .4rem}
@media screen and (min-width:64rem){.explore{display:grid;grid-template-columns:minmax(0,1fr) 18rem;gap:0 2rem}.explore aside h2{border-top:0;margin-top:0}}
.output{overflow-x:auto;background:var(--raised);padding:.75rem;border-radius:.4rem;font-size:.85rem}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;max-width:none}
.calendar table{min-width:0}
.calendar th,.calendar td{padding:0;min-width:clamp(1.05rem,2.6vw,1.6rem);height:1.5rem;text-align:center;vertical-align:middle;border:1px solid var(--paper);font-size:.75rem}
.calendar th[scope=row]{min-width:4rem;text-align:left}
.calendar thead th{font-weight:400;color:var(--muted);padding:0}
.calendar thead th:first-child{padding:0;text-align:left}
.calendar caption{font-weight:400;color:var(--muted)}
.calendar .day,.legend .day{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-align:center;font-weight:600}
.legend .day{border:1px solid var(--line);display:inline-block;width:1.4rem;line-height:1.4rem}
.calendar .day.settled,.legend .day.settled{background:color-mix(in srgb,var(--good) 22%,var(--paper));color:var(--ink)}
.calendar .day.provisional,.legend .day.provisional{background:color-mix(in srgb,var(--warn) 30%,var(--paper));color:var(--ink)}
.calendar .day.missing,.legend .day.missing{background:color-mix(in srgb,var(--bad) 28%,var(--paper));color:var(--ink)}
.calendar .day.other_question,.legend .day.other_question{background:var(--raised);color:var(--ink)}`;

interface FrameOptions {
  readonly path: string;
  readonly title: string;
  readonly frozen?: Frozen | undefined;
  readonly run?: RunProgress | undefined;
  readonly body: Html;
  readonly isKnown?: boolean;
}

const TITLE_MAX = 55;

export function frame({ path, title, frozen, run, body, isKnown = true }: FrameOptions): string {
  return document({
    title: `${shortLine(title, TITLE_MAX)} · pacekeeper`,
    // A form must send its origin, or the server refuses the form.
    head: html`<meta name="referrer" content="same-origin"><style>${trusted(STATUS_STYLE)}</style>`,
    ...(isKnown ? { nav: navigation(path) } : {}),
    hasScript: isKnown,
    body: html`${frozen && frozenNotice(path, frozen)}${isKnown && liveLine(path, run)}${body}`,
  });
}

function frozenNotice(path: string, frozen: Frozen): Html {
  const way = frozen.isLiftable && html` ${actWay(path, { act: 'unfreeze', on: '' })}`;
  return html`<p class="notice serious"><strong>${frozenWords(frozen)}</strong>${way}</p>\n`;
}

function navigation(path: string): Html {
  const here = `/${path.split('/')[1] ?? ''}`;
  const links = Object.values(PAGES).map((page) => {
    if (!('title' in page)) return undefined;
    const current = page.path === here ? html` aria-current="page"` : undefined;
    return html`<li><a href="${linkFrom(path, page.path)}"${current}>${page.title}</a></li>`;
  });
  return html`<ul>${links}</ul>
<form method="post" action="${linkFrom(path, LOGOUT_PATH)}"><button type="submit">Log out</button></form>`;
}

export async function stateFrame(app: StateApp, options: Omit<FrameOptions, 'frozen' | 'run'>): Promise<string> {
  return frame({ ...options, frozen: redactTexts(await standing(app), app.settings), run: await liveRun(app) });
}

export function standing(app: StateApp): Promise<Frozen | undefined> {
  return killSwitch(app, app.settings.paths.data).standing(minuteText);
}

import { type Frozen, frozenLines } from '../../domain/frozen.ts';
import { foldingRules } from './folding.ts';
import { type Html, html, trusted } from './html.ts';

/** Colours as `#rrggbb`. */
export interface Theme {
  readonly paper: string;
  readonly raised: string;
  readonly ink: string;
  readonly muted: string;
  readonly link: string;
  readonly line: string;
  /** Never show a meaning only by colour. */
  readonly good: string;
  readonly warn: string;
  readonly bad: string;
  readonly c1: string;
  readonly c2: string;
  readonly c3: string;
  readonly c4: string;
}

/** The visitor's system chooses the theme. Printed pages have the light theme. */
export const THEMES: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    paper: '#ffffff',
    raised: '#f4f6f8',
    ink: '#1a1f26',
    muted: '#566070',
    link: '#0a58b8',
    line: '#d9dfe6',
    good: '#1a6b3c',
    warn: '#8a5200',
    bad: '#b3261e',
    c1: '#0b62c4',
    c2: '#b8590b',
    c3: '#5b6675',
    c4: '#7a3fb0',
  },
  dark: {
    paper: '#12161b',
    raised: '#1c222a',
    ink: '#e8ebef',
    muted: '#a7b0bc',
    link: '#7fb4ff',
    line: '#343d48',
    good: '#6fcf97',
    warn: '#f0b35a',
    bad: '#ff9088',
    c1: '#6aa9ff',
    c2: '#f0a35a',
    c3: '#98a3b1',
    c4: '#c79bf2',
  },
};

export function styleSheet(): string {
  return `:root{color-scheme:light;${variables(THEMES.light)}}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;${variables(THEMES.dark)}}}
${RULES}`;
}

function variables(theme: Theme): string {
  return Object.entries(theme)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}

const RULES = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,.site{max-width:120rem;margin:0 auto;padding:0 1rem}
main{padding-bottom:3rem}
h1{font-size:1.7rem;line-height:1.2;margin:1.5rem 0 .5rem}
h2{font-size:1.25rem;line-height:1.3;margin:1.75rem 0 .4rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.75rem 0 .5rem}
h4{font-size:1rem;margin:1.25rem 0 .25rem}
p,ul,ol,dl{margin:.5rem 0;max-width:72ch}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-200vw;top:0;padding:.5rem 1rem;background:var(--paper)}
.skip:focus{left:.5rem}
.site{padding-top:.75rem;padding-bottom:.75rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:0;padding:0;max-width:none}
nav a{display:inline-block;padding:.25rem 0}
nav [aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
.muted,.note{color:var(--muted)}
.note{font-size:.92em}
.good{color:var(--good)}
.warn{color:var(--warn)}
.bad{color:var(--bad)}
.good,.warn,.bad{font-weight:600}
.badge{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .55rem;font-size:.8rem;line-height:1.5;font-weight:600;white-space:nowrap;vertical-align:middle}
.badge.waits{color:var(--warn)}
.badge.plain{color:var(--muted)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem}
.facts dt{color:var(--muted)}
.facts dd{margin:0;overflow-wrap:anywhere}
.notice{border:1px solid var(--line);border-left:.3rem solid var(--warn);border-radius:.25rem;background:var(--raised);padding:.5rem .9rem;margin:1rem 0;max-width:none}
.notice.serious{border-left-color:var(--bad)}
.notice.calm{border-left-color:var(--good)}
.notice p{max-width:none}.notice p:first-child{margin-top:0}.notice p:last-child{margin-bottom:0}
.scroll{overflow-x:auto;margin:.5rem 0 1rem;max-width:100%;font-size:.92rem}
table{border-collapse:collapse;font-size:1em;min-width:min(100%,30rem)}
caption{text-align:left;font-weight:600;padding:.25rem 0;color:var(--ink)}
tr{border-bottom:1px solid var(--line)}
th,td{text-align:left;vertical-align:baseline;padding:.35rem .7rem .35rem 0;overflow-wrap:anywhere}
thead tr{background:var(--raised)}
thead th{font-weight:600;vertical-align:bottom;overflow-wrap:break-word}
thead th:first-child{padding-left:.5rem}
tbody th,tfoot th{font-weight:500;max-width:22rem;padding-left:.5rem}
td{max-width:34rem}
td:has(>.small){vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums}
td.number,.day{white-space:nowrap}
.wraps,.number .note{white-space:normal}
caption span{position:sticky;left:0;display:inline-block;max-width:calc(100vw - 2rem)}
tfoot tr{border-bottom:0;border-top:2px solid var(--line)}
tfoot th,tfoot td{font-weight:600}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1rem 1.5rem;margin:.5rem 0}
figure{margin:0;min-width:0}
figcaption{font-weight:600}
figure .note{margin:.1rem 0 .25rem}
figure svg{display:block;width:100%;height:auto;max-width:38rem}
figure svg.wide{max-width:90rem}
figure .narrow{display:none}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;padding:0;margin:.1rem 0 .25rem;font-size:.88em;max-width:none}
.key svg{display:inline-block;width:1.6rem;height:.7rem;margin-right:.35rem;vertical-align:-.02rem}
details{margin:.25rem 0}
summary{cursor:pointer;color:var(--link);width:fit-content;padding:.15rem 0}
details .scroll{max-height:24rem;overflow:auto}
.line{display:flex;flex-wrap:wrap;gap:0 1.25rem;list-style:none;padding:0;color:var(--muted);max-width:none}
.headline{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:.6rem;padding:0;list-style:none;max-width:none}
.headline li{background:var(--raised);border:1px solid var(--line);border-radius:.4rem;padding:.6rem .9rem}
.headline strong:nth-of-type(2){font-size:1.25em;white-space:nowrap}
.headline+.note,.line+.note{max-width:none}
.small{display:block;width:9.4rem;height:2.75rem}
.fold{border-top:1px solid var(--line);margin:0}
.fold summary{width:auto;padding:.6rem 0}
.fold h2{display:inline;font-size:1.05rem;border:0;margin:0;padding:0}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em;overflow-wrap:anywhere}
form{margin:.75rem 0}
label{display:block;font-weight:600}
input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--muted);border-radius:.3rem;padding:.4rem .6rem;width:min(100%,26rem)}
button{font:inherit;font-weight:600;color:var(--paper);background:var(--link);border:0;border-radius:.3rem;padding:.45rem 1rem;margin-top:.5rem;cursor:pointer}
nav button{background:none;color:var(--link);padding:.25rem 0;margin:0;font-weight:400;text-decoration:underline}
nav form{margin:0}
.none{color:var(--muted)}
@media screen and (min-width:64rem){.charts{grid-template-columns:repeat(auto-fit,minmax(29rem,1fr))}}
@media (max-width:40rem){
body{font-size:15px}
h1{font-size:1.4rem}
.facts{grid-template-columns:1fr}
.facts dd{margin-bottom:.4rem}
figure .wide{display:none}
figure .narrow{display:block}
}
.listing caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media screen and (max-width:37.5rem){
.rows,.rows tbody,.rows tfoot,.rows tr,.rows th,.rows td,.rows caption{display:block;min-width:0;max-width:none}
.rows thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.rows tr{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;overflow:hidden}
.rows tbody th,.rows tfoot th{max-width:none;background:var(--raised);padding:.4rem .6rem;font-weight:600;text-align:left}
.rows td,.rows tfoot td{display:flow-root;padding:.25rem .6rem;border:0;text-align:right;white-space:normal}
.rows td::before{content:attr(data-label);float:left;max-width:48%;margin-right:.75rem;color:var(--muted);text-align:left;font-weight:400}
.rows td.long{text-align:left}
.rows td.empty{height:0;padding:0;overflow:hidden}
.rows .number>br{display:none}
.rows .number>br+.note{display:inline-block;margin-left:.5em}
.rows td.long::before{float:none;display:block;max-width:none}
.rows .small{margin-left:auto}
.calendar .scroll{direction:rtl}
.calendar table{direction:ltr}
}
@media print{
@page{margin:14mm}
body{font-size:10pt}
main,.site{max-width:none;padding:0}
nav,.skip,details:not([open]){display:none}
h2,h3,h4,figcaption,caption{break-after:avoid}
figure,tr,.notice{break-inside:avoid}
thead{display:table-header-group}
tfoot{display:table-row-group}
.scroll{overflow:visible}
table{font-size:7.5pt}
th,td{padding:.25rem .4rem .25rem 0}
td{max-width:none}
.charts{grid-template-columns:1fr 1fr}
figure .wide{display:block}
figure .narrow{display:none}
a{color:inherit;text-decoration:none}
}`;

export interface PageDocument {
  readonly title: string;
  readonly description?: string;
  readonly nav?: Html;
  readonly head?: Html;
  readonly frozen?: Frozen | undefined;
  /** True for a page that loads scripts and data from its own server. */
  readonly hasScript?: boolean;
  readonly body: Html;
}

/** A page without inline scripts. The page's security policy blocks them even if a text was not escaped. */
export function document({ title, description, nav, head, frozen, hasScript = false, body }: PageDocument): string {
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}${hasScript && SCRIPT_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
${description !== undefined && html`<meta name="description" content="${description}">\n`}<link rel="icon" href="data:,">
<style>${trusted(`${styleSheet()}\n${foldingRules(body.markup)}`)}</style>
${head}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${nav !== undefined && html`<header class="site"><nav aria-label="Pages">${nav}</nav></header>\n`}<main id="content">
${frozenLines(frozen).map((line) => html`<p class="notice serious"><strong>${line}</strong></p>\n`)}${body}
</main>
</body>
</html>
`;
  return page.markup;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";

export const SCRIPT_POLICY = "; script-src 'self'; connect-src 'self'";

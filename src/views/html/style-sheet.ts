import { CHART_RULES } from './chart/chart-rules.ts';
import { tokenRules } from './tokens.ts';

/** The design language. Tokens have the values, these rules the components. A page is an answer, then its proof. */
export function styleSheet(): string {
  return `${tokenRules()}
${[BASE, TEXTS, SURFACES, ANSWER, EXPLORE, TABLES, CHART_RULES, FORMS, NARROW, PAPER].join('\n')}`;
}

const BASE = `*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:var(--s6)}
body{margin:0;background:var(--bg);color:var(--text);font:var(--t-m)/1.5 var(--font);font-variant-numeric:tabular-nums}
main{max-width:102.5rem;margin:0 auto;padding:0 var(--s6) var(--s6)}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure{margin:0;padding:0}
h1{font-size:var(--t-l);font-weight:600;line-height:1.4;margin:var(--s4) 0}
h2{font-size:var(--t-l);font-weight:600;line-height:1.4;margin:0 0 var(--s2)}
h3{font-size:var(--t-m);font-weight:600;margin:var(--s5) 0 var(--s2)}
h4{font-size:var(--t-m);font-weight:600;margin:var(--s4) 0 var(--s1)}
h1,h2,h3,dd,p,li{overflow-wrap:anywhere}
p,ul,ol,dl{max-width:96ch}
p,ul,ol,dl,pre{margin:var(--s2) 0}
li{margin-left:1.2em}
a{color:var(--accent);text-decoration-color:var(--accent-soft);text-underline-offset:2px}
a:hover{text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:var(--r1)}
.skip{position:absolute;left:-200vw;top:0;padding:var(--s2) var(--s4);background:var(--surface);z-index:9}
.skip:focus{left:var(--s2)}
code,pre,.code{font-family:var(--mono);font-size:.93em;overflow-wrap:anywhere}
small{font-size:var(--t-s);color:var(--text-3)}
time,.amount,.day{white-space:nowrap}`;

const TEXTS = `.muted,.note,.none{color:var(--text-3)}
.note{font-size:var(--t-s)}
.good{color:var(--green)}
.warn{color:var(--amber)}
.bad{color:var(--red)}
.good,.warn,.bad{font-weight:600}
.find{font-size:var(--t-xl);line-height:1.38;font-weight:500;letter-spacing:-.011em;max-width:62ch;text-wrap:pretty;margin:0 0 var(--s1)}
.find strong{font-weight:600}
.find .note{font-weight:400;letter-spacing:0}
.scope{color:var(--text-2);text-wrap:pretty;margin:0 0 var(--s4)}
.line{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 var(--s4);list-style:none;color:var(--text-3);font-size:var(--t-s);max-width:none}
.line li{margin:0}
.badge{display:inline-block;border-radius:99px;padding:1px var(--s2);font-size:var(--t-xs);line-height:18px;font-weight:500;white-space:nowrap;background:var(--sunken);color:var(--text-2)}
.badge.good{background:var(--green-bg);color:var(--green)}
.badge.waits{background:var(--amber-bg);color:var(--amber)}
.badge.bad{background:var(--red-bg);color:var(--red)}
.badge.acts{background:var(--accent-bg);color:var(--accent)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:var(--s1) var(--s4)}
.facts dt{color:var(--text-3)}
.facts dd{margin:0}
.figures{display:flex;flex-wrap:wrap;gap:var(--s3) var(--s6);margin:var(--s3) 0;max-width:none}
.figures dt{font-size:var(--t-s);color:var(--text-2)}
.figures dd{font-size:var(--t-xxl);font-weight:600;letter-spacing:-.02em;line-height:1.25}
.figures s{text-decoration:none;color:var(--text-3);font-weight:500}
.figures dd small{letter-spacing:0;font-weight:500}
.figures.card{margin:0 0 var(--s4);gap:var(--s3) var(--s6)}
.figures>div{min-width:0;max-width:24rem}
.figures dd{overflow-wrap:anywhere}
.figures dd a{color:inherit}
.figures .change{font-size:var(--t-s);font-weight:400;letter-spacing:0;color:var(--text-2)}`;

const SURFACES = `main section,.card{background:var(--surface);border:1px solid var(--line);border-radius:var(--r3);padding:14px var(--s4);margin:0 0 var(--s4);min-width:0}
main section section,main section .card{border:0;border-top:1px solid var(--line);border-radius:0;padding:var(--s3) 0;margin:0}
main section.plain{background:none;border:0;padding:0}
.head{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s3);align-items:baseline}
.head .right{margin-left:auto;color:var(--text-3);font-size:var(--t-s)}
.head h2,.head h3{margin:0}
.notice{background:var(--surface);border:1px solid var(--line);border-left:3px solid var(--amber);border-radius:var(--r2);padding:10px 14px;margin:0 0 var(--s4);max-width:none}
.notice.serious,.problem{border-left-color:var(--red)}
.notice.calm{border-left-color:var(--green)}
.notice p{max-width:none;margin:0}
.notice ul{margin-bottom:0}
.problem{background:var(--surface);border:1px solid var(--line);border-left:3px solid var(--red);border-radius:var(--r2);padding:var(--s2) 14px;max-width:none}
.todo,.events{list-style:none;max-width:none;margin:var(--s2) calc(-1*var(--s4)) -14px}
.todo li,.events li{margin:0;padding:11px var(--s4);border-top:1px solid var(--line)}
.todo strong{font-weight:500}
.todo .note{display:block}
.events li{display:grid;grid-template-columns:6rem minmax(0,1fr) auto;gap:2px var(--s4);align-items:start}
.events p{margin:0}
.events time{color:var(--text-3);font-size:var(--t-s);white-space:normal}
details{margin:var(--s1) 0}
summary{cursor:pointer;color:var(--accent);width:fit-content;padding:var(--s1) 0;font-size:var(--t-s)}
details .scroll{max-height:26rem;overflow:auto}
main section.fold{padding:0 var(--s4)}
.fold>details{margin:0}
.fold>details>summary{width:auto;padding:var(--s3) 0;color:var(--text)}
.fold[open]>summary,.fold>details[open]>summary{border-bottom:1px solid var(--line);margin-bottom:var(--s3)}
.fold h2{display:inline;margin:0}
.log{font:var(--t-xs)/1.55 var(--mono);background:var(--sunken);color:var(--text-2);padding:10px var(--s3);border-radius:var(--r2);overflow-wrap:anywhere}
.output{overflow-x:auto;background:var(--sunken);padding:var(--s3);border-radius:var(--r2);font-size:var(--t-s)}
.empty-state{text-align:center;padding:var(--s6) var(--s4);color:var(--text-2)}
.empty-state strong{display:block;color:var(--text);font-size:var(--t-l)}
.cards{display:grid;grid-template-columns:minmax(0,1fr);gap:var(--s4)}
main section .cards .card{border:1px solid var(--line);border-radius:var(--r2);padding:var(--s3) var(--s4)}
.ask .find{font-size:18px;margin:var(--s2) 0}
.asked{list-style:none;max-width:none;margin:var(--s2) 0}
.asked li{display:grid;grid-template-columns:minmax(10rem,1fr) minmax(14rem,1fr) auto;gap:var(--s1) var(--s4);align-items:center;margin:0;padding:var(--s2) 0;border-top:1px solid var(--line)}
.plan .asked li{grid-template-columns:auto minmax(9rem,1fr) minmax(12rem,1fr) auto}
.plan .asked .name:first-child{grid-column:1/3}
.choice,.step{display:flex;align-items:center;gap:var(--s2);justify-content:flex-end}
.choice{justify-content:flex-start}
.choice input{width:18px;min-height:18px;margin:0}
.step{font-weight:400}
.step input{width:7rem;text-align:right;font-variant-numeric:tabular-nums}
.effect strong{font-weight:600}
.effect{font-size:var(--t-l)}
.timeline{list-style:none;max-width:none}
.timeline>li{margin:0;display:grid;grid-template-columns:6rem 1fr;gap:0 var(--s4);padding:var(--s2) 0;border-top:1px solid var(--line)}
.timeline>li:first-child{border-top:0}
.timeline time{color:var(--text-3)}
.timeline p{margin:.1rem 0}`;

/** The answer, then its proof: a picture with what needs a person beside it. */
const ANSWER = `.answer{display:grid;grid-template-columns:minmax(0,1fr);gap:0 var(--s4)}
.course{display:flex;flex-direction:column}
.course figure{flex:1;display:flex;flex-direction:column}
.course .plot{flex:1;max-height:clamp(25rem,calc(100vh - 28rem),36rem);grid-template-rows:minmax(var(--plot),1fr) auto}
.course .plot .area{height:auto}
.answer>*,.answer>div>*{min-width:0}
@media screen and (min-width:62.5rem){.answer{grid-template-columns:minmax(0,1fr) 23rem}}
@media screen and (min-width:106rem){.answer{grid-template-columns:minmax(0,1fr) 26rem}}
@media screen and (max-width:62.49rem){.answer>div{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 var(--s4);align-items:start}}`;

const EXPLORE = `@media screen and (min-width:62.5rem){.explore{display:grid;grid-template-columns:minmax(0,1fr) 18rem;gap:0 var(--s4);align-items:start}}
.explore>*{min-width:0}
.explore .act{max-width:none;margin:0}
.explore details .act{max-width:40rem}
.explore .act p{margin:0}
.explore [role=status]:empty{display:none}
.questions{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:var(--s3)}
main .questions .card{border:1px solid var(--line);border-radius:var(--r2);padding:var(--s2) var(--s3)}
.questions h3,.questions p{margin:0}
.choose{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:end;margin:var(--s3) 0 0}
.choose label{display:grid;gap:2px;min-width:0;color:var(--text-2);font-size:var(--t-s);font-weight:400}
.saved{list-style:none}
.saved li{margin:0 0 var(--s2)}
.saved .note{display:block}
.explore aside dl{font-size:var(--t-s);margin:var(--s1) 0 var(--s4)}
.explore aside dd{margin:0 0 var(--s2)}`;

const TABLES = `.scroll{overflow-x:auto;margin:var(--s2) 0;max-width:100%}
table{border-collapse:collapse;min-width:min(100%,30rem)}
.rows{width:100%}
caption{text-align:left;font-size:var(--t-s);color:var(--text-3);padding:0 0 var(--s1)}
caption span{position:sticky;left:0;display:inline-block;max-width:calc(100vw - 2rem)}
tr{border-bottom:1px solid var(--line)}
tbody:last-child tr:last-child,tfoot tr:last-child{border-bottom:0}
th,td{text-align:left;vertical-align:baseline;padding:9px var(--s3) 9px 0;overflow-wrap:anywhere}
th:last-child,td:last-child{padding-right:0}
thead th{font-size:var(--t-xs);font-weight:500;color:var(--text-3);vertical-align:bottom;overflow-wrap:break-word;padding-top:var(--s1);padding-bottom:var(--s2)}
thead button{border:0;padding:0;min-height:0;background:none;color:inherit;font:inherit;text-align:inherit;white-space:inherit;display:inline;position:relative}
thead button::after{position:absolute;left:calc(100% + 2px);bottom:0}
thead .number button::after{left:auto;right:calc(100% + 2px)}
[aria-sort=ascending]>button::after{content:"↑" / ""}
[aria-sort=descending]>button::after{content:"↓" / ""}
[aria-sort]{color:var(--text)}
tbody th{font-weight:500;max-width:22rem}
@media screen and (min-width:37.51rem){
.rows tbody th,.rows tfoot th,.rows thead th:first-child{position:sticky;left:0;background:var(--surface)}
.rows tbody tr:hover th{background:color-mix(in srgb,var(--sunken) 55%,var(--surface))}
.tall{overflow:visible}
.tall :is(thead,tfoot){position:sticky;top:0;bottom:0;z-index:1;background:var(--surface);filter:drop-shadow(0 1px var(--line))}
.tall tfoot{filter:drop-shadow(0 -1px var(--line))}
}
tbody tr:hover{background:color-mix(in srgb,var(--sunken) 55%,transparent)}
td{max-width:34rem}
td:has(>.small){vertical-align:top}
td .note,th .note{font-size:var(--t-xs);font-weight:400;line-height:1.45}
.number{text-align:right}
td.number{white-space:nowrap}
.wraps,.number .note{white-space:normal}
tfoot tr{border-top:1px solid var(--line)}
tfoot th,tfoot td{font-weight:600}
.listing caption,.quiet{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:var(--s1) var(--s5);max-width:none}
.calendar table{min-width:0}
.calendar th,.calendar td{padding:0;min-width:clamp(.95rem,2.3vw,1.6rem);height:1.5rem;text-align:center;vertical-align:middle;border:1px solid var(--surface);font-size:var(--t-xs)}
.calendar th[scope=row]{min-width:4rem;text-align:left}
.calendar thead th:first-child{text-align:left}
.calendar .day,.legend .day{font-family:var(--mono);text-align:center;font-weight:600;background:var(--sunken)}
.legend .day{display:inline-block;width:1.4rem;line-height:1.4rem;border-radius:var(--r1)}
.calendar .settled,.legend .settled{background:var(--green-bg);color:var(--green)}
.calendar .provisional,.legend .provisional{background:var(--amber-bg);color:var(--amber)}
.calendar .missing,.legend .missing{background:var(--red-bg);color:var(--red)}`;

const FORMS = `form{margin:0}
label{font-weight:500}
input,select,textarea{font:inherit;color:var(--text);background:var(--surface);border:1px solid var(--line-2);border-radius:var(--r2);padding:5px 9px;min-height:34px;max-width:100%}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:var(--s2);min-height:34px;padding:4px 14px;border-radius:var(--r2);border:1px solid var(--line);background:var(--surface);color:var(--text);font:500 var(--t-s)/1.4 var(--font);text-decoration:none;cursor:pointer;white-space:nowrap}
button:hover,.button:hover{border-color:var(--line-2)}
.button.primary,button.primary,.act button[type=submit],.login button{background:var(--accent-solid);border-color:var(--accent-solid);color:var(--on-accent)}
.button[aria-disabled],button:disabled{color:var(--text-3);background:var(--sunken);border-style:dashed;cursor:not-allowed}
.ways{display:flex;flex-wrap:wrap;gap:var(--s2) var(--s3);align-items:center;max-width:none}
.act,.login{display:grid;gap:var(--s2);justify-items:start;max-width:40rem;margin:var(--s4) 0}
.act input,.act textarea,.login input{width:100%}
.act textarea{min-width:0;resize:vertical;font-family:var(--mono);font-size:var(--t-s)}
.act fieldset{display:flex;flex-wrap:wrap;gap:0 var(--s5);border:0;padding:0;margin:0}
.act fieldset label{display:flex;align-items:center;gap:var(--s2)}
.act [type=radio]{width:auto}`;

/** The step where the rows of a wide table become blocks is also in `folding`. */
const NARROW = `@media screen and (max-width:37.5rem){
main{padding:0 var(--s4) var(--s5)}
.find{font-size:19px}
.facts{grid-template-columns:1fr}
.facts dd{margin-bottom:var(--s2)}
.figures{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--s3)}
.figures dd{font-size:var(--t-xl)}
summary,button,.button,input,select{min-height:44px}
summary{display:flex;align-items:center}
summary::before{content:"▸";margin-right:6px}
details[open]>summary::before{content:"▾"}
.events li,.asked li{grid-template-columns:minmax(0,1fr)}
.plan .asked li{grid-template-columns:auto minmax(0,1fr)}
.plan .asked li>:nth-child(n+3){grid-column:1/-1}
.plan .asked .name:first-child~*{grid-column:1/-1}
.choice{min-height:44px}
.plan .step{justify-content:space-between}
.plan .ways{position:sticky;bottom:calc(56px + env(safe-area-inset-bottom));z-index:1;margin:0 calc(-1*var(--s4));padding:var(--s2) var(--s4);background:var(--surface);border-top:1px solid var(--line)}
.plan .ways button{flex:1 1 auto;padding:4px var(--s2)}
.timeline>li{grid-template-columns:1fr}
.rows,.rows tbody,.rows tfoot,.rows caption{display:block;min-width:0;max-width:none}
.rows thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.rows tr{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:6px var(--s4);padding:var(--s3) 0}
.rows th,.rows td,.rows tfoot td{display:block;max-width:none;min-width:0;padding:0;text-align:left;white-space:normal}
.rows th,.rows td.long{grid-column:1/-1}
.rows td::before{content:attr(data-label);display:block;color:var(--text-3);font-size:var(--t-xs);font-weight:400}
.rows td.empty{display:none}
.rows td time,.rows .day{white-space:normal}
.rows .small{width:100%;max-width:11rem}
.calendar .scroll{direction:rtl}
.calendar table{direction:ltr}
}`;

const PAPER = `@media print{
@page{margin:12mm;size:A4}
:root{--t-xs:6.5pt;--t-s:7.5pt;--t-m:8.5pt;--t-l:11pt;--t-xl:14pt}
body{background:var(--surface)}
main{max-width:none;padding:0}
nav,.skip,details:not([open]),.ways,.filter{display:none}
h2,h3,h4,figcaption,caption{break-after:avoid}
figure,tr,.notice,.card{break-inside:avoid}
main section{border:0;padding:0}
thead{display:table-header-group}
tfoot{display:table-row-group}
.scroll{overflow:visible}
th,td{padding:.2rem .4rem .2rem 0}
td{max-width:none}
.charts{grid-template-columns:1fr 1fr}
a{color:inherit;text-decoration:none}
}`;

/** So many series can be switched off. */
const SWITCHES = ['s0', 's1', 's2', 's3'];
const COLOURS = ['bar', 'chart-1', 'chart-2', 'chart-3', 'chart-4'];

/** Without `:has`, series stay on. The sizes of the plot are those of its figure, wherever the figure is. */
export const CHART_RULES = `.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:var(--s5);margin:var(--s2) 0}
figure{min-width:0;container-type:inline-size;--plot:230px}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 var(--s3);font-weight:600;overflow-wrap:anywhere}
figcaption small{font-weight:400}
figure .note{margin:.1rem 0 var(--s1)}
${COLOURS.map((name) => `.${name}{--own:var(--${name})}`).join('\n')}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:0 var(--s4);max-width:none;margin:var(--s1) 0;font-size:var(--t-xs);color:var(--text-2)}
.key li{margin:0;min-width:0}
.key label{display:flex;align-items:center;gap:6px;min-height:24px;font-weight:400;overflow-wrap:anywhere}
.key label{cursor:pointer}
.key input{appearance:none;flex:none;width:18px;height:0;min-height:0;margin:0;padding:0;border:0 solid var(--own);border-top-width:3px;border-radius:0}
.key .dashed{border-top-style:dashed}
.key .bars{width:10px;border-width:5px}
.key label:has(:not(:checked)){text-decoration:line-through;color:var(--text-3)}
.key :not(:checked){--own:var(--line-2)}
${SWITCHES.map((name) => `figure:has(.key .${name}:not(:checked)) .plot .${name}{display:none}`).join('\n')}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr) auto;margin:10px 0 var(--s1);font-size:11px;line-height:14px;color:var(--text-3);print-color-adjust:exact}
.plot .y{display:flex;flex-direction:column;justify-content:space-between;padding-right:var(--s2);text-align:right;line-height:0}
.plot .y span{height:0}
.plot .area{position:relative;height:var(--plot)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot .x{grid-column:2;position:relative;height:22px}
.plot .x span{position:absolute;top:6px;transform:translateX(-50%);white-space:nowrap}
.plot .ends{display:grid;align-items:start;padding-left:var(--s2);font-size:var(--t-xs)}
.plot .ends span{grid-area:1/1;position:relative;transform:translateY(-50%);color:var(--text-2);white-space:nowrap}
.plot .ends b,.plot .ends small{display:block;font-size:inherit;line-height:15px}
.plot .ends b{color:var(--text)}
.plot .tips{position:absolute;inset:0;display:flex}
.plot .tips p{display:flex;flex-basis:0;min-width:0;max-width:none;margin:0}
.plot i{flex:1 1 0;min-width:0;position:relative}
.plot i:hover{background:linear-gradient(var(--text-3),var(--text-3)) 50%/1px 100% no-repeat}
.plot :is(i:hover,.mark:hover,.mark:focus-visible)::after{content:attr(data-tip) attr(aria-label);position:absolute;z-index:5;top:0;left:calc(50% + 10px);width:max-content;max-width:12rem;max-width:44cqw;padding:5px 9px;border-radius:var(--r2);background:var(--text);color:var(--bg);font:var(--t-xs)/1.45 var(--font);white-space:pre-line;overflow-wrap:anywhere;text-align:left;pointer-events:none}
.plot :is(p+p i,.late)::after{left:auto!important;right:calc(50% + 10px)}
.plot .mark{position:absolute;z-index:2;display:grid;place-items:center;width:24px;height:24px;margin:-12px;border-radius:50%;text-decoration:none}
.plot .mark::before{content:"";width:6px;height:6px;border:3px solid var(--own);border-radius:50%;background:var(--surface)}
.plot .mark b{position:absolute;bottom:100%;padding:0 3px;border-radius:var(--r1);background:var(--surface);color:var(--own);font-weight:600;white-space:nowrap}
.plot .below b{bottom:auto;top:100%}
.small{display:block;width:84px;height:26px;overflow:visible}
tr:has(:target){background:var(--accent-bg)}
@container (max-width:26rem){
.plot .dense span:nth-child(even),.plot .ends small{display:none}
}
@media screen and (max-width:37.5rem){.key label{min-height:44px}}
@media print{.plot .tips{display:none}}`;

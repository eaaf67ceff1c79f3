/**
 * The shell of the dashboard is a column at the left. Below 1,320 px it is a bar on top. On a phone, its pages are a bar at
 * the bottom, so that the finding is on the first screen.
 */
export const SHELL_STYLE = `.shell{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s3);padding:var(--s2) var(--s5);border-bottom:1px solid var(--line);background:var(--surface)}
.brand{display:flex;align-items:center;gap:var(--s2);font-weight:600;font-size:15px}
.brand svg{width:20px;height:20px;flex:none}
.shell ul{list-style:none;margin:0;max-width:none}
.shell li{margin:0}
.shell nav{display:flex;flex-wrap:wrap;gap:1px}
.shell nav ul{display:flex;flex-wrap:wrap;gap:1px}
.shell nav a{display:flex;align-items:center;justify-content:space-between;gap:6px;padding:6px 9px;border-radius:var(--r2);color:var(--text-2);font-weight:500;text-decoration:none}
.shell nav a:hover{background:var(--sunken)}
.shell nav [aria-current]{background:var(--accent-bg);color:var(--accent)}
.count{font-size:var(--t-xs);font-weight:600;min-width:20px;text-align:center;padding:0 6px;border-radius:99px;background:var(--accent-solid);color:var(--on-accent);line-height:18px}
.more,.more-pages[popover]{display:contents}
.more-button{display:none}
.search input{width:11rem;padding-right:2rem}
.search{position:relative;margin-left:auto}
.search .quiet{right:0;bottom:0;padding:0;border:0;min-height:0}
.search kbd{position:absolute;right:8px;top:8px;pointer-events:none}
kbd{font:500 11px/16px var(--font);padding:0 5px;border:1px solid var(--line);border-radius:var(--r1);color:var(--text-3)}
.switch{position:relative;margin:0}
.switch summary{display:flex;align-items:center;gap:var(--s2);padding:0 10px;min-height:34px;border:1px solid var(--line);border-radius:var(--r2);color:var(--text);font-size:var(--t-s)}
.switch ul,.filter form{position:absolute;z-index:8;top:calc(100% + 4px);background:var(--surface);border:1px solid var(--line);border-radius:var(--r3);padding:var(--s2);box-shadow:0 6px 24px color-mix(in srgb,var(--text) 16%,transparent)}
.switch ul{left:0;width:17rem;max-height:60vh;overflow:auto}
.switch a{display:block;padding:6px 9px;border-radius:var(--r2);color:var(--text-2);text-decoration:none}
.switch a:hover{background:var(--sunken)}
.standing{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s3);font-size:var(--t-xs);color:var(--text-3)}
.standing,.switch{min-width:0;overflow-wrap:anywhere}
.standing .long{display:none}
.standing .state{color:var(--text-2)}
.standing .state.bad{color:var(--red)}
.shell .out button{border:0;background:none;padding:6px 9px;color:var(--text-3);min-height:0;font-size:var(--t-m);line-height:1.5}
.live{max-width:102.5rem;margin:var(--s2) auto 0;padding:0 var(--s6);color:var(--text-2);font-size:var(--t-s)}
.live:empty{margin:0}
.live button{min-height:0;padding:0 var(--s2)}
.sheet{width:min(42rem,calc(100vw - 2rem));max-height:calc(100vh - 4rem);padding:var(--s4);border:1px solid var(--line);border-radius:var(--r3);background:var(--surface);color:var(--text);box-shadow:0 12px 48px color-mix(in srgb,var(--text) 24%,transparent)}
.sheet::backdrop{background:color-mix(in srgb,var(--text) 30%,transparent)}
.sheet .top{min-height:0;padding:0 0 var(--s3)}
.sheet .card{border:0;padding:0;margin:0}
.sheet .back{display:none}
.sheet>.close{position:absolute;top:var(--s3);right:var(--s3)}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:var(--s1) var(--s4);min-height:60px;padding:var(--s2) 0}
.top h1{margin:0 auto 0 0;min-width:0}
.app main>.notice:first-child{margin-top:var(--s4)}
.top>.note,.top>.problem{flex-basis:100%;margin:0}
.filter{position:relative;margin:0}
.filter>summary,.steps a{display:inline-flex;align-items:center;min-height:34px;padding:0 var(--s3);border:1px solid var(--line);border-radius:var(--r2);background:var(--surface);color:var(--text);text-decoration:none;font-size:var(--t-s)}
.filter form{right:0;width:min(24rem,calc(100vw - 2rem));display:grid;grid-template-columns:1fr 1fr;gap:var(--s3);padding:var(--s4)}
.filter label{display:grid;gap:2px;color:var(--text-2);font-size:var(--t-s);min-width:0;font-weight:400}
.filter label.whole,.filter .ranges,.filter .ways{grid-column:1/-1}
.filter input,.filter select{width:100%}
.filter form:not(:has(option[value=range]:checked)) .compared{display:none}
.ranges{display:flex;flex-wrap:wrap;gap:var(--s1) var(--s4);list-style:none;margin:0}
.ranges li{margin:0}
.steps{display:flex;gap:var(--s1)}
.steps a{padding:0 10px}
@media (min-width:82.5rem){
.app{display:grid;grid-template-columns:14rem minmax(0,1fr);grid-template-rows:auto 1fr}
.app>.live,.app>main{grid-column:2;width:100%}
.shell{grid-row:1/3;position:sticky;top:0;height:100vh;overflow:visible;flex-direction:column;flex-wrap:nowrap;align-items:stretch;gap:var(--s2);padding:var(--s4) var(--s3);border:0;border-right:1px solid var(--line);background:var(--bg)}
.shell nav,.shell nav ul{flex-direction:column;flex-wrap:nowrap}
.brand{padding:0 10px var(--s1)}
.search{margin:0}
.search input{width:100%}
.switch summary{width:auto;justify-content:space-between;background:var(--surface)}
.standing{margin-top:auto;padding:var(--s3) 10px 0;border-top:1px solid var(--line);display:grid}
.standing .long{display:inline}
}
@media (max-width:43.7rem){
body.app{padding-bottom:72px}
.shell{padding:6px var(--s4);position:sticky;top:0;z-index:7;flex-wrap:nowrap}
.shell nav{position:fixed;inset:auto 0 0 0;display:grid;grid-template-columns:4fr 1fr;background:var(--surface);border-top:1px solid var(--line);z-index:8;padding-bottom:env(safe-area-inset-bottom)}
.shell nav>ul{display:grid;grid-template-columns:repeat(4,1fr)}
.shell nav a,.more-button{min-height:56px;justify-content:center;font:500 var(--t-xs)/1.2 var(--font);border-radius:0;padding:0}
.more-button{display:flex;border:0;color:var(--text-2)}
.more-pages[popover]:not(:popover-open){display:none}
.more-pages:popover-open{display:block;position:fixed;inset:auto 0 57px 0;width:auto;margin:0;padding:var(--s2) var(--s4);border:0;border-top:1px solid var(--line);background:var(--surface);color:var(--text)}
.more-pages ul{display:block}
.more-pages a{justify-content:space-between!important}
.brand{margin-right:auto}
.shell>.switch,.search kbd,.standing a{display:none}
.standing{text-align:right;max-width:8rem}
.more-pages .switch ul{position:static;width:auto;box-shadow:none;border:0;max-height:40vh}
.search{margin:0}
.search input{width:6.5rem;padding-right:9px}
.live{padding:0 var(--s4)}
.top{min-height:52px;flex-wrap:nowrap}
.top:has(>.note,>.problem){flex-wrap:wrap}
.filter>summary::before{content:none}
.steps{display:none}
}`;

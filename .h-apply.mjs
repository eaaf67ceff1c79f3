import ts from 'typescript';
import fs from 'node:fs';
import {execFileSync} from 'node:child_process';
const BASE='5cb9896a';
const lits=(f,text)=>{const s=ts.createSourceFile(f,text,ts.ScriptTarget.Latest,true);const out=[];
 const v=n=>{ if(ts.isStringLiteral(n)||ts.isNoSubstitutionTemplateLiteral(n)||ts.isTemplateExpression(n)) out.push({line:s.getLineAndCharacterOfPosition(n.getStart(s)).line+1,from:n.getStart(s),to:n.end,raw:n.getText(s),n}); ts.forEachChild(n,v);}; v(s);return {s,out};};
const names=(f,text)=>{const {s}=lits(f,text);const m=new Map();
 const v=n=>{ if(ts.isCallExpression(n)&&/^(it|describe|test)\b/.test(n.expression.getText(s))){const a=n.arguments[0];
  const put=x=>{const l=s.getLineAndCharacterOfPosition(x.getStart(s)).line+1; if(!m.has(l)) m.set(l,x.getText(s));};
  if(a&&(ts.isStringLiteralLike(a)||ts.isTemplateExpression(a))) put(a);
  else if(a&&ts.isArrayLiteralExpression(a)) for(const e of a.elements){ let k=e; const l=s.getLineAndCharacterOfPosition(e.getStart(s)).line+1; if(ts.isArrayLiteralExpression(e)) k=e.elements.find(x=>ts.isStringLiteralLike(x)||ts.isTemplateExpression(x)); if(k&&(ts.isStringLiteralLike(k)||ts.isTemplateExpression(k))&&!m.has(l)) m.set(l,k.getText(s)); } }
  ts.forEachChild(n,v);}; v(s); return m;};
let f; const edits={};
for(const l of fs.readFileSync(process.argv[2],'utf8').split('\n')){ if(l.startsWith('## ')){f=l.slice(3).trim();edits[f]=[];} else { const m=/^(\d+): (.*)$/.exec(l); if(m) edits[f].push([+m[1],m[2]]); else if(l.trim()) console.log('?? '+l);} }
let n=0;
for(const [f,list] of Object.entries(edits)){ const base=execFileSync('git',['show',BASE+':'+f],{encoding:'utf8'}); const bm=names(f,base); let cur=fs.readFileSync(f,'utf8'); const cl=lits(f,cur).out; const reps=[];
 for(const [line,neu] of list){ const raw=bm.get(line); if(!raw){console.log('!! no name',f,line,neu);continue;} const c=cl.filter(x=>x.raw===raw).sort((a,b)=>Math.abs(a.line-line)-Math.abs(b.line-line))[0]; if(!c){console.log('!! gone',f,line,raw);continue;}
  const q=raw[0]==='`'?'`':neu.includes("'")&&!neu.includes('"')?'"':"'"; const body=q==='`'?neu:neu.replaceAll('\\','\\\\').replaceAll(q,'\\'+q); reps.push([c.from,c.to,q+body+q]); }
 reps.sort((a,b)=>b[0]-a[0]); for(const [a,b,t] of reps) {cur=cur.slice(0,a)+t+cur.slice(b);n++;} fs.writeFileSync(f,cur); }
console.log('applied',n);

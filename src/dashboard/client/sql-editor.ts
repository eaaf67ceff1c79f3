import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, SQLite, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { formatDialect, postgresql, sqlite } from 'sql-formatter';

interface KnownTable {
  readonly self: Completion;
  readonly children: readonly Completion[];
}

/**
 * An editor in place of the text area, which stays in the form and has the same text. The page's policy allows its style
 * element, because pages have their styles in such elements. Tab leaves the editor, so it is no trap.
 */
export function editSql(): void {
  const field = document.querySelector<HTMLTextAreaElement>('textarea#sql');
  const form = field?.form;
  if (!field || !form) return;
  const isFile = field.dataset.engine === 'file';
  const dialect = isFile ? SQLite : PostgreSQL;
  const tables = knownTables();
  const run = (): boolean => {
    form.requestSubmit();
    return true;
  };
  const schema = Object.fromEntries([...tables].map(([name, { self, children }]) => [name, { self, children }]));
  const view = new EditorView({
    doc: field.value,
    extensions: [
      lineNumbers(),
      history(),
      bracketMatching(),
      sql({ dialect, schema, upperCaseKeywords: true }),
      dialect.language.data.of({ autocomplete: columnsOf(tables) }),
      autocompletion({ icons: false }),
      Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
      keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      syntaxHighlighting(COLOURS),
      LOOK,
      EditorView.lineWrapping,
      EditorState.tabSize.of(2),
      EditorView.contentAttributes.of({ 'aria-labelledby': 'sql-label', 'aria-describedby': 'sql-keys' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) field.value = state.doc.toString();
      }),
    ],
  });
  field.after(view.dom);
  field.hidden = true;
  // A hidden field that is empty would stop the form without words.
  field.required = false;
  document.querySelector('#sql-label')?.addEventListener('click', () => view.focus());
  offerFormat(view, form, isFile);
  markProblem(view);
}

/** The tables beside the query, with the meaning of each column. Names are only read as text. */
function knownTables(): ReadonlyMap<string, KnownTable> {
  const folds = [...document.querySelectorAll('#dictionary details')];
  return new Map(
    folds.map((fold) => {
      const label = textOf(fold.querySelector('summary code'));
      const children = [...fold.querySelectorAll('dt')].map((term) => ({
        label: textOf(term.querySelector('code')),
        type: 'property',
        detail: textOf(term.querySelector('small')),
        info: textOf(term.nextElementSibling),
      }));
      return [label, { self: { label, type: 'type', info: textOf(fold.querySelector('.about')) }, children }];
    }),
  );
}

const textOf = (element: Element | null): string => element?.textContent?.trim() ?? '';

/** The columns of the tables that the query names. After a dot, the dialect's own completion knows more. */
function columnsOf(tables: ReadonlyMap<string, KnownTable>) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\w.]*/);
    if (word === null || word.text.includes('.') || (word.text === '' && !context.explicit)) return null;
    const named = new Set(context.state.doc.toString().toLowerCase().match(/\w+/g));
    const columns = [...tables].flatMap(([name, { children }]) => (named.has(name) ? children : []));
    const byName = new Map(columns.map((column) => [column.label, { ...column, boost: 1 }]));
    return { from: word.from, options: [...byName.values()], validFor: /^\w*$/ };
  };
}

function offerFormat(view: EditorView, form: HTMLFormElement, isFile: boolean): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Format';
  const problem = document.createElement('p');
  problem.setAttribute('role', 'status');
  button.addEventListener('click', () => {
    const text = view.state.doc.toString();
    try {
      const dialect = isFile ? sqlite : postgresql;
      const insert = formatDialect(text, { dialect, keywordCase: 'upper', expressionWidth: 80 });
      view.dispatch({ changes: { from: 0, to: text.length, insert } });
      problem.textContent = '';
    } catch {
      problem.textContent = 'The query cannot be formatted. Run it to see its first error.';
    }
  });
  form.querySelector('[type=submit]')?.after(button);
  form.append(problem);
}

/** Marks the place of the error that the page names in words. */
function markProblem(view: EditorView): void {
  const problem = document.querySelector<HTMLElement>('[data-from]');
  if (problem === null) return;
  const most = view.state.doc.length;
  const from = Math.min(Number(problem.dataset.from), most);
  const to = Math.min(Number(problem.dataset.to), most);
  view.dispatch(setDiagnostics(view.state, [{ from, to, severity: 'error', message: textOf(problem) }]), {
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from),
  });
}

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--chart-4)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--green)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--amber)' },
  { tag: tags.standard(tags.name), color: 'var(--accent)' },
  { tag: tags.comment, color: 'var(--text-3)' },
]);

const LOOK = EditorView.theme({
  '&': {
    width: '100%',
    minWidth: '0',
    maxHeight: '60vh',
    border: '1px solid var(--line-2)',
    borderRadius: 'var(--r2)',
    background: 'var(--surface)',
    fontSize: 'var(--t-s)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', minHeight: '12em', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '12em' },
  '.cm-gutters': { background: 'var(--sunken)', color: 'var(--text-3)', borderRight: '1px solid var(--line)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--accent-bg)' },
  '.cm-tooltip': {
    background: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-2)',
    borderRadius: 'var(--r2)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxWidth: 'min(34rem,90vw)', margin: '0', fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { margin: '0', padding: '3px 8px', overflowWrap: 'normal' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-solid)', color: 'var(--on-accent)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '1' },
  '.cm-completionInfo': { maxWidth: '22rem', padding: '6px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--red)' },
});

/** One command of a script. */
export interface ScriptCommand {
  readonly words: readonly string[];
  /** The file that stdout goes to. */
  readonly into: string | undefined;
  /** The text of `<<'END'`. */
  readonly input: string | undefined;
}

const SEPARATORS = /^(?:\n|;|&&)/;
const WORD = /^(?:'[^']*'|"[^"$`\\]*"|[^\s'"`$&;|<>#()*?\\~]|(?<=\S)#)+/;

/**
 * The commands of a shell script as far as our pages use the language: words, quotes, comments, `&&`, `;`, `> file`,
 * `<<'END'` and a line that goes on. Throws on anything else: what a page shows has to be simple enough to be typed.
 */
export function parseScript(script: string): ScriptCommand[] {
  const commands: ScriptCommand[] = [];
  let [words, into, end]: [string[], string | undefined, string | undefined] = [[], undefined, undefined];
  let rest = script;
  const take = (pattern: RegExp): string | undefined => {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  const finish = (separator: string) => {
    let input: string | undefined;
    if (end !== undefined && separator === '\n') {
      const [before = '', ...after] = rest.split(`\n${end}\n`);
      if (after.length === 0) throw new Error(`Found no line "${end}" that ends what is written.`);
      input = `${before}\n`;
      rest = after.join(`\n${end}\n`);
    }
    if (words.length > 0) commands.push({ words, into, input });
    [words, into, end] = [[], undefined, undefined];
  };
  while (rest !== '') {
    if (take(/^(?:[ \t]|\\\n|#[^\n]*)+/) !== undefined) continue;
    const separator = take(SEPARATORS);
    if (separator !== undefined) {
      finish(separator);
      continue;
    }
    const target = take(/^> *[\w./-]+/);
    if (target !== undefined) {
      into = target.slice(1).trim();
      continue;
    }
    const heredoc = take(/^<<'\w+'/);
    if (heredoc !== undefined) {
      end = heredoc.slice(3, -1);
      continue;
    }
    const word = take(WORD);
    if (word === undefined) throw new Error(`Found ${JSON.stringify(rest.slice(0, 20))} where a word is expected.`);
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  finish('');
  return commands;
}

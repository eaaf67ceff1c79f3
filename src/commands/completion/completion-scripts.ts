import type { Command, Option } from 'commander';

/** The program or a command of it, by the words that call it. */
interface Place {
  readonly words: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
  readonly takesArguments: boolean;
}

export function placesOf(command: Command, before: readonly string[] = []): readonly Place[] {
  const words = [...before, command.name()];
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const place = {
    words: words.join(' '),
    commands,
    options: help.visibleOptions(command),
    takesArguments: command.registeredArguments.length > 0,
  };
  return [place, ...command.commands.flatMap((below) => placesOf(below, words))];
}

export const COMPLETIONS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

function bashScript(places: readonly Place[]): string {
  const words = ({ commands, options }: Place) => [...commands.map((one) => one.name()), ...options.map(dashed)];
  return `# shellcheck shell=bash
_pacekeeper() {
  local at=pacekeeper word words=() current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${followed(places)}
  done
  # Bash makes three words of --format=json.
  [ "$current" != = ] || current=
  [ "$before" != = ] || before="\${COMP_WORDS[COMP_CWORD - 2]}"
  case "$at $before" in
${values(places, (choices) => `words=(${choices})`, 'return')}
    *) case "$at" in
${places.map((place) => `      ${quoted(place.words)}) words=(${words(place).join(' ')}) ;;`).join('\n')}
      esac ;;
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "\${words[*]}" -- "$current")
}
# File names, if nothing of ours fits.
complete -o default -F _pacekeeper pacekeeper
`;
}

function zshScript(places: readonly Place[]): string {
  const described = (name: string, text: string) => quoted(`${name}:${text}`);
  const lists = places.map(({ words, commands, options }) => {
    const below = commands.map((one) => described(one.name(), one.summary() || one.description()));
    const dashes = options.map((option) => described(dashed(option), option.description));
    return `    ${quoted(words)}) commands=(${below.join(' ')}) options=(${dashes.join(' ')}) ;;`;
  });
  return `#compdef pacekeeper
_pacekeeper() {
  local at=pacekeeper word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
${followed(places)}
  done
  case "$at \${words[CURRENT-1]}" in
${values(places, (choices) => `compadd ${choices}; return`, '_files; return')}
  esac
  case "$at" in
${lists.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then _describe -o option options
  elif (( $#commands )); then _describe command commands
  else _files
  fi
}
if [ "$funcstack[1]" = _pacekeeper ]; then _pacekeeper "$@"; else compdef _pacekeeper pacekeeper; fi
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ words, commands, options, takesArguments }) => {
    const here = `complete -c pacekeeper -n ${inFish(`__pacekeeper_at ${words}`)}`;
    return [
      ...commands.map((one) => `${here} -a ${one.name()} -d ${inFish(one.summary() || one.description())}`),
      ...options.map((option) => {
        const short = option.short ? ` -s ${option.short.slice(1)}` : '';
        const value = option.argChoices ? ` -x -a ${inFish(option.argChoices.join(' '))}` : ' -r -F';
        const taken = takesValue(option) ? value : '';
        return `${here}${short} -l ${dashed(option).slice(2)}${taken} -d ${inFish(option.description)}`;
      }),
      ...(takesArguments ? [`${here} -F`] : []),
    ];
  });
  const below = places.slice(1).map(({ words }) => inFish(words));
  return `function __pacekeeper_at
  set -l at pacekeeper
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${below.join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
complete -c pacekeeper -f
${lines.join('\n')}
`;
}

/** Extends \`at\` while a word calls a command below it. */
function followed(places: readonly Place[]): string {
  const below = places.slice(1).map(({ words }) => quoted(words));
  return `    case "$at $word" in ${below.join('|')}) at="$at $word" ;; esac`;
}

/** The cases of options that take a value: one of their choices, or a value that only people know. */
function values(places: readonly Place[], ofChoices: (choices: string) => string, ofOthers: string): string {
  const cases = places.flatMap(({ words, options }) =>
    options.filter(takesValue).map((option) => {
      const then = option.argChoices ? ofChoices(option.argChoices.join(' ')) : ofOthers;
      return `    ${quoted(`${words} ${dashed(option)}`)}) ${then} ;;`;
    }),
  );
  return cases.join('\n');
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

const dashed = ({ long, short }: Option): string => long ?? short ?? '';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const inFish = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

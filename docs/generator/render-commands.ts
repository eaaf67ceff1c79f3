import { type Argument, Command, type Option } from 'commander';
import { COMMON, CUSTOMERS, FORMAT, PARAMETERS, QUERIES, WAIT } from '../../src/commands/cli/common-options.ts';
import { PERSON } from '../../src/commands/cli/person.ts';
import type { Process } from '../../src/commands/cli/process.ts';
import { addTakes, type Takes } from '../../src/commands/cli/takes.ts';
import { buildProgram } from '../../src/program.ts';
import { anchorOf, code, plain, renderTerms, type Term } from './markdown.ts';

/** Options that mean the same in many commands: described once, named in the sections. */
const SHARED = optionsOf({
  customer: CUSTOMERS,
  query: QUERIES,
  param: PARAMETERS,
  ...WAIT,
  ...PERSON,
  format: { ...FORMAT, isAlways: false, fallback: undefined },
});
const PATHS = optionsOf(COMMON);

/** The headings of the overview, each with its first command. Commands stay in the order of the help. */
const GROUPS: readonly (readonly [title: string, first: string])[] = [
  ['Read data', 'report'],
  ['Try rules', 'rules list'],
  ['Change budgets', 'budgets list'],
  ['Handle alerts', 'alerts list'],
  ['Protect data', 'audit verify'],
  ['Run unattended', 'schedule'],
  ['Ask services', 'accounts'],
  ['Use the sandbox', 'sandbox'],
  ['Set up and check', 'config show'],
];

/** The page docs/commands.md, from the commands as the program builds them. */
export function renderCommands(): string {
  const commands = leaves(buildProgram('0.0.0', UNUSED_PROCESS));
  return [
    INTRODUCTION,
    '## Overview',
    overview(commands),
    '## Shared options',
    `All commands except ${withoutPaths(commands)} take these:`,
    renderTerms(PATHS.map(optionTerm)),
    'Many commands also take some of these. Their sections name them after "Also":',
    renderTerms(SHARED.map(optionTerm).map(withFormats)),
    ...commands.map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

const withFormats = ([flags, meaning]: Term): Term => [
  flags,
  flags.includes('--format') ? `${meaning}; the first format in a section is its default` : meaning,
];

function overview(commands: readonly Command[]): string {
  const starts = GROUPS.map(([, first]) => commands.findIndex((command) => shortName(command) === first));
  if (starts[0] !== 0 || starts.some((start, at) => start <= (starts[at - 1] ?? -1))) {
    throw new Error('The overview of docs/commands.md names a first command that is not in this place of the help.');
  }
  const linkTo = (command: Command) => `[${shortName(command)}](#${anchorOf(nameOf(command))})`;
  return GROUPS.map(([title], at) => {
    return `- ${title}: ${commands
      .slice(starts[at], starts[at + 1])
      .map(linkTo)
      .join(', ')}`;
  }).join('\n');
}

function withoutPaths(commands: readonly Command[]): string {
  const names = commands.filter((command) => !command.options.some(isIn(PATHS))).map(shortName);
  return names
    .map(code)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');
}

/** Building the commands asks the process for nothing but the streams that their help goes to. */
const UNUSED_PROCESS: Process = {
  folder: '/',
  env: {},
  output: { stdout: { write: () => true }, stderr: { write: () => true }, noColor: true },
  userName: undefined,
  exit: () => undefined,
  readBeside: async () => ({ exitCode: null, text: '' }),
  runBeside: () => {
    throw new Error('Nothing runs while the documentation is written.');
  },
  onStop: () => undefined,
};

function optionsOf(takes: Takes): readonly Option[] {
  return addTakes(new Command(), takes).options;
}

/** An option of the same name with another meaning is the command's own. */
const isIn =
  (shared: readonly Option[]) =>
  ({ flags, description }: Option): boolean =>
    shared.some((one) => one.flags === flags && one.description === description);
const isShared = isIn([...SHARED, ...PATHS]);

/** The commands that do something, in the order of the help; one that also has commands below it comes before them. */
function leaves(command: Command): Command[] {
  const below = command.commands.flatMap(leaves);
  const doesSomething = command.parent !== null && (below.length === 0 || takesOptions(command));
  return doesSomething ? [command, ...below] : below;
}

const takesOptions = (command: Command): boolean => command.options.length > 0;

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

const shortName = (command: Command): string => nameOf(command).replace(/^pacekeeper /, '');

function section(command: Command): string {
  const own = command.options.filter((option) => !isShared(option) && !option.hidden);
  const inputs = command.registeredArguments.filter(({ description }) => description !== '');
  const { prose, examples } = afterHelp(command);
  return [
    `## ${nameOf(command)}`,
    plain(command.description()),
    command.registeredArguments.length === 0 ? '' : `Arguments: ${code(usage(command))}`,
    prose === '' ? '' : linked(plain(prose)),
    renderTerms([...inputs.map(argumentTerm), ...own.map(optionTerm)]),
    sharedLine(command),
    examples === '' ? '' : `\`\`\`sh\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The lists have the options, and commands below have sections. */
const usage = (command: Command): string => command.usage().replace(/\[(?:command|options)\] /g, '');

/** The help names pages by their paths. */
const linked = (prose: string): string => prose.replace(/\bdocs\/([\w-]+\.md)/g, '[$1]($1)');

const argumentTerm = (argument: Argument): Term => [code(argument.name()), plain(argument.description)];

function sharedLine(command: Command): string {
  const names = command.options.filter(isIn(SHARED)).map(({ long, mandatory, argChoices, defaultValue }) => {
    const fallback = String(defaultValue);
    const choices = argChoices && [fallback, ...argChoices.filter((choice) => choice !== fallback)];
    return `${code([long, choices?.join('|')].filter(Boolean).join(' '))}${mandatory ? ' (required)' : ''}`;
  });
  return names.length === 0 ? '' : `Also: ${names.join(', ')}`;
}

function optionTerm({ flags, description, mandatory, argChoices, defaultValue }: Option): Term {
  const isFormat = argChoices?.length && !isShared({ flags, description } as Option);
  const choices = isFormat ? `: ${argChoices.map(code).join(', ')}` : '';
  // A switch that is true by default is one that is written with --no-.
  const isNamed = description.includes('(default');
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !isNamed;
  const fallback = hasDefault ? ` (default: ${code(String(defaultValue))})` : '';
  return [code(flags), `${plain(description)}${choices}${fallback}${mandatory ? '; required' : ''}`];
}

/** What a command's help says below its options: a text, and the lines of its examples. */
function afterHelp(command: Command): { readonly prose: string; readonly examples: string } {
  let text = '';
  command.configureOutput({
    writeOut: (written) => {
      text += written;
    },
  });
  command.outputHelp();
  const [prose = '', examples = ''] = text.slice(command.helpInformation().length).split(/^Examples?:\n/m);
  return {
    prose: prose.trim(),
    examples: examples
      .split('\n')
      .map((line) => line.trim().replace(/^\$ /, ''))
      .filter((line, at, all) => line !== '' && !isObvious(line, command) && !isShown(line, all.slice(at + 1)))
      .join('\n'),
  };
}

/** The name alone, or with nothing but a format. Commands below have their own examples. */
const isObvious = (line: string, command: Command): boolean =>
  line.replace(/ --format \w+$/, '') === nameOf(command) ||
  command.commands.some((below) => `${line} `.startsWith(`${nameOf(below)} `));

/** A later example has the same and more. */
const isShown = (line: string, later: readonly string[]): boolean => later.some((one) => one.startsWith(`${line} `));

const INTRODUCTION = `# Commands

This page lists commands and options. \`pacekeeper COMMAND --help\` prints the same.

- In a clone, write \`npx pacekeeper COMMAND\`.
- Results go to stdout, logs and errors to stderr.
- [Exit codes](troubleshoot.md#exit-codes) are 0, 1 and 2.
- [output.md](output.md) describes the formats for programs.
- \`pacekeeper completion bash\`, \`zsh\` or \`fish\` prints a script that completes them in your shell.`;

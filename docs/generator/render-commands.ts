import { type Argument, Command, type Option } from 'commander';
import { COMMON as COMMON_OPTIONS } from '../../src/cli/common-options.ts';
import type { Process } from '../../src/cli/process.ts';
import { addTakes } from '../../src/cli/takes.ts';
import { buildProgram } from '../../src/program.ts';
import { anchorOf, code, plain, renderTable } from './markdown.ts';

/** The page docs/commands.md, from the commands as the program builds them. */
export function renderCommands(): string {
  const program = buildProgram('0.0.0', UNUSED_PROCESS);
  const commands = leaves(program);
  return [
    INTRODUCTION,
    '## All of them',
    renderTable(
      ['command', 'does'],
      commands.map((command) => [`[${code(nameOf(command))}](#${anchorOf(nameOf(command))})`, firstSentence(command)]),
    ),
    '## Options that most commands share',
    renderTable(['option', ''], COMMON.map(optionRow)),
    SHARED_NOTES,
    ...commands.map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Building the commands asks the process for nothing but the streams that their help goes to. */
const UNUSED_PROCESS: Process = {
  folder: '/',
  env: {},
  output: { stdout: { write: () => true }, stderr: { write: () => true }, noColor: true },
  userName: undefined,
  exit: () => undefined,
  runBeside: () => {
    throw new Error('Nothing runs while the documentation is written.');
  },
  onStop: () => undefined,
};

const COMMON = addTakes(new Command(), COMMON_OPTIONS).options;
const isCommon = ({ flags }: Option): boolean => COMMON.some((common) => common.flags === flags);

/** The commands that do something, in the order of the help; one that also has commands below it comes before them. */
function leaves(command: Command): Command[] {
  const below = command.commands.flatMap(leaves);
  const doesSomething = command.parent !== null && (below.length === 0 || takesOptions(command));
  return doesSomething ? [command, ...below] : below;
}

const takesOptions = (command: Command): boolean => command.options.length > 0;

const nameOf = (command: Command): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;

const firstSentence = (command: Command): string =>
  plain(/^.*?\.(?= |$)/s.exec(command.description())?.[0] ?? command.description());

function section(command: Command): string {
  const options = command.options.filter((option) => !isCommon(option) && !option.hidden);
  const shares = command.options.some(isCommon);
  const { prose, examples } = afterHelp(command);
  return [
    `## ${nameOf(command)}`,
    plain(command.description()),
    `\`\`\`text\n${usage(command)}\n\`\`\``,
    command.registeredArguments.some(({ description }) => description !== '')
      ? renderTable(['argument', ''], command.registeredArguments.map(argumentRow))
      : '',
    options.length > 0 ? renderTable(['option', ''], options.map(optionRow)) : '',
    shares ? `Also [the options that most commands share](#${anchorOf('Options that most commands share')}).` : '',
    prose === '' ? '' : plain(prose),
    examples === '' ? '' : `\`\`\`console\n${examples}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Without the word for the commands below, which have sections of their own. */
const usage = (command: Command): string => `${nameOf(command)} ${command.usage()}`.replace(' [command]', '').trimEnd();

const argumentRow = (argument: Argument): string[] => [code(argument.name()), plain(argument.description)];

function optionRow({ flags, description, mandatory, argChoices, defaultValue }: Option): string[] {
  const choices = argChoices?.length ? `: ${argChoices.map(code).join(', ')}` : '';
  // A switch that is true by default is one that is written with --no-.
  const isNamed = description.includes('(default');
  const hasDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean' && !isNamed;
  const fallback = hasDefault ? `; ${code(String(defaultValue))} unless told otherwise` : '';
  return [code(flags), `${plain(description)}${choices}${fallback}${mandatory ? '; needed' : ''}`];
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
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n'),
  };
}

const INTRODUCTION = `# Commands

This page is written from the commands themselves by \`npm run docs\`; a test compares the two. Every command prints the same with \`--help\`.

On a clone, write \`npx pacekeeper report\`, or \`npm run report -- --dry-run\` with options after the dashes. Exit codes: 0 done, 1 something
failed and the rest was done, 2 the input is wrong and nothing was done ([troubleshoot.md](troubleshoot.md#exit-codes)).`;

const SHARED_NOTES = `Listings print a table; \`--format json\`, \`csv\` and \`ndjson\` are for programs, with keys that stay ([output.md](output.md)). Results go to
stdout, everything else to stderr.`;

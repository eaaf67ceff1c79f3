import { CommanderError, Command as CommandOfTree } from 'commander';
import { accountsCommand } from './commands/accounts/accounts-command.ts';
import { adoptCommand } from './commands/adopt/adopt-command.ts';
import { agentsCommand } from './commands/agents/agents-command.ts';
import { alertsCommand } from './commands/alerts/alerts-command.ts';
import { auditCommand } from './commands/audit/audit-command.ts';
import { backupCommand, restoreCommand } from './commands/backup/backup-command.ts';
import { budgetsCommand } from './commands/budgets/budgets-command.ts';
import { catalogueCommand } from './commands/catalogue/catalogue-command.ts';
import { checkCommand } from './commands/check/check-command.ts';
import type { Command } from './commands/cli/command.ts';
import { COMMON, type CommonOptions } from './commands/cli/common-options.ts';
import type { Failed } from './commands/cli/last-net.ts';
import type { Process } from './commands/cli/process.ts';
import { optionsAdvice, refuseOptionsOfNpm, withStartersOutput } from './commands/cli/started-by.ts';
import { addTakes } from './commands/cli/takes.ts';
import { completionCommand } from './commands/completion/completion-command.ts';
import { configCommand } from './commands/config/config-command.ts';
import { containerCommand } from './commands/container/container-command.ts';
import { coverageCommand } from './commands/coverage/coverage-command.ts';
import { doctorCommand } from './commands/doctor/doctor-command.ts';
import { extractCommand } from './commands/extract/extract-command.ts';
import { fieldsCommand } from './commands/fields/fields-command.ts';
import { forgetCommand } from './commands/forget/forget-command.ts';
import { freezeCommand, unfreezeCommand } from './commands/freeze/freeze-command.ts';
import { graphCommand } from './commands/graph/graph-command.ts';
import { ideasCommand } from './commands/ideas/ideas-command.ts';
import { importCommand } from './commands/import/import-command.ts';
import { initCommand } from './commands/init/init-command.ts';
import { mcpCommand } from './commands/mcp/mcp-command.ts';
import { messagesCommand } from './commands/messages/messages-command.ts';
import { migrateStoreCommand } from './commands/migrate-store/migrate-store-command.ts';
import { pacingCommand } from './commands/pacing/pacing-command.ts';
import { publishCommand } from './commands/publish/publish-command.ts';
import { reportCommand } from './commands/report/report-command.ts';
import { rulesCommand } from './commands/rules/rules-command.ts';
import { sandboxCommand } from './commands/sandbox/sandbox-command.ts';
import { scheduleCommand } from './commands/schedule/schedule-command.ts';
import { serveCommand } from './commands/serve/serve-command.ts';
import { simulateCommand } from './commands/simulate/simulate-command.ts';
import { statusCommand } from './commands/status/status-command.ts';
import { tablesCommand } from './commands/tables/tables-command.ts';
import { testCommand } from './commands/test/test-command.ts';
import { warehouseCommand } from './commands/warehouse/warehouse-command.ts';
import { watchCommand } from './commands/watch/watch-command.ts';
import { workerCommand } from './commands/worker/worker-command.ts';

const COMMANDS: readonly Command[] = [
  reportCommand,
  extractCommand,
  coverageCommand,
  warehouseCommand,
  checkCommand,
  testCommand,
  fieldsCommand,
  catalogueCommand,
  tablesCommand,
  importCommand,
  rulesCommand,
  pacingCommand,
  simulateCommand,
  budgetsCommand,
  freezeCommand,
  unfreezeCommand,
  alertsCommand,
  watchCommand,
  auditCommand,
  forgetCommand,
  backupCommand,
  restoreCommand,
  adoptCommand,
  migrateStoreCommand,
  publishCommand,
  scheduleCommand,
  serveCommand,
  mcpCommand,
  agentsCommand,
  workerCommand,
  accountsCommand,
  ideasCommand,
  messagesCommand,
  graphCommand,
  containerCommand,
  sandboxCommand,
  configCommand,
  initCommand,
  statusCommand,
  doctorCommand,
  completionCommand(buildProgram),
];

export function buildProgram(
  version: string,
  process: Process,
  onRefused: (text: string) => void = () => undefined,
): CommandOfTree {
  const { stdout } = process.output;
  const program = new CommandOfTree('pacekeeper')
    .description('Reporting and budget automation for search advertising.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: onRefused,
      getOutHelpWidth: () => Math.min(stdout.columns ?? process.output.columns ?? 80, 100),
    })
    .showHelpAfterError(`next step: ${optionsAdvice(process)}`)
    .showSuggestionAfterError()
    .addHelpText('after', helpBelow({ examples: ['pacekeeper report --dry-run', 'pacekeeper report --help'] }));
  for (const command of COMMANDS) addCommand(program, 'pacekeeper', command, process);
  return program;
}

function addCommand(parent: CommandOfTree, parentName: string, command: Command, process: Process): void {
  const name = `${parentName} ${command.name}`;
  const added = parent.command(command.name).description(command.summary).addHelpText('after', helpBelow(command));
  if (command.load !== undefined) {
    if (command.settings !== 'none') addTakes(added, COMMON);
    addTakes(added, command.takes ?? {});
    added.action(async () => {
      const { runCommand } = await import('./commands/cli/run-command.ts');
      // A parent command parses shared options, so the options are merged.
      const options = { ...argumentsOf(added), ...added.optsWithGlobals() };
      process.exit(await runCommand(command, name, options, process));
    });
  }
  for (const below of command.commands ?? []) addCommand(added, name, below, process);
}

function argumentsOf({ registeredArguments, processedArgs }: CommandOfTree): Readonly<Record<string, unknown>> {
  return Object.fromEntries(registeredArguments.map((argument, index) => [argument.name(), processedArgs[index]]));
}

function helpBelow({ about, examples = [] }: Pick<Command, 'about' | 'examples'>): string {
  const before = about === undefined ? '' : `\n${about}\n`;
  return `${before}\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`;
}

/** Never throws. Prints errors to stderr and sets the exit code. */
export async function runProgram(args: readonly string[], version: string, given: Process): Promise<void> {
  const process = withStartersOutput(given);
  let failed: Failed = { name: undefined, options: {}, said: [], nextStep: optionsAdvice(process) };
  const program = buildProgram(version, process, (text) => {
    failed = { ...failed, said: [...failed.said, text] };
  });
  const tell = async (error: unknown): Promise<number> => {
    const { lastNet } = await import('./commands/cli/last-net.ts');
    return lastNet(error, failed, process);
  };
  process.onCrash?.(tell);
  program.hook('preAction', (_, command) => {
    failed = { ...failed, name: command.name(), options: command.optsWithGlobals<CommonOptions>() };
  });
  try {
    refuseOptionsOfNpm(program, args, process);
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    // Requested help must be fast, so the error path is not loaded.
    if (error instanceof CommanderError && error.exitCode === 0) return process.exit(0);
    process.exit(await tell(error));
  }
}

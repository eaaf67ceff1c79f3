import { Command, CommanderError } from 'commander';
import { addAccountsCommand } from './accounts/accounts-command.ts';
import { addAdoptCommand } from './adopt/adopt-command.ts';
import { addAlertsCommand } from './alerts/alerts-command.ts';
import { addAuditCommand } from './audit/audit-command.ts';
import { addBackupCommands } from './backup/backup-command.ts';
import { addBudgetsCommand } from './budgets/budgets-command.ts';
import { addCheckCommand } from './check/check-command.ts';
import type { CommonOptions } from './common-options.ts';
import { addConfigCommand } from './config/config-command.ts';
import { addContainerCommand } from './container/container-command.ts';
import { addCoverageCommand } from './coverage/coverage-command.ts';
import { addDoctorCommand } from './doctor/doctor-command.ts';
import { examples } from './examples.ts';
import { addExtractCommand } from './extract/extract-command.ts';
import { addFieldsCommand } from './fields/fields-command.ts';
import { addFreezeCommands } from './freeze/freeze-command.ts';
import { addGraphCommand } from './graph/graph-command.ts';
import { addIdeasCommand } from './ideas/ideas-command.ts';
import { addInitCommand } from './init/init-command.ts';
import type { Failed } from './last-net.ts';
import { addMessagesCommand } from './messages/messages-command.ts';
import { addPacingCommand } from './pacing/pacing-command.ts';
import type { Process } from './process.ts';
import { addPublishCommand } from './publish/publish-command.ts';
import { addReportCommand } from './report/report-command.ts';
import { addRulesCommand } from './rules/rules-command.ts';
import { addSandboxCommand } from './sandbox/sandbox-command.ts';
import { addScheduleCommand } from './schedule/schedule-command.ts';
import { addServeCommand } from './serve/serve-command.ts';
import { addSimulateCommand } from './simulate/simulate-command.ts';
import { withStartersOutput } from './started-by.ts';
import { addStatusCommand } from './status/status-command.ts';
import { addWarehouseCommand } from './warehouse/warehouse-command.ts';

/** Of a mistake in a command line. */
const NEXT_STEP = 'add --help to see what the command takes.';

/**
 * Every command of the program, with what it takes; nothing runs before one is parsed. What is wrong with a command line is
 * said to `onRefused`.
 */
export function buildProgram(
  version: string,
  process: Process,
  onRefused: (text: string) => void = () => undefined,
): Command {
  const { stdout } = process.output;
  const program = new Command('pacekeeper')
    .description('Reporting and budget automation for search advertising.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: onRefused,
      getOutHelpWidth: () => Math.min(stdout.columns ?? process.output.columns ?? 80, 100),
    })
    .showHelpAfterError(`next step: ${NEXT_STEP}`)
    .showSuggestionAfterError()
    .addHelpText('after', examples(['pacekeeper report --dry-run', 'pacekeeper report --help']));
  addReportCommand(program, process);
  addExtractCommand(program, process);
  addCoverageCommand(program, process);
  addWarehouseCommand(program, process);
  addCheckCommand(program, process);
  addFieldsCommand(program, process);
  addRulesCommand(program, process);
  addPacingCommand(program, process);
  addSimulateCommand(program, process);
  addBudgetsCommand(program, process);
  addFreezeCommands(program, process);
  addAlertsCommand(program, process);
  addAuditCommand(program, process);
  addBackupCommands(program, process);
  addAdoptCommand(program, process);
  addPublishCommand(program, process);
  addScheduleCommand(program, process);
  addServeCommand(program, process);
  addAccountsCommand(program, process);
  addIdeasCommand(program, process);
  addMessagesCommand(program, process);
  addGraphCommand(program, process);
  addContainerCommand(program, process);
  addSandboxCommand(program, process);
  addConfigCommand(program, process);
  addInitCommand(program, process);
  addStatusCommand(program, process);
  addDoctorCommand(program, process);
  return program;
}

/** Runs one command line. Never throws: every error is told on stderr and becomes an exit code. */
export async function runProgram(args: readonly string[], version: string, given: Process): Promise<void> {
  const process = withStartersOutput(given);
  let failed: Failed = { name: undefined, options: {}, said: [], nextStep: NEXT_STEP };
  const program = buildProgram(version, process, (text) => {
    failed = { ...failed, said: [...failed.said, text] };
  });
  const tell = async (error: unknown): Promise<number> => {
    const { lastNet } = await import('./last-net.ts');
    return lastNet(error, failed, process);
  };
  process.onCrash?.(tell);
  program.hook('preAction', (_, command) => {
    failed = { ...failed, name: command.name(), options: command.optsWithGlobals<CommonOptions>() };
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    // Help that was asked for, which is to come fast.
    if (error instanceof CommanderError && error.exitCode === 0) return process.exit(0);
    process.exit(await tell(error));
  }
}

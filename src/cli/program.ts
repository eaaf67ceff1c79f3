import { Command, CommanderError } from 'commander';
import { proxySecrets } from '../config/proxy-secrets.ts';
import { SECRET_NAMES } from '../config/secret-names.ts';
import { createRedact } from '../http/redact.ts';
import { addAccountsCommand } from './accounts/accounts-command.ts';
import { addAlertsCommand } from './alerts/alerts-command.ts';
import { addAuditCommand } from './audit/audit-command.ts';
import { addBudgetsCommand } from './budgets/budgets-command.ts';
import { addCheckCommand } from './check/check-command.ts';
import { addContainerCommand } from './container/container-command.ts';
import { addCoverageCommand } from './coverage/coverage-command.ts';
import { addExtractCommand } from './extract/extract-command.ts';
import { addFieldsCommand } from './fields/fields-command.ts';
import { addFreezeCommands } from './freeze/freeze-command.ts';
import { addGraphCommand } from './graph/graph-command.ts';
import { addIdeasCommand } from './ideas/ideas-command.ts';
import { addMessagesCommand } from './messages/messages-command.ts';
import { harmless } from './output.ts';
import { describeError, EXIT } from './print-error.ts';
import type { Process } from './process.ts';
import { addPublishCommand } from './publish/publish-command.ts';
import { addReportCommand } from './report/report-command.ts';
import { addRulesCommand } from './rules/rules-command.ts';
import { addSandboxCommand } from './sandbox/sandbox-command.ts';
import { addServeCommand } from './serve/serve-command.ts';
import { addWarehouseCommand } from './warehouse/warehouse-command.ts';

/** Runs one command line. Never throws: every error is told on stderr and becomes an exit code. */
export async function runProgram(args: readonly string[], version: string, process: Process): Promise<void> {
  const { stdout, stderr } = process.output;
  const program = new Command('pacekeeper')
    .description('Reporting and budget automation for search advertising.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => Math.min(stdout.columns ?? 100, 100),
    })
    .showHelpAfterError('next step: add --help to see what the command takes.')
    .showSuggestionAfterError();
  addReportCommand(program, process);
  addExtractCommand(program, process);
  addCoverageCommand(program, process);
  addWarehouseCommand(program, process);
  addCheckCommand(program, process);
  addFieldsCommand(program, process);
  addRulesCommand(program, process);
  addBudgetsCommand(program, process);
  addFreezeCommands(program, process);
  addAlertsCommand(program, process);
  addAuditCommand(program, process);
  addPublishCommand(program, process);
  addServeCommand(program, process);
  addAccountsCommand(program, process);
  addIdeasCommand(program, process);
  addMessagesCommand(program, process);
  addGraphCommand(program, process);
  addContainerCommand(program, process);
  addSandboxCommand(program, process);
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exit(error.exitCode === 0 ? EXIT.done : EXIT.badInput);
      return;
    }
    const { text, exitCode } = describeError(error);
    // The last net: what the rooms beneath throw is redacted where it comes from.
    const secrets = [
      ...SECRET_NAMES.flatMap((name) => process.env[name] ?? []),
      ...proxySecrets((name) => process.env[name]),
    ];
    stderr.write(`${harmless(createRedact(secrets)(text))}\n`);
    process.exit(exitCode);
  }
}

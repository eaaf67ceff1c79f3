import { type Command, InvalidArgumentError } from 'commander';
import { parseHead, type RecordHead } from '../../store/record-head.ts';
import { addCommonOptions, formatOption } from '../common-options.ts';
import { examples } from '../examples.ts';
import type { Process } from '../process.ts';
import type { VerifyCommandOptions } from './run-verify.ts';

export function addAuditCommand(program: Command, process: Process): void {
  const audit = program
    .command('audit')
    .description('Look after the record of who changed which budget, when and why.')
    .addHelpText('after', examples(['pacekeeper audit verify', 'pacekeeper audit verify --offline']));
  addCommonOptions(audit.command('verify'))
    .description('Prove that no entry of the record was altered, and that it explains the amounts of today.')
    .addHelpText('after', examples(['pacekeeper audit verify', 'pacekeeper audit verify --offline --format json']))
    .option('--offline', "compare with our own books only; do not ask the service for today's amounts")
    .option('--head <head>', 'a head that was kept elsewhere, such as 12:3f…: the record must hold it', headOption)
    .addOption(formatOption())
    .action(async (options: VerifyCommandOptions) => {
      const { runVerify } = await import('./run-verify.ts');
      process.exit(await runVerify(options, process));
    });
}

function headOption(text: string): RecordHead {
  const head = parseHead(text);
  if (head !== undefined) return head;
  throw new InvalidArgumentError('Expected ID:HASH as it was printed, with 64 hexadecimal digits.');
}

import { InvalidArgumentError } from 'commander';
import { parseHead, type RecordHead } from '../../storage/records/budgets/record-head.ts';
import { type Command, command } from '../cli/command.ts';
import { FORMAT } from '../cli/common-options.ts';
import { flag, optionOf, type Taken } from '../cli/takes.ts';

const VERIFY = {
  offline: flag("check the local record only; do not ask the service for today's amounts"),
  head: optionOf('<head>', 'ID:HASH that an earlier audit verify printed; the record must still contain it', readHead),
  format: FORMAT,
};
export type VerifyOptions = Taken<typeof VERIFY>;

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Verify the record of who changed which budget, when and why.',
  examples: ['pacekeeper audit verify', 'pacekeeper audit verify --offline'],
  commands: [
    command({
      name: 'verify',
      summary: "Check that the record of budget changes was not altered and matches today's budgets.",
      takes: VERIFY,
      examples: ['pacekeeper audit verify', 'pacekeeper audit verify --offline --format json'],
      opens: ({ offline }) => ({ what: offline ? 'state' : 'all', lock: true, readOnly: true }),
      load: async () => (await import('./run-verify.ts')).runVerify,
    }),
  ],
};

function readHead(text: string): RecordHead {
  const head = parseHead(text);
  if (head !== undefined) return head;
  throw new InvalidArgumentError('Expected ID:HASH as printed by audit verify, with 64 hexadecimal digits.');
}

import { command } from '../cli/command.ts';
import { FORMAT, WAIT } from '../cli/common-options.ts';
import { argument, type Taken } from '../cli/takes.ts';

const TAKES = {
  person: argument('phone number or another address, such as +4915112345678'),
  ...WAIT,
  format: FORMAT,
};
export type ForgetOptions = Taken<typeof TAKES>;

export const forgetCommand = command({
  name: 'forget',
  summary: "Remove a person's address and messages from the records. Alerts and decisions stay.",
  takes: TAKES,
  examples: ['pacekeeper forget +4915112345678', 'pacekeeper forget +4915112345678 --format json'],
  about: `First remove the address from the settings. Names of people who decided stay,
because the audit trail proves who changed a budget. Backups keep the address.`,
  opens: { what: 'state', lock: true },
  load: async () => (await import('./run-forget.ts')).runForget,
});

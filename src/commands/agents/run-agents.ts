import { agentCalls } from '../../storage/records/agent-call-table.ts';
import { AGENT_CALLS } from '../../views/agent-calls.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { AgentsOptions } from './agents-command.ts';

export async function runAgents(app: CommandApp<'state'>, { by: agent, limit, format }: AgentsOptions): Promise<void> {
  const calls = await app.open(({ state }) => agentCalls(state.db, { agent, limit }));
  app.output.stdout.write(listingIn(format, AGENT_CALLS, calls, app.output));
}

import { command } from '../cli/command.ts';
import { option, type Taken } from '../cli/takes.ts';

const TAKES = { agent: option('<name>', 'name of the agent for the record (default: local)') };
export type McpOptions = Taken<typeof TAKES>;

export const mcpCommand = command({
  name: 'mcp',
  summary: 'Let an agent read and suggest, through stdin and stdout.',
  takes: TAKES,
  examples: ['pacekeeper mcp', 'pacekeeper mcp --agent desk --config /srv/pacekeeper.yaml'],
  about: `The host of the agent starts this command (docs/agents.md). An agent can
suggest; it cannot spend.`,
  load: async () => (await import('./run-mcp.ts')).runMcp,
});

import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { packageVersion } from '../../config/package-root.ts';
import { agentServer } from '../../dashboard/agents/agent-server.ts';
import { pagesOfThisThread } from '../../dashboard/status/page-work.ts';
import { AGENT_NAME } from '../../domain/budget-change.ts';
import { InputError } from '../../domain/errors.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import type { CommandApp } from '../cli/command.ts';
import { type CommonOptions, pathArgs } from '../cli/common-options.ts';
import { exploreChildSource } from '../serve/explore-child-source.ts';
import type { McpOptions } from './mcp-command.ts';

/** The longest time of a command for an agent. */
export const COMMAND_MS = 120_000;

/** No message of a tool is near as long. */
const MESSAGE_BYTES_MAX = 1024 * 1024;

/** Serves one agent until it closes stdin. Only the protocol goes to stdout. */
export async function runMcp(app: CommandApp, options: McpOptions & CommonOptions): Promise<void> {
  const { settings, clock, log, takeStdio, readBeside, exploreProgram, onStop } = app;
  const { agent = 'local' } = options;
  if (!AGENT_NAME.test(agent)) {
    const nextStep = 'Use up to 40 letters, digits, dots, dashes or underscores.';
    throw new InputError(`Invalid name of an agent: "${agent}".`, { nextStep });
  }
  if (takeStdio === undefined) throw new InputError('No stdin and stdout for an agent.');
  const engine = await engineOf(settings);
  await engine.upgrade({ clock, log });
  const { input, output } = takeStdio();
  const explore = exploreProgram && exploreChildSource(exploreProgram, engine.explored);
  const source = pagesOfThisThread({ settings, clock });
  const runCommand = async (args: readonly string[]) =>
    redactTexts(await readBeside([...args, ...pathArgs(options)], COMMAND_MS), settings);
  const deps = { agent, settings, source, explore, runCommand, log, version: packageVersion() };
  const ended = new Promise<void>((resolve) => {
    input.once('close', resolve);
    input.once('end', resolve);
    onStop(resolve);
  });
  const served = serveStdio(() => agentServer(deps), {
    transport: new StdioServerTransport(input, output, { maxBufferSize: MESSAGE_BYTES_MAX }),
    onerror: ({ message }) => log.warn(`The agent sent what cannot be read: ${message}`),
  });
  await ended;
  explore?.close();
  await served.close();
  await source.close();
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../../domain/parse-json.ts';
import { type Found, REFUSED, type Refused, refusal } from './answer.ts';
import { READS, type Tool, type ToolDeps, tool } from './tool.ts';

type Row = Readonly<Record<string, unknown>>;

interface CommandTool<Input extends z.ZodObject>
  extends Pick<Tool<Input>, 'name' | 'title' | 'description' | 'input' | 'data'> {
  readonly hints?: Tool['hints'];
  /** One argument for each value, so that no value can become another option. */
  readonly args: (input: z.output<Input>) => readonly string[];
  /** Chooses what an agent sees of the command's JSON. */
  readonly see?: (data: Row) => Row;
}

/** A tool that is a command of pacekeeper, so that people and agents see the same. */
export function commandTool<Input extends z.ZodObject>({ args, see, ...told }: CommandTool<Input>): Tool {
  return tool<Input>({
    hints: READS,
    ...told,
    run: async (input, deps) => {
      const found = await commandAnswer(deps, args(input));
      return 'refused' in found || see === undefined ? found : { data: see(found.data) };
    },
  });
}

/** The JSON of one command. A list that stands alone is called `rows`. */
export async function commandAnswer(
  { runCommand }: Pick<ToolDeps, 'runCommand'>,
  args: readonly string[],
): Promise<Found | Refused> {
  const { exitCode, text, stdout = '' } = await runCommand([...args, '--format=json']);
  const found = parseJson(stdout);
  if (Array.isArray(found)) return { data: { rows: found } };
  if (typeof found === 'object' && found !== null)
    return 'refused' in found ? refusedIn(found.refused as Row) : { data: found as Row };
  if (exitCode === null) return refusal('STOPPED', 'The command took too long.', 'Ask for one account or fewer days.');
  const [, nextStep] = /^next step: (.*)$/m.exec(text) ?? [];
  // Errors of a file stand before the last line.
  const reason = text
    .replaceAll(/^(?:next step|warning): .*\n?/gm, '')
    .replace(/^error: /m, '')
    .trim();
  return refusal(exitCode === 2 ? 'BAD_INPUT' : 'FAILED', reason || 'The command gave no answer.', nextStep);
}

/** The command's JSON has null for what a refusal does not say. */
function refusedIn(refused: Row): Refused {
  const said = Object.entries(refused).filter(([, value]) => value !== null);
  return { refused: REFUSED.parse(Object.fromEntries(said)) };
}

interface OwnFile {
  readonly folder: string;
  readonly path: string;
}

/** Hands a text to a command that reads files. The folder is private to this call, and its name leaves the answer. */
export async function withFile(
  name: string,
  text: string,
  work: (file: OwnFile) => Promise<Found | Refused>,
): Promise<Found | Refused> {
  const folder = await mkdtemp(join(tmpdir(), 'pacekeeper-draft-'));
  try {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    const found = await work({ folder, path });
    return JSON.parse(JSON.stringify(found).replaceAll(`${folder}/`, '')) as Found | Refused;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

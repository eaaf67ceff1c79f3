import * as z from 'zod';
import type { GraphUserId } from '../../domain/ids.ts';
import { tellableName, tellableWord } from '../../http/tellable.ts';
import { type GraphConnection, graphIdText } from './graph-connection.ts';
import { readPages } from './read-pages.ts';

/** A page of the user. */
export interface PageToken {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly category: string | undefined;
  /** What the user may do there: MANAGE, MESSAGING, … */
  readonly tasks: readonly string[];
  /** Secret: for requests alone, never for a log, a report or a terminal. */
  readonly accessToken: string | undefined;
}

/** The specification does not show the fields of an element; these are the public interface's. */
const record = z.object({
  id: graphIdText.optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  category: z.string().optional().catch(undefined),
  tasks: z.array(z.string()).catch([]),
  access_token: z.string().optional().catch(undefined),
});

/**
 * The pages of a user with their tokens (requirement A3); an empty list is an answer, not a failure. Every token read is
 * kept out of every text from then on. Throws `ApiError`.
 */
export async function pageTokens(graph: GraphConnection, user: GraphUserId): Promise<PageToken[]> {
  const records = await readPages(graph, `${user}/accounts`, 'pages', record);
  const { redact } = graph;
  // All of them first: the name of one page may repeat the token of another.
  for (const { access_token: token } of records) if (token !== undefined) redact.learn(token);
  return records.map(({ id, name, category, tasks, access_token: accessToken }) => ({
    id,
    name: tellableName(name, redact),
    category: tellableName(category, redact),
    tasks: tasks.map((task) => tellableWord(task, redact)),
    accessToken,
  }));
}

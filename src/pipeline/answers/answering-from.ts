import { resolveSender } from '../../apis/graph/phone-numbers.ts';
import type { App } from '../../app.ts';
import { ApiError } from '../../domain/errors.ts';
import { businessAccountId, isGraphId } from '../../domain/ids.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { WaitingEvent } from '../../inbox/open-inbox.ts';

/**
 * The program as it answers a message of area A: where the settings name no sender it is the number that was written to. The
 * webhook names the account and the number as people see it, and the account's list turns them into the id that the send path
 * needs (requirement A6).
 */
export async function answeringFrom(app: App, event: WaitingEvent | undefined): Promise<App> {
  const { graph } = app;
  if (graph === undefined || graph.phoneNumberId !== undefined || event === undefined) return app;
  const { entry_id: account, metadata } = parseJson(event.payload) as {
    readonly entry_id?: unknown;
    readonly metadata?: { readonly display_phone_number?: unknown } | null;
  };
  const number = metadata?.display_phone_number;
  if (typeof account !== 'string' || !isGraphId(account)) return app;
  try {
    const shown = typeof number === 'string' ? number : undefined;
    const phoneNumberId = await resolveSender(graph, businessAccountId(account), shown);
    return { ...app, graph: { ...graph, phoneNumberId } };
  } catch (error) {
    // Delivery asks again, and says what to do when it cannot be told.
    if (error instanceof ApiError) return app;
    throw error;
  }
}

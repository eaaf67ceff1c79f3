import { diagnosePages } from '../../apis/graph/diagnose-pages.ts';
import type { GraphConnection } from '../../apis/graph/graph-connection.ts';
import { listPhoneNumbers } from '../../apis/graph/list-phone-numbers.ts';
import { pageTokens } from '../../apis/graph/page-tokens.ts';
import { permissions, revokePermissions } from '../../apis/graph/permissions.ts';
import { requireAccount, requireGraph, requireUser } from '../../jobs/require-graph.ts';
import { sendGraphText } from '../../jobs/send-graph-text.ts';
import { toJson } from '../../report/to-json.ts';
import { GRAPH_PAGE_TOKENS, GRAPH_PERMISSIONS, GRAPH_PHONE_NUMBERS } from '../../views/graph.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { listingIn } from '../show-listing.ts';
import type { DiagnoseOptions, ListOptions, RevokeOptions, SendOptions } from './graph-command.ts';
import { diagnosisJson, renderDiagnosis, renderSent, sentJson } from './render-graph.ts';

type GraphApp = CommandApp<'areas'>;

export async function runSend(app: GraphApp, { to, text, format }: SendOptions): Promise<void> {
  const sent = await withGraph(app, 'nothing can be sent', (graph) => sendGraphText(graph, { to, body: text }));
  tell(app, `${format === 'json' ? toJson(sentJson(sent, to)) : renderSent(sent, to)}\n`);
}

export async function runPhoneNumbers(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no numbers to list';
  const numbers = await withGraph(app, without, async (graph) =>
    listPhoneNumbers(graph, requireAccount(graph, without)),
  );
  tell(app, listingIn(format, GRAPH_PHONE_NUMBERS, numbers, app.output));
}

export async function runPageTokens(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no pages to list';
  const pages = await withGraph(app, without, async (graph) => pageTokens(graph, requireUser(graph, without)));
  tell(app, listingIn(format, GRAPH_PAGE_TOKENS, pages, app.output));
}

export async function runPermissions(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no permissions to list';
  const granted = await withGraph(app, without, async (graph) => permissions(graph, requireUser(graph, without)));
  tell(app, listingIn(format, GRAPH_PERMISSIONS, granted, app.output));
}

export async function runRevoke(app: GraphApp, { format }: RevokeOptions): Promise<void> {
  const without = 'there is nothing to take back';
  await withGraph(app, without, async (graph) => revokePermissions(graph, requireUser(graph, without)));
  tell(app, `${format === 'json' ? toJson({ revoked: true }) : REVOKED}\n`);
}

const REVOKED = 'The permissions were taken back. Grant them again and set GRAPH_ACCESS_TOKEN to the new token.';

export async function runDiagnosePages(app: GraphApp, options: DiagnoseOptions): Promise<void> {
  const { format, revoke = false } = options;
  const without = 'there is nothing to look into';
  const { diagnosis, revoked } = await withGraph(app, without, async (graph) => {
    const user = requireUser(graph, without);
    const found = await diagnosePages(graph, user);
    const isStep = revoke && found.kind === 'granted_without_pages';
    if (isStep) await revokePermissions(graph, user);
    return { diagnosis: found, revoked: isStep };
  });
  const text = renderDiagnosis(diagnosis, { revoke, revoked }, textLayout(app.output));
  tell(app, `${format === 'json' ? toJson(diagnosisJson(diagnosis, revoked)) : text}\n`);
}

function withGraph<Value>(
  app: GraphApp,
  without: string,
  ask: (graph: GraphConnection) => Promise<Value>,
): Promise<Value> {
  return app.open((areas) => ask(requireGraph(areas, without)));
}

/** The last net: what a service says of itself may hold what we sent. */
function tell({ output, redact }: GraphApp, text: string): void {
  output.stdout.write(redact(text));
}

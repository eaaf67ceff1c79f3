import { diagnosePages } from '../../apis/graph/diagnose-pages.ts';
import { listPhoneNumbers } from '../../apis/graph/list-phone-numbers.ts';
import { pageTokens } from '../../apis/graph/page-tokens.ts';
import { permissions, revokePermissions } from '../../apis/graph/permissions.ts';
import { requireAccount, requireGraph, requireUser } from '../../jobs/require-graph.ts';
import { sendGraphText } from '../../jobs/send-graph-text.ts';
import type { ListingName } from '../../report/listing-columns.ts';
import { toJson } from '../../report/to-json.ts';
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { type Listed, type ListingFormat, listingText } from '../print-listing.ts';
import type { DiagnoseOptions, ListOptions, RevokeOptions, SendOptions } from './graph-command.ts';
import {
  diagnosisJson,
  pagesJson,
  phoneNumbersJson,
  renderDiagnosis,
  renderPages,
  renderPermissions,
  renderPhoneNumbers,
  renderSent,
  sentJson,
} from './render-graph.ts';

type GraphApp = CommandApp<'areas'>;

export async function runSend(app: GraphApp, { to, text, format }: SendOptions): Promise<void> {
  const sent = await app.open((areas) => sendGraphText(requireGraph(areas, 'nothing can be sent'), { to, body: text }));
  tell(app, `${format === 'json' ? toJson(sentJson(sent, to)) : renderSent(sent, to)}\n`);
}

export async function runPhoneNumbers(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no numbers to list';
  const numbers = await app.open(async (areas) => {
    const graph = requireGraph(areas, without);
    return listPhoneNumbers(graph, requireAccount(graph, without));
  });
  tellListing(app, format, 'graph phone-numbers', {
    table: (layout) => renderPhoneNumbers(numbers, layout),
    json: () => toJson(phoneNumbersJson(numbers)),
    rows: () => phoneNumbersJson(numbers),
  });
}

export async function runPageTokens(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no pages to list';
  const pages = await app.open(async (areas) => {
    const graph = requireGraph(areas, without);
    return pageTokens(graph, requireUser(graph, without));
  });
  tellListing(app, format, 'graph page-tokens', {
    table: (layout) => renderPages(pages, layout),
    json: () => toJson(pagesJson(pages)),
    rows: () => pagesJson(pages),
  });
}

export async function runPermissions(app: GraphApp, { format }: ListOptions): Promise<void> {
  const without = 'there are no permissions to list';
  const granted = await app.open(async (areas) => {
    const graph = requireGraph(areas, without);
    return permissions(graph, requireUser(graph, without));
  });
  tellListing(app, format, 'graph permissions', {
    table: (layout) => renderPermissions(granted, layout),
    json: () => toJson(granted),
    rows: () => granted,
  });
}

export async function runRevoke(app: GraphApp, { format }: RevokeOptions): Promise<void> {
  const without = 'there is nothing to take back';
  await app.open(async (areas) => {
    const graph = requireGraph(areas, without);
    await revokePermissions(graph, requireUser(graph, without));
  });
  tell(app, `${format === 'json' ? toJson({ revoked: true }) : REVOKED}\n`);
}

const REVOKED = 'The permissions were taken back. Grant them again and set GRAPH_ACCESS_TOKEN to the new token.';

export async function runDiagnosePages(app: GraphApp, options: DiagnoseOptions): Promise<void> {
  const { format, revoke = false } = options;
  const without = 'there is nothing to look into';
  const { diagnosis, revoked } = await app.open(async (areas) => {
    const graph = requireGraph(areas, without);
    const user = requireUser(graph, without);
    const found = await diagnosePages(graph, user);
    const isStep = revoke && found.kind === 'granted_without_pages';
    if (isStep) await revokePermissions(graph, user);
    return { diagnosis: found, revoked: isStep };
  });
  const text = renderDiagnosis(diagnosis, { revoke, revoked }, textLayout(app.output));
  tell(app, `${format === 'json' ? toJson(diagnosisJson(diagnosis, revoked)) : text}\n`);
}

function tellListing(app: GraphApp, format: ListingFormat, name: ListingName, listed: Listed): void {
  tell(app, listingText(app.output, format, name, listed));
}

/** The last net: what a service says of itself may hold what we sent. */
function tell({ output, redact }: GraphApp, text: string): void {
  output.stdout.write(redact(text));
}

import type { GraphConnection } from '../../channels/graph/call-graph.ts';
import {
  diagnosePages,
  type PagesDiagnosis,
  type PageToken,
  type Permission,
  pageTokens,
  permissions,
  revokePermissions,
} from '../../channels/graph/diagnose-pages.ts';
import { listPhoneNumbers, type PhoneNumber, resolveSender } from '../../channels/graph/phone-numbers.ts';
import { sendText, TEXT_LENGTH_MAX } from '../../channels/graph/send-text.ts';
import { maskRecipient } from '../../domain/channel.ts';
import { InputError } from '../../domain/errors.ts';
import type { GraphUserId, PhoneNumberId } from '../../domain/ids.ts';
import { isPhoneNumber } from '../../domain/messaging-address.ts';
import { withLoggedRetries } from '../../services/http/retry.ts';
import { type Column, id, list, text } from '../../storage/columns/column.ts';
import { jsonObject } from '../../views/kit/json.ts';
import { type Listing, oneList } from '../../views/kit/listing.ts';
import { oneLine, type TextLayout, wrapText } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ListedOptions, ToldOptions } from '../cli/common-options.ts';
import { textLayout } from '../cli/output.ts';
import { jsonOrText, listingIn } from '../cli/print-listing.ts';
import { refuseLength } from '../messages/run-send.ts';
import type { DiagnoseOptions, SendOptions } from './graph-command.ts';

type GraphApp = CommandApp<'areas'>;

export async function runSend(app: GraphApp, { to, text, format }: SendOptions): Promise<void> {
  const { from, providerId } = await withGraph(app, 'nothing can be sent', (graph) => sendGraphText(graph, to, text));
  const recipient = maskRecipient(`+${to}`);
  const name = providerId === undefined ? '' : ` as ${oneLine(providerId)}`;
  const sentence = `The service accepted the text to ${recipient} from ${from}${name}. Delivery is not confirmed yet.`;
  tell(app, jsonOrText(format, { to: recipient, from, provider_id: providerId }, sentence));
}

export async function runPhoneNumbers(app: GraphApp, { format }: ListedOptions): Promise<void> {
  const without = 'no numbers can be listed';
  await tellList(app, format, GRAPH_PHONE_NUMBERS, without, (graph) =>
    listPhoneNumbers(graph, requireId(graph.businessAccountId, 'GRAPH_BUSINESS_ACCOUNT_ID', without)),
  );
}

export async function runPageTokens(app: GraphApp, { format }: ListedOptions): Promise<void> {
  const without = 'no pages can be listed';
  await tellList(app, format, GRAPH_PAGE_TOKENS, without, (graph) => pageTokens(graph, requireUser(graph, without)));
}

export async function runPermissions(app: GraphApp, { format }: ListedOptions): Promise<void> {
  const without = 'no permissions can be listed';
  await tellList(app, format, GRAPH_PERMISSIONS, without, (graph) => permissions(graph, requireUser(graph, without)));
}

async function tellList<Row>(
  app: GraphApp,
  format: ListedOptions['format'],
  listing: Listing<readonly Row[]>,
  without: string,
  ask: (graph: GraphConnection) => Promise<readonly Row[]>,
): Promise<void> {
  const rows = await withGraph(app, without, ask);
  app.output.stdout.write(listingIn(format, listing, rows, app.output, app.redact));
}

export async function runRevoke(app: GraphApp, { format }: ToldOptions): Promise<void> {
  const without = 'no permissions can be revoked';
  await withGraph(app, without, async (graph) => revokePermissions(graph, requireUser(graph, without)));
  tell(app, jsonOrText(format, { revoked: true }, REVOKED));
}

const REVOKED =
  "The permissions were revoked. The token neither lists nor sends any more. If pages were missing, deactivate the app's business features now. Then grant the permissions again and set GRAPH_ACCESS_TOKEN to the new token.";

export async function runDiagnosePages(app: GraphApp, options: DiagnoseOptions): Promise<void> {
  const { format, revoke = false } = options;
  const without = 'nothing can be diagnosed';
  const { diagnosis, revoked } = await withGraph(app, without, async (graph) => {
    const user = requireUser(graph, without);
    const found = await diagnosePages(graph, user);
    const isStep = revoke && found.kind === 'granted_without_pages';
    if (isStep) await revokePermissions(graph, user);
    return { diagnosis: found, revoked: isStep };
  });
  const text = renderDiagnosis(diagnosis, { revoke, revoked }, textLayout(app.output));
  tell(app, jsonOrText(format, diagnosisJson(diagnosis, revoked), text));
}

function withGraph<Value>(
  app: GraphApp,
  without: string,
  ask: (graph: GraphConnection) => Promise<Value>,
): Promise<Value> {
  return app.open(async ({ graph }) => {
    if (graph) return ask(graph);
    throw new InputError(`The graph interface is not configured, so ${without}.`, {
      nextStep: 'Set GRAPH_URL and GRAPH_ACCESS_TOKEN; docs/configuration.md lists them.',
    });
  });
}

/** Redacts once more, because an answer of the service can repeat a secret. */
function tell({ output, redact }: GraphApp, text: string): void {
  output.stdout.write(redact(text));
}

function renderDiagnosis(
  { kind, finding, steps }: PagesDiagnosis,
  { revoke, revoked }: { readonly revoke: boolean; readonly revoked: boolean },
  { width }: TextLayout,
): string {
  const numbered = steps.map((step, index) => `${index + 1}. ${revoked && index === 0 ? DONE : step}`);
  const idle = revoke && !revoked ? `Nothing was revoked: ${IDLE[kind]}.` : undefined;
  return [finding, idle, ...numbered]
    .filter((line) => line !== undefined)
    .map((line) => wrapText(line, width, '', line === finding ? '' : '   '))
    .join('\n');
}

const DONE = 'The permissions were revoked.';
const IDLE: Readonly<Record<PagesDiagnosis['kind'], string>> = {
  pages_there: 'nothing is wrong',
  not_granted: 'the permission is not granted',
  granted_without_pages: 'the attempt failed',
};

function diagnosisJson({ kind, finding, steps, ...found }: PagesDiagnosis, revoked: boolean): object {
  return {
    kind,
    finding,
    revoked,
    steps: revoked ? steps.slice(1) : steps,
    pages: found.pages.map((page) => jsonObject(PAGE_COLUMNS, page)),
    permissions: found.permissions,
  };
}

function requireUser({ userId }: GraphConnection, without: string): GraphUserId {
  return requireId(userId, 'GRAPH_USER_ID', without);
}

function requireId<Id>(id: Id | undefined, name: string, without: string): Id {
  if (id !== undefined) return id;
  throw new InputError(`${name} is not set, so ${without}.`, { nextStep: `Set ${name} to an id, digits only.` });
}

/** Throws `InputError` before sending. Retries only if the text was certainly not sent. */
async function sendGraphText(graph: GraphConnection, to: string, body: string) {
  refuseText(to, body);
  const from = await senderOf(graph);
  const { providerId } = await withLoggedRetries(graph, 'write', 'The text', () => sendText(graph, { from, to, body }));
  return { from, providerId };
}

function refuseText(to: string, body: string): void {
  if (!/^\d+$/.test(to) || !isPhoneNumber(`+${to}`)) {
    throw new InputError('Invalid recipient: expected a number in international form, digits only.', {
      nextStep: 'Write the country code and the number without a plus, spaces or leading zeros: 4915112345678.',
    });
  }
  refuseLength(body, TEXT_LENGTH_MAX);
}

/** The configured sender, or the account's only phone number (requirement A6). */
async function senderOf(graph: GraphConnection): Promise<PhoneNumberId> {
  if (graph.phoneNumberId !== undefined) return graph.phoneNumberId;
  if (graph.businessAccountId !== undefined) return resolveSender(graph, graph.businessAccountId);
  throw new InputError('Neither GRAPH_PHONE_NUMBER_ID nor GRAPH_BUSINESS_ACCOUNT_ID is set, so there is no sender.', {
    nextStep: 'Set GRAPH_PHONE_NUMBER_ID to the id of a sender, not to its number.',
  });
}

const PHONE_NUMBER_COLUMNS: readonly Column<PhoneNumber>[] = [
  id('id', 'The id for GRAPH_PHONE_NUMBER_ID.', 'id', { title: 'Id' }),
  text('display_phone_number', 'The number as people see it.', 'displayNumber', { title: 'Number' }),
  text('verified_name', 'The name that recipients see.', 'verifiedName', { title: 'Name', wraps: true }),
  text('quality_rating', 'The provider’s quality rating.', 'qualityRating', { title: 'Quality' }),
];

export const PAGE_COLUMNS: readonly Column<PageToken>[] = [
  id('id', 'The id of the page.', 'id', { title: 'Id' }),
  text('name', 'The name of the page.', 'name', { title: 'Name', wraps: true }),
  text('category', 'The category of the page.', 'category', { title: 'Category', wraps: true }),
  list('tasks', 'Tasks that the user may perform on the page.', 'tasks', { title: 'Tasks', wraps: true }),
  text(
    'token',
    'held if a token is available, otherwise none.',
    ({ accessToken }) => (accessToken === undefined ? 'none' : 'held'),
    {
      title: 'Token',
    },
  ),
];

const PERMISSION_COLUMNS: readonly Column<Permission>[] = [
  text('permission', 'The permission, such as pages_show_list.', 'permission', { title: 'Permission', wraps: true }),
  text('status', 'granted, declined or expired.', 'status', { title: 'Status' }),
];

export const GRAPH_PHONE_NUMBERS = oneList({
  name: 'graph phone-numbers',
  about: 'The numbers that the business account can send from.',
  evident: ['display_phone_number', 'verified_name', 'quality_rating'],
  none: 'The business account has no number.',
  columns: PHONE_NUMBER_COLUMNS,
});

export const GRAPH_PAGE_TOKENS = oneList({
  name: 'graph page-tokens',
  about: "The pages that the user's token reaches. No token is shown.",
  evident: ['name', 'category', 'tasks'],
  none: 'The token reaches no page. Run pacekeeper graph diagnose-pages to find out why.',
  columns: PAGE_COLUMNS,
});

export const GRAPH_PERMISSIONS = oneList({
  name: 'graph permissions',
  about: 'The permissions that the user granted to the app or declined.',
  evident: ['permission'],
  none: 'The user granted nothing.',
  columns: PERMISSION_COLUMNS,
});

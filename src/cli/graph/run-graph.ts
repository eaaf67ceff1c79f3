import { diagnosePages } from '../../apis/graph/diagnose-pages.ts';
import type { GraphConnection } from '../../apis/graph/graph-connection.ts';
import { listPhoneNumbers } from '../../apis/graph/list-phone-numbers.ts';
import { pageTokens } from '../../apis/graph/page-tokens.ts';
import { permissions, revokePermissions } from '../../apis/graph/permissions.ts';
import { unreachable } from '../../domain/errors.ts';
import { requireAccount, requireGraph, requireUser } from '../../jobs/require-graph.ts';
import { sendGraphText } from '../../jobs/send-graph-text.ts';
import type { ListingName } from '../../report/listing-columns.ts';
import type { TextLayout } from '../../report/text-layout.ts';
import { toJson } from '../../report/to-json.ts';
import { askService } from '../ask-service.ts';
import type { CommonOptions } from '../common-options.ts';
import { type Output, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';
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

export interface GraphCommandOptions extends CommonOptions {
  readonly format: ListingFormat;
}

export type GraphAction =
  | { readonly kind: 'send'; readonly to: string; readonly body: string }
  | { readonly kind: 'phone-numbers' | 'page-tokens' | 'permissions' | 'revoke' }
  | { readonly kind: 'diagnose-pages'; readonly revoke: boolean };

/** What was found, for people and for programs. Neither holds a token. */
interface Found {
  readonly text: (layout: TextLayout) => string;
  readonly json: unknown;
  /** Undefined for what is none. */
  readonly listing?: { readonly name: ListingName; readonly rows: readonly object[] };
}

/** The commands of the messaging interface. Answers with the exit code. */
export async function runGraph(action: GraphAction, options: GraphCommandOptions, process: Process): Promise<number> {
  return askService(options, process, async (areas) => {
    const graph = requireGraph(areas, WITHOUT[action.kind]);
    const shown = shownAs(options.format, await find(graph, action), process.output);
    // The last net: what a service says of itself may hold what we sent.
    process.output.stdout.write(graph.redact(shown));
    return EXIT.done;
  });
}

function shownAs(format: ListingFormat, { text, json, listing }: Found, output: Output): string {
  const forms = { table: (layout: TextLayout) => text(layout).trimEnd(), json: () => toJson(json) };
  if (listing) return listingText(output, format, listing.name, { ...forms, rows: () => listing.rows });
  return `${format === 'json' ? forms.json() : forms.table(textLayout(output))}\n`;
}

const WITHOUT: Readonly<Record<GraphAction['kind'], string>> = {
  send: 'nothing can be sent',
  'phone-numbers': 'there are no numbers to list',
  'page-tokens': 'there are no pages to list',
  permissions: 'there are no permissions to list',
  revoke: 'there is nothing to take back',
  'diagnose-pages': 'there is nothing to look into',
};

async function find(graph: GraphConnection, action: GraphAction): Promise<Found> {
  const without = WITHOUT[action.kind];
  switch (action.kind) {
    case 'send': {
      const sent = await sendGraphText(graph, action);
      return { text: () => renderSent(sent, action.to), json: sentJson(sent, action.to) };
    }
    case 'phone-numbers': {
      const numbers = await listPhoneNumbers(graph, requireAccount(graph, without));
      const rows = phoneNumbersJson(numbers);
      const listing = { name: 'graph phone-numbers', rows } as const;
      return { text: (layout) => renderPhoneNumbers(numbers, layout), json: rows, listing };
    }
    case 'page-tokens': {
      const pages = await pageTokens(graph, requireUser(graph, without));
      const rows = pagesJson(pages);
      return { text: (layout) => renderPages(pages, layout), json: rows, listing: { name: 'graph page-tokens', rows } };
    }
    case 'permissions': {
      const granted = await permissions(graph, requireUser(graph, without));
      const listing = { name: 'graph permissions', rows: granted } as const;
      return { text: (layout) => renderPermissions(granted, layout), json: granted, listing };
    }
    case 'revoke':
      await revokePermissions(graph, requireUser(graph, without));
      return { text: () => REVOKED, json: { revoked: true } };
    case 'diagnose-pages': {
      const user = requireUser(graph, without);
      const diagnosis = await diagnosePages(graph, user);
      const revoked = action.revoke && diagnosis.kind === 'granted_without_pages';
      if (revoked) await revokePermissions(graph, user);
      const asked = { revoke: action.revoke, revoked };
      return { text: (layout) => renderDiagnosis(diagnosis, asked, layout), json: diagnosisJson(diagnosis, revoked) };
    }
    default:
      return unreachable(action);
  }
}

const REVOKED = 'The permissions were taken back. Grant them again and set GRAPH_ACCESS_TOKEN to the new token.';

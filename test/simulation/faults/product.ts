import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseCatalogue } from '../../../src/config/load-catalogue.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { type Inputs, loadInputs, refuseErrors } from '../../../src/engine/load-inputs.ts';
import { openState } from '../../../src/storage/records/sqlite/open-state.ts';
import { CLIENT_SECRET, REFRESH_TOKEN } from './services/ads-service.ts';
import { MAIL_PASSWORD, MAIL_SERVER } from './services/mail-service.ts';
import { TEMPLATE } from './services/phone-service.ts';
import { PLAN_SHEET } from './services/plan-sheet.ts';
import { ALERTMANAGER_TOKEN, addressAt, routingKeyOf, WEBHOOK_SECRET } from './services/posted-service.ts';
import { fileOf, RULE_SHEETS } from './services/rule-sheets.ts';
import type { SeedStore } from './stores/seed-store.ts';
import { storeOnFiles } from './stores/store-on-files.ts';
import { storeOnPostgres } from './stores/store-on-postgres.ts';
import { BESIDE } from './story.ts';

/** What the product is given for every seed: settings as from files, queries and rules as checked, an empty store. */
export interface Product {
  readonly folder: string;
  /** With a token that is good for ever, and with one that is renewed. */
  readonly settings: { readonly fixed: Settings; readonly renewed: Settings };
  readonly inputs: Inputs;
  /** The same, whose query has one column more. */
  readonly widerInputs: Inputs;
  /** One of a seed's own, whose files go into the folder. */
  openStore(folder: string): Promise<SeedStore>;
  readonly secrets: readonly string[];
  remove(): void;
}

const QUERY = `SELECT campaign.id, campaign.name, ad_group_criterion.criterion_id, metrics.clicks, metrics.cost_micros, segments.date
FROM keyword_view WHERE segments.date DURING LAST_7_DAYS
`;

const WIDER_QUERY = QUERY.replace('metrics.clicks', 'metrics.impressions, metrics.clicks');

/** The files of the queries, for commands that read them themselves. */
export function putQuery(folder: string, isWider: boolean): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'stats.sql'), isWider ? WIDER_QUERY : QUERY);
}

const named = (value: (name: string) => string) => JSON.stringify({ anna: value('anna'), ben: value('ben') });
/** Each story leaves one of them, or none. */
const besideOf = (name: string) =>
  BESIDE.map((channel) => `${channel}: ${channel === 'email' ? `${name}@mail.${name}` : name}`).join(', ');

const SETTINGS = `automation: { mode: apply }
ads: { token_url: https://token.example/token, url: https://ads.example, retry: { attempts: 3, first_delay_ms: 1000, total_ms: 400000 } }
messages: { url: https://messages.example, from: "whatsapp:+15550100001", to: ["whatsapp:+4915112345678"], templates: { default: { content: ${TEMPLATE.content} } } }
graph: { url: https://graph.example, templates: { default: { name: ${TEMPLATE.name} } } }
email: { url: "smtp://${MAIL_SERVER.host}:${MAIL_SERVER.port}", from: pacekeeper@mail.example, username: pacekeeper }
slack: { webhooks: ${named((name) => addressAt('slack', name))} }
google_chat: { webhooks: ${named((name) => addressAt('google_chat', name))} }
webhook: { urls: ${named((name) => addressAt('webhook', name))} }
alertmanager: { url: https://posted.example/alertmanager }
pagerduty: { url: https://posted.example/pagerduty, routing_keys: ${named(routingKeyOf)} }
alerts:
  recipients:
    anna: { messages: "whatsapp:+4915112345678", graph: 4915112345678, ${besideOf('anna')}, quiet_hours: 22:00-07:00 }
    ben: { messages: "whatsapp:+15550100002", ${besideOf('ben')} }
  time_zone: Europe/Berlin
exchange_rates: [{ date: 2026-01-01, from: USD, to: EUR, rate: 0.${PLAN_SHEET.rateHundredths} }]
`;

const TOKENS = {
  fixed: { ADS_ACCESS_TOKEN: 'token-of-the-simulation' },
  renewed: { ADS_CLIENT_ID: 'client', ADS_CLIENT_SECRET: CLIENT_SECRET, ADS_REFRESH_TOKEN: REFRESH_TOKEN },
};

const SECRETS = {
  MESSAGES_PASSWORD: 'password-of-the-simulation',
  GRAPH_ACCESS_TOKEN: 'graph-token-of-the-simulation',
  EMAIL_PASSWORD: MAIL_PASSWORD,
  WEBHOOK_SECRETS: WEBHOOK_SECRET,
  ALERTMANAGER_TOKEN,
};

/** Made once for many seeds, on files or on copies of the database at this address. */
export async function prepareProduct(template?: string): Promise<Product> {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-faults-'));
  const [config, queries, rules] = ['pacekeeper.yaml', 'queries', 'rules'].map((name) => join(folder, name));
  if (!config || !queries || !rules) throw new Error('No paths.');
  writeFileSync(config, SETTINGS);
  mkdirSync(rules);
  for (const sheet of RULE_SHEETS) writeFileSync(join(rules, `${sheet.name}.yaml`), fileOf(sheet));
  const settingsWith = (tokens: Readonly<Record<string, string>>) =>
    readSettings(
      folder,
      { config, queries, rules, dataDir: join(folder, 'data') },
      {
        PACEKEEPER_TARGET: 'live',
        MESSAGES_ACCOUNT_ID: 'AC-simulation',
        MESSAGES_USERNAME: 'AC-simulation',
        GRAPH_PHONE_NUMBER_ID: '106540352242922',
        ...SECRETS,
        ...tokens,
      },
    );
  // What the published file says of fields is the spec's, which is read quickly.
  const fixed = withSpecification(await settingsWith(TOKENS.fixed));
  const renewed = withSpecification(await settingsWith(TOKENS.renewed));
  const context = { catalogue: chooseCatalogue(fixed).catalogue, parameters: fixed.params };
  const inputsOf = async (isWider: boolean) => {
    putQuery(queries, isWider);
    const inputs = await loadInputs({ ...fixed.paths, queries, rules }, () => context);
    refuseErrors(inputs);
    return inputs;
  };
  const inputs = await inputsOf(false);
  const widerInputs = await inputsOf(true);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return {
    folder,
    settings: { fixed, renewed },
    inputs,
    widerInputs,
    openStore: template === undefined ? await openingFiles(folder) : () => storeOnPostgres(template),
    remove,
    // Tokens that were given out have these words in them.
    secrets: [...Object.values(SECRETS), CLIENT_SECRET, REFRESH_TOKEN, 'token-of-the-simulation', '-of-the-simulation'],
  };
}

async function openingFiles(folder: string): Promise<Product['openStore']> {
  const state = await openState(join(folder, 'empty.sqlite'));
  const empty = state.connection.serialize();
  await state.close();
  return async (own) => storeOnFiles(own, empty);
}

function withSpecification(settings: Settings): Settings {
  return { ...settings, ads: { ...settings.ads, catalogue: 'spec' } };
}

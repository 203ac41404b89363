// Begins a consent: finds its app, which may have to be registered at the user's server, and the network's page.
import type { ConsentMethod, PublicClient } from '../../activities/platforms/platform.ts';
import { addApp, findAppFor, openApp, putApp } from '../../schema/database/accounts/apps.ts';
import { findProjectRow, getProjectRow } from '../../schema/database/projects.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { beginAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { keepFlow, type BegunConsent } from './flow.ts';
import { newState, platformOf, type Visit } from './session.ts';

/** Returns the address of the consent page. */
export async function beginConsent(
  context: Context,
  visit: Visit,
  method: ConsentMethod,
  given: Record<string, string>,
): Promise<string> {
  const { id, project_id: projectId } = visit.session;
  const { definition } = platformOf(context, visit.session);
  const state = newState('flow', id, visit.secret);
  const begun = await beginAtNetwork(projectId, method, given, async (inputs, signal) => {
    const callbackUrl = consentCallbackUrl(context, definition, { method, inputs });
    const wanted = { definition, method, inputs, callbackUrl };
    const app = await findConsentApp(context, projectId, wanted, signal);
    const { url, flow } = await method.begin({ state, callbackUrl, inputs, app }, signal);
    return { url, flow, inputs, appId: app?.id ?? null };
  });
  const { url, ...kept } = begun;
  await keepFlow(context, visit, { kind: 'consent', state, method, ...kept });
  return url;
}

/** A server that users name, at a network where each one knows Fanfare as another app. */
export interface CallbackServer {
  network: string;
  host: string;
}

/**
 * Each server that users name has its own. Otherwise a hostile server could send a user on to an honest one,
 * and get the code that the honest one answers with: RFC 9700, section 4.4.
 */
export function callbackUrlOf(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  server?: CallbackServer,
): string {
  const path = server ? `/${server.network}/${encodeURIComponent(server.host)}` : '';
  return `${publicUrl}/connect/callback${path}`;
}

/** The callback URL of a consent with these inputs. */
export function consentCallbackUrl(
  context: Context,
  { name }: PlatformEntry,
  { method: { registration }, inputs }: Pick<BegunConsent, 'method' | 'inputs'>,
): string {
  const server = registration && new URL(registration.serverOf(inputs));
  return callbackUrlOf(context, server && { network: name, host: server.host });
}

interface Wanted {
  definition: PlatformEntry;
  method: ConsentMethod;
  inputs: Record<string, string>;
  callbackUrl: string;
}

/**
 * Null: the network needs none. Call it outside any transaction. Each project has its own app at a server: a
 * server may give every login of an account with the same app the same token, and one project's disconnect
 * would revoke it for all. A replaced app stays for consents that have begun, until retention deletes it.
 */
export async function findConsentApp(
  context: Context,
  projectId: string,
  { definition, method, inputs, callbackUrl }: Wanted,
  signal: AbortSignal,
): Promise<App | null> {
  const { registration, publicClient } = method;
  if (publicClient) return findPublicClient(context, projectId, definition.name, publicClient);
  const { db, vault, config } = context;
  const { name: platform } = definition;
  if (registration) {
    const server = registration.serverOf(inputs);
    // A server sends users back only to the address that was registered, so another one needs another app.
    const wanted = { platform, instance: `${server} ${callbackUrl}` };
    const known = await findAppFor(db, projectId, vault, wanted);
    if (known && (await registration.isKnown(server, known, signal))) return known;
    const { name: productName } = await getProjectRow(db, projectId);
    const added = await registration.register(server, { productName, callbackUrl }, signal);
    return openApp(vault, await putApp(db, projectId, vault, { ...wanted, ...added }));
  }
  if (!definition.hasApp) return null;
  const operatorClientId = config.platforms[platform].clientId;
  const app = await findAppFor(db, projectId, vault, { platform, operatorClientId });
  if (app) return app;
  throw new AppError('conflict', `Logging in at ${definition.title} is not available here.`);
}

/** The document of a project's client at a network where servers look clients up. Null: there is none. */
export async function describeClient(
  context: Context,
  name: string,
  projectId: string,
): Promise<Record<string, unknown> | null> {
  const platform = [...context.platforms.values()].find((each) => each.definition.name === name);
  const client = platform?.connect.find((each) => each.kind === 'consent')?.publicClient;
  const project = await findProjectRow(context.db, projectId);
  if (!platform || !client || !project) return null;
  const app = await findPublicClient(context, projectId, platform.definition.name, client);
  return client.describe(app, { productName: project.name, callbackUrl: callbackUrlOf(context) });
}

/** One for each project. The first process to need it keeps it; the key of another one is never used. */
async function findPublicClient(
  context: Context,
  projectId: string,
  platform: PlatformName,
  client: PublicClient,
): Promise<App> {
  const { db, vault } = context;
  const callbackUrl = callbackUrlOf(context);
  const wanted = { platform, instance: callbackUrl };
  const known = await findAppFor(db, projectId, vault, wanted);
  if (known) return known;
  const created = await client.create(projectId, callbackUrl);
  await addApp(db, projectId, vault, { ...wanted, ...created });
  return (await findAppFor(db, projectId, vault, wanted))!;
}

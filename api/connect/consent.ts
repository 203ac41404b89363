// Begins a consent at a network: finds the app, which may have to be registered at the user's server, and sends the
// user to the network's page. `callback.ts` continues when they come back.
import type { ConsentMethod, PublicClient } from '../../activities/platforms/platform.ts';
import { readBegun } from '../../activities/platforms/platform-answer.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import { addApp, findAppFor, openApp, putApp } from '../../schema/database/accounts/apps.ts';
import { findProjectRow, getProjectRow } from '../../schema/database/projects.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { readId } from '../../schema/wire/ids.ts';
import { askNetwork, namingField, toConflict } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { PageError } from '../http/pages/texts.ts';
import { validate } from '../http/validation.ts';
import { findLoginApp } from './login-app.ts';
import { keepFlow, newState, platformOf, type BegunConsent, type Visit } from './session.ts';

/** Returns the address of the consent page. */
export async function beginConsent(
  context: Context,
  visit: Visit,
  method: ConsentMethod,
  given: Record<string, string>,
): Promise<string> {
  const { project_id: projectId } = visit.session;
  const { definition } = platformOf(context, visit.session);
  const inputs = method.inputs ? validate(method.inputs, given, { at: ['credentials'] }) : {};
  const callbackUrl = consentCallbackUrl(context, definition, { method, inputs });
  const state = newState('flow', visit);
  const { name: productName } = await getProjectRow(context.db, projectId);
  const { app, url, flow } = await askNetwork(
    projectId,
    async (signal) => {
      const consent = { definition, method, inputs, callbackUrl };
      const app = await findConsentApp(context, projectId, consent, signal);
      const request = { state, callbackUrl, productName, inputs, app };
      const begun = await method.begin(request, signal);
      return { app, ...readBegun(begun) };
    },
    method.inputs ? namingField(method.inputs, inputs) : toConflict,
  );
  const appId = app?.id ?? null;
  await keepFlow(context, visit, { kind: 'consent', state, method, appId, inputs, flow });
  return url;
}

/** A server that users name, at a network where Fanfare has a separate app for each server. */
export interface CallbackServer {
  network: string;
  host: string;
}

/**
 * Each server that users name has a callback URL of its own. Otherwise a hostile server could send a user on
 * to an honest server, and get the honest server's code: RFC 9700, section 4.4.
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

interface NewConsent {
  definition: PlatformEntry;
  method: ConsentMethod;
  inputs: Record<string, string>;
  callbackUrl: string;
}

/**
 * Null: the network needs no app. Call it outside any transaction. Each project has its own app at a server,
 * because a server may give every login of an account with the same app the same token. If projects shared an
 * app, the disconnect of one project would revoke the token for all. A replaced app stays for consents that
 * have begun, until retention deletes it.
 */
export async function findConsentApp(
  context: Context,
  projectId: string,
  { definition, method, inputs, callbackUrl }: NewConsent,
  signal: AbortSignal,
): Promise<App | null> {
  const { registration, publicClient } = method;
  if (publicClient) return findPublicClient(context, projectId, definition.name, publicClient);
  const { db, vault } = context;
  if (registration) {
    const server = registration.serverOf(inputs);
    // A server sends users back only to the registered callback URL, so another URL needs another app.
    const wanted = { platform: definition.name, instance: `${server} ${callbackUrl}` };
    const known = await findAppFor(db, projectId, vault, wanted);
    if (known && (await registration.isKnown(server, known, signal))) return known;
    const { name: productName } = await getProjectRow(db, projectId);
    const added = await registration.register(server, { productName, callbackUrl }, signal);
    return openApp(vault, await putApp(db, projectId, vault, { ...wanted, ...added }));
  }
  if (!definition.hasApp) return null;
  const app = await findLoginApp(context, projectId, definition, method);
  if (app) return app;
  const { title = definition.title } = method;
  throw new PageError('conflict', ({ connect }) => connect.failures.noApp(title));
}

/**
 * Finds or makes the project's app. The first process that needs the app stores it, and all processes use
 * that app.
 */
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

/**
 * The metadata document of a project's client, at a network whose servers look clients up. Null: the network
 * or the project is unknown, or the network can't use the URL of this installation.
 */
export async function describeClient(
  context: Context,
  name: string,
  projectId: string,
): Promise<Record<string, unknown> | null> {
  const platform = context.platforms.get(name as PlatformName);
  const client = platform?.connect.find((each) => each.kind === 'consent')?.publicClient;
  const project = readId('project', projectId) && (await findProjectRow(context.db, projectId));
  if (!platform || !client || !project) return null;
  try {
    const app = await findPublicClient(context, projectId, platform.definition.name, client);
    return client.describe(app, { productName: project.name, callbackUrl: callbackUrlOf(context) });
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

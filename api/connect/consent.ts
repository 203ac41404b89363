// A consent at a network, from its begin to its callback: finds the app, which may have to be registered at the
// user's server, sends the user to the network's page, and completes the login that they come back with.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsentMethod, PublicClient } from '../../activities/platforms/platform.ts';
import { readBegun, readGrant } from '../../activities/platforms/platform-answer.ts';
import { PlatformError } from '../../activities/platforms/platform-error.ts';
import {
  addApp,
  findApp,
  findAppFor,
  openApp,
  putApp,
} from '../../schema/database/accounts/apps.ts';
import { findConnectSession } from '../../schema/database/accounts/connect-sessions.ts';
import { findProjectRow, getProjectRow } from '../../schema/database/projects.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import {
  askForLogin,
  askNetwork,
  namingField,
  toConflict,
} from '../accounts/connect-at-network.ts';
import { appDeleted } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import { validate } from '../http/validation.ts';
import { cancelSession, findChoicePage, leave, offerAccounts } from './finish.ts';
import { otherBrowserPage, show, showFailed, usedPage, type Failure } from './pages.ts';
import {
  claimConsent,
  discardFlows,
  findFlow,
  isState,
  keepFlow,
  newState,
  platformOf,
  statusOf,
  toChoice,
  type BegunConsent,
  type Choice,
  type Visit,
} from './session.ts';

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
  const { app, url, flow } = await askNetwork(
    projectId,
    async (signal) => {
      const wanted = { definition, method, inputs, callbackUrl };
      const app = await findConsentApp(context, projectId, wanted, signal);
      const begun = await method.begin({ state, callbackUrl, inputs, app }, signal);
      return { app, ...readBegun(begun) };
    },
    method.inputs ? namingField(method.inputs, inputs) : toConflict,
  );
  const appId = app?.id ?? null;
  await keepFlow(context, visit, { kind: 'consent', state, method, appId, inputs, flow });
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
function callbackUrlOf({ publicUrl }: Context, server?: CallbackServer): string {
  const path = server ? `/${server.network}/${encodeURIComponent(server.host)}` : '';
  return `${publicUrl}/connect/callback${path}`;
}

/** The callback URL of a consent with these inputs. */
function consentCallbackUrl(
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

const otherServer: Failure = {
  message: 'Another server answered than the one where you began. Your account was not connected.',
  status: 409,
};

/** `answered`: the server that the path names. */
export async function answerCallback(
  context: Context,
  visit: Visit,
  query: Record<string, string>,
  answered?: CallbackServer,
): Promise<Response> {
  const { session } = visit;
  const { state = '' } = query;
  if (!isState('flow', visit, state)) return show(context, session, otherBrowserPage);
  const { definition } = platformOf(context, session);
  const consent = await claimConsent(context, session, state);
  if (!consent) return leaveUsed(context, visit);
  const callbackUrl = consentCallbackUrl(context, definition, consent);
  if (callbackUrlOf(context, answered) !== callbackUrl) {
    return showFailed(context, session, otherServer, consent.method);
  }
  if (isDenied(consent.method, query)) return cancelSession(context, session);
  try {
    const login = await completeConsent(context, session, consent, callbackUrl, query);
    return await offerAccounts(context, visit, login);
  } catch (error) {
    // The network can't be asked, or refuses the login.
    if (!(error instanceof AppError)) throw error;
    const failure = { message: error.message, status: errorKinds[error.code].status };
    return showFailed(context, session, failure, consent.method);
  }
}

/** The user refused at the network, as the callback says: RFC 6749, section 4.1.2.1. */
function isDenied({ denials }: ConsentMethod, { error = '' }: Record<string, string>): boolean {
  return error === 'access_denied' || denials?.includes(error) === true;
}

/** A code works once, so a call that failed can't be repeated. A login that is refused is ended. */
async function completeConsent(
  context: Context,
  session: ConnectSessionRow,
  consent: BegunConsent,
  callbackUrl: string,
  query: Record<string, string>,
): Promise<Choice> {
  const { db, vault } = context;
  const { project_id: projectId } = session;
  const { method, state, inputs, flow, appId } = consent;
  const app = appId === null ? null : await findApp(db, projectId, vault, appId);
  if (app === undefined) throw new AppError('conflict', appDeleted);
  const { definition } = platformOf(context, session);
  const complete = async (signal: AbortSignal) => {
    const request = { state, callbackUrl, app, inputs, flow };
    const grant = await method.complete(query, request, signal);
    try {
      return readGrant(grant, definition.scopes);
    } catch (error) {
      await discardFlows(context, session, [toChoice(consent, grant)]);
      throw error;
    }
  };
  const grant = await askForLogin(context, projectId, definition, complete, toConflict);
  return toChoice(consent, grant);
}

const usedCheckMs = 100;
const maxUsedChecks = 20;

/** Another request with the same state may be about to end the session or to offer a choice. */
async function leaveUsed(context: Context, visit: Visit): Promise<Response> {
  let { session } = visit;
  for (let attempt = 0; attempt < maxUsedChecks; attempt++) {
    session = (await findConnectSession(context.db, session.id))!;
    if (statusOf(session) !== 'pending') return leave(context, session);
    const now = { ...visit, session };
    const choice = await findChoicePage(context, now);
    if (choice) return choice;
    if (findFlow(context, now)) break;
    await sleep(usedCheckMs);
  }
  return show(context, session, usedPage);
}

/**
 * The document of a project's client at a network where servers look clients up. Null: there is none, or none at
 * this server's address.
 */
export async function describeClient(
  context: Context,
  name: string,
  projectId: string,
): Promise<Record<string, unknown> | null> {
  const platform = context.platforms.get(name as PlatformName);
  const client = platform?.connect.find((each) => each.kind === 'consent')?.publicClient;
  const project = await findProjectRow(context.db, projectId);
  if (!platform || !client || !project) return null;
  try {
    const app = await findPublicClient(context, projectId, platform.definition.name, client);
    return client.describe(app, { productName: project.name, callbackUrl: callbackUrlOf(context) });
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  }
}

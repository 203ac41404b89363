// The app of a new consent: the project's, the operator's, or one that is registered at the user's server.
import type {
  AppRegistration,
  ConsentMethod,
  PublicClient,
} from '../../activities/platforms/platform.ts';
import { addApp, findAppFor, openApp, putApp } from '../../schema/database/accounts/apps.ts';
import { findProjectRow, getProjectRow } from '../../schema/database/projects.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';

interface Wanted {
  definition: PlatformEntry;
  way: ConsentMethod;
  inputs: Record<string, string>;
  callbackUrl: string;
}

/** Null: the network needs none. Call it outside any transaction. */
export async function findConsentApp(
  context: Context,
  projectId: string,
  { definition, way, inputs, callbackUrl }: Wanted,
  signal: AbortSignal,
): Promise<App | null> {
  const { registration, publicClient } = way;
  if (publicClient) return findPublicClient(context, projectId, definition.name, publicClient);
  if (registration) {
    const server = registration.serverOf(inputs);
    // A server sends users back only to the address that was registered, so another one needs another app.
    const wanted = { platform: definition.name, instance: `${server} ${callbackUrl}` };
    return findServerApp(context, projectId, wanted, {
      isKnown: (app) => registration.isKnown(server, app, signal),
      register: async () => {
        const { name: productName } = await getProjectRow(context.db, projectId);
        return registration.register(server, { productName, callbackUrl }, signal);
      },
    });
  }
  if (!definition.hasApp) return null;
  const app = await findNetworkApp(context, projectId, definition);
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
  const way = platform?.connect.find((each) => each.kind === 'consent');
  const project = await findProjectRow(context.db, projectId);
  if (!platform || !way?.publicClient || !project) return null;
  const app = await findPublicClient(
    context,
    projectId,
    platform.definition.name,
    way.publicClient,
  );
  const client = { productName: project.name, callbackUrl: callbackUrlOf(context) };
  return way.publicClient.describe(app, client);
}

/** A server that users name, at a network where each one knows Fanfare as another app. */
export interface CallbackServer {
  network: string;
  host: string;
}

export function callbackServerOf(
  { name }: PlatformEntry,
  { registration }: ConsentMethod,
  inputs: Record<string, string>,
): CallbackServer | undefined {
  return registration && { network: name, host: new URL(registration.serverOf(inputs)).host };
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

/** Undefined: neither the project nor the operator has an app at the network. */
export function findNetworkApp(
  { db, vault, config }: Context,
  projectId: string,
  { name }: PlatformEntry,
): Promise<App | undefined> {
  const operatorClientId = config.platforms[name].clientId;
  return findAppFor(db, projectId, vault, { platform: name, operatorClientId });
}

interface ServerCalls {
  isKnown(app: App): ReturnType<AppRegistration['isKnown']>;
  register(): ReturnType<AppRegistration['register']>;
}

/**
 * Each project has its own: a server may give every login of an account with the same app the same token, and
 * one project's disconnect would revoke it for all. A replaced app stays for consents that have begun, until
 * retention deletes it.
 */
async function findServerApp(
  { db, vault }: Context,
  projectId: string,
  wanted: { platform: PlatformName; instance: string },
  { isKnown, register }: ServerCalls,
): Promise<App> {
  const known = await findAppFor(db, projectId, vault, wanted);
  if (known && (await isKnown(known))) return known;
  const row = await putApp(db, projectId, vault, { ...wanted, ...(await register()) });
  return openApp(vault, row);
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
  await addApp(db, projectId, vault, {
    ...wanted,
    ...(await client.create(projectId, callbackUrl)),
  });
  return (await findAppFor(db, projectId, vault, wanted))!;
}

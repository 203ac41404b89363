// The app of a new consent: the project's, the operator's, or one that is registered at the user's server.
import type { AppRegistration, ConsentWay } from '../../activities/platforms/platform.ts';
import {
  deleteReplacedApps,
  findAppFor,
  openApp,
  putApp,
} from '../../schema/database/accounts/apps.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';

interface Wanted {
  definition: PlatformEntry;
  way: ConsentWay;
  inputs: Record<string, string>;
  callbackUrl: string;
}

/** Null: the network needs none. Call it outside any transaction. */
export async function findConsentApp(
  context: Context,
  projectId: string,
  { definition, way: { registration }, inputs, callbackUrl }: Wanted,
  signal: AbortSignal,
): Promise<App | null> {
  if (registration) {
    const server = registration.serverOf(inputs);
    // A server sends users back only to the address that was registered, so another one needs another app.
    const wanted = { platform: definition.name, instance: `${server} ${callbackUrl}` };
    return findServerApp(context, projectId, wanted, {
      isKnown: (app) => registration.isKnown(server, app, signal),
      register: () => registration.register(server, callbackUrl, signal),
    });
  }
  if (!definition.hasApp) return null;
  const app = await findNetworkApp(context, projectId, definition);
  if (app) return app;
  throw new AppError('conflict', `This service can't connect ${definition.title} accounts now.`);
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
 * one project's disconnect would revoke it for all.
 */
async function findServerApp(
  { db, notifier, vault }: Context,
  projectId: string,
  wanted: { platform: PlatformName; instance: string },
  { isKnown, register }: ServerCalls,
): Promise<App> {
  const known = await findAppFor(db, projectId, vault, wanted);
  if (known && (await isKnown(known))) return known;
  const row = await putApp(db, projectId, vault, { ...wanted, ...(await register()) });
  if (known) await inTransaction(db, notifier, (trx) => deleteReplacedApps(trx, projectId, row));
  return openApp(vault, row);
}

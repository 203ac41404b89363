// The app of a new consent: the project's, the operator's, or one that is registered at the user's server.
import type { ConsentWay } from '../../activities/platforms/platform.ts';
import { findAppFor, putApp } from '../../schema/database/accounts/apps.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry } from '../../schema/platforms/index.ts';
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
    return findServerApp(context, projectId, definition, server, callbackUrl, () =>
      registration.register(server, callbackUrl, signal),
    );
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

/** A server sends users back only to the address that was registered, so another one needs another app. */
async function findServerApp(
  { db, vault }: Context,
  projectId: string,
  { name: platform }: PlatformEntry,
  server: string,
  callbackUrl: string,
  register: () => Promise<Pick<App, 'clientId' | 'clientSecret'>>,
): Promise<App> {
  const wanted = { platform, instance: `${server} ${callbackUrl}` };
  const known = await findAppFor(db, projectId, vault, wanted);
  if (known) return known;
  await putApp(db, null, vault, { ...wanted, ...(await register()) });
  return (await findAppFor(db, projectId, vault, wanted))!;
}

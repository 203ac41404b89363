// The app of a login at a network without servers of its users: the project's, or else the operator's.
import type { ConsentMethod } from '../../activities/platforms/platform.ts';
import { findAppFor } from '../../schema/database/accounts/apps.ts';
import type { App } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';

type Login = Pick<ConsentMethod, 'name' | 'appOf'>;

/** Undefined: neither the project nor the operator has set an app. */
export async function findLoginApp(
  context: Context,
  projectId: string,
  { name }: PlatformEntry,
  login: Login,
): Promise<App | undefined> {
  const own = await findNetworkApp(context, projectId, name);
  if (own && isFor(own, login)) return own;
  if (login.appOf === undefined) return undefined;
  const other = await findNetworkApp(context, projectId, login.appOf);
  if (!other?.settings) return other;
  // Only a project's app has settings. The settings of this network's own app take precedence, because each
  // network may have its own configuration.
  return { ...other, settings: { ...other.settings, ...own?.settings } };
}

/** Whether the client ID and the secret are for this login. */
function isFor({ settings }: App, { name, appOf }: Login): boolean {
  const login = settings?.['login'];
  return login === undefined ? appOf === undefined : login === name;
}

function findNetworkApp(
  { db, vault, config }: Context,
  projectId: string,
  platform: PlatformName,
): Promise<App | undefined> {
  const operatorClientId = config.platforms[platform].clientId;
  return findAppFor(db, projectId, vault, { platform, operatorClientId });
}

// The command `apps`: the operator's apps at networks, and the URLs to enter in each app's settings at its
// network.
import type { Config } from '../../schema/config/config.ts';
import { listOperatorApps } from '../../schema/database/accounts/apps.ts';
import type { Db, PlatformAppRow } from '../../schema/database/tables.ts';
import { callbackUrlsOf } from '../platform-apps/callback-urls.ts';

export async function showApps(
  db: Db,
  { platforms, publicUrl, port }: Pick<Config, 'platforms' | 'publicUrl' | 'port'>,
): Promise<string> {
  const apps = await listOperatorApps(db, platforms);
  if (apps.length === 0) {
    return 'No app is known. Set FANFARE_<NETWORK>_CLIENT_ID here as for the server, and start the server once.';
  }
  const url = publicUrl ?? `http://127.0.0.1:${port}`;
  return apps.map((app) => describe(url, app)).join('\n\n');
}

function describe(url: string, app: PlatformAppRow): string {
  const { redirect, deauthorize, data_deletion, webhook } = callbackUrlsOf(url, app);
  return [
    `${app.platform}  ${app.client_id}  approval ${app.approval}`,
    `  redirect       ${redirect}`,
    ...(deauthorize === null ? [] : [`  deauthorize    ${deauthorize}`]),
    ...(data_deletion === null ? [] : [`  data deletion  ${data_deletion}`]),
    ...(webhook === null ? [] : [`  webhook        ${webhook}`]),
  ].join('\n');
}

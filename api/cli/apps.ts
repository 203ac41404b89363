// The command `apps`: the operator's apps at networks, and the URLs to enter in each app's settings at its
// network.
import type { Config } from '../../schema/config/config.ts';
import { listOperatorApps } from '../../schema/database/accounts/apps.ts';
import type { Db, PlatformAppRow } from '../../schema/database/tables.ts';
import { callbackUrlsOf } from '../platform-apps/callback-urls.ts';
import type { Answer } from './output/answer.ts';

export async function showApps(
  db: Db,
  { platforms, publicUrl, port }: Pick<Config, 'platforms' | 'publicUrl' | 'port'>,
): Promise<Answer> {
  const url = publicUrl ?? `http://127.0.0.1:${port}`;
  const apps = (await listOperatorApps(db, platforms)).map((app) => toApp(url, app));
  const text = apps.length === 0 ? noApp : apps.map(describe).join('\n\n');
  return { text, data: apps };
}

const noApp =
  'No app is known. Set FANFARE_<NETWORK>_CLIENT_ID here as for the server, and start the server once.';

function toApp(url: string, app: PlatformAppRow) {
  const { platform, client_id, approval } = app;
  return { platform, client_id, approval, ...callbackUrlsOf(url, app) };
}

function describe(app: ReturnType<typeof toApp>): string {
  const { platform, client_id, approval, redirect, deauthorize, data_deletion, webhook } = app;
  return [
    `${platform}  ${client_id}  approval ${approval}`,
    `  redirect       ${redirect}`,
    ...(deauthorize === null ? [] : [`  deauthorize    ${deauthorize}`]),
    ...(data_deletion === null ? [] : [`  data deletion  ${data_deletion}`]),
    ...(webhook === null ? [] : [`  webhook        ${webhook}`]),
  ].join('\n');
}

// Meta's calls about users of an app, signed as Meta signs them; and the apps and accounts that the calls
// concern.
import { createHmac } from 'node:crypto';
import { createInboundRoutes } from '../../../../api/inbound/routes.ts';
import type { Context } from '../../../../api/http/context.ts';
import { putApp } from '../../../../schema/database/accounts/apps.ts';
import type { PlatformAppRow, SocialAccountRow } from '../../../../schema/database/tables.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import { addGrant } from '../../rows/grants.ts';
import type { TestRest } from '../../app/rest.ts';

export const nowS = () => Math.floor(Date.now() / 1_000);

export const payloadOf = (userId: unknown, more: object = {}) => ({
  algorithm: 'HMAC-SHA256',
  issued_at: nowS(),
  user_id: userId,
  ...more,
});

export function signRequest(payload: object, secret: string): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const signature = createHmac('sha256', secret).update(text).digest('base64url');
  return `${signature}.${text}`;
}

export const appSecret = 'secret-of-the-app';

/** Adds an app. `projectId`: null for the operator's app. */
export const addMetaApp = (
  { db, vault }: Context,
  projectId: string | null,
  {
    platform = 'facebook',
    clientId = 'client',
    clientSecret = appSecret,
  }: { platform?: PlatformName; clientId?: string; clientSecret?: string } = {},
): Promise<PlatformAppRow> =>
  putApp(db, projectId, vault, {
    platform,
    clientId,
    clientSecret,
    ...(projectId !== null && { settings: {} }),
  });

interface NewAccount {
  projectId: string;
  app: PlatformAppRow | null;
  userId: string;
  columns?: Partial<SocialAccountRow>;
}

/** Adds an account that this user of the network connected with the app. */
export async function addAccountOfUser(
  rest: TestRest,
  { projectId, app, userId, columns = {} }: NewAccount,
): Promise<string> {
  const { db, vault } = rest.context;
  const { platform = app?.platform ?? 'facebook' } = columns;
  const grant_id = await addGrant(db, { projectId, platform, appId: app?.id ?? null }, vault);
  const traits = { user_id: userId };
  return rest.insertAccount(projectId, { platform, grant_id, traits, ...columns });
}

type Call = 'deauthorize' | 'data-deletion';

/** The form that Meta sends. */
export async function sendCall(
  context: Context,
  { inbound_key }: Pick<PlatformAppRow, 'inbound_key'>,
  call: Call,
  signed: string,
  headers: Record<string, string> = {},
) {
  const response = await createInboundRoutes(context).request(
    `/inbound/meta/${inbound_key}/${call}`,
    { method: 'POST', body: new URLSearchParams({ signed_request: signed }), headers },
  );
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, text };
}

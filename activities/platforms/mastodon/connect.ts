// Connects an account: reads its identity, the token's scopes, and its server's limits.
import { z } from 'zod';
import { pasted, serverOrigin } from '../credential-fields.ts';
import type { Traits } from '../../../schema/platforms/definition.ts';
import type { Ask } from '../network-api.ts';
import { hasCode } from '../platform-error.ts';
import type { Credentials, Grant } from '../platform.ts';
import { asServerError, scopeMissing, wrongCredential } from '../wrong-credential.ts';

export const ConnectInput = z
  .strictObject({
    server: serverOrigin('mastodon.social'),
    access_token: pasted(/^[\w-]{1,500}$/, 'must be an access token').meta({
      title: 'Access token',
      'x-secret': true,
      description: 'Open the application again. Its page shows "Your access token".',
    }),
  })
  .meta({
    description:
      'In Mastodon, open Preferences → Development, and create an application with the scopes read:accounts, read:statuses, write:statuses and write:media.',
  });

/** Older servers don't report every limit. */
const limit = z.int().min(1).optional().catch(undefined);

/** @see https://docs.joinmastodon.org/entities/Instance/ */
const Instance = z.object({
  domain: z.string(),
  configuration: z.object({
    statuses: z.object({
      max_characters: z.int().min(1),
      characters_reserved_per_url: z.int().min(1).max(1_000),
      max_media_attachments: limit,
    }),
    media_attachments: z
      .object({
        supported_mime_types: z.array(z.string()).optional().catch(undefined),
        description_limit: limit,
        image_size_limit: limit,
        image_matrix_limit: limit,
        video_size_limit: limit,
        video_matrix_limit: limit,
      })
      .optional()
      .catch(undefined),
    polls: z
      .object({
        max_options: limit,
        max_characters_per_option: limit,
        min_expiration: limit,
        max_expiration: limit,
      })
      .optional()
      .catch(undefined),
  }),
});

/** Servers before 4.3 don't report scopes. @see https://docs.joinmastodon.org/entities/Application/ */
const Application = z.object({ scopes: z.array(z.string()).optional() });

/** @see https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
const Account = z.object({
  id: z.string().regex(/^[\w-]+$/),
  // An account name of any other form could pass for an account of another server.
  username: z.string().regex(/^[\w.-]{1,100}$/),
  /** Without animation. */
  avatar_static: z.string().optional().catch(undefined),
});

/**
 * `granted`: the scopes of a login by consent. Absent: the token was pasted, and its server may report its
 * scopes.
 */
export async function connectAccount(
  ask: Ask,
  credentials: Credentials,
  granted?: string[],
): Promise<Grant> {
  const { host, hostname } = new URL(credentials['server']!);
  const instance = await ask('/api/v2/instance', Instance).catch(asWrongServer(host));
  const { domain, configuration } = instance.body;
  const scopes = granted ?? (await readTokenScopes(ask));
  const { body: account } = await ask('/api/v1/accounts/verify_credentials', Account);
  // A server may use a parent domain in the names of its accounts, but no unrelated domain.
  const home = hostname.endsWith(`.${domain}`) ? domain : host;
  const connected = {
    externalAccountId: `${account.id}@${host}`,
    accountName: `@${account.username}@${home}`,
    pictureUrl: account.avatar_static,
    traits: toTraits(configuration),
    problem: null,
  };
  return { credentials, scope: scopes ?? [], tokenExpiresAt: null, accounts: [connected] };
}

/** For `catch` of the first call to a server, which may not be a Mastodon server. */
export const asWrongServer = (host: string) =>
  asServerError('server', `${host} does not answer as a Mastodon server.`, 'not_mastodon');

function toTraits({
  statuses,
  media_attachments: { supported_mime_types: types, ...limits } = {},
  polls,
}: z.infer<typeof Instance>['configuration']): Traits {
  const known = { ...statuses, ...limits, supported_mime_types: types?.join(' '), ...polls };
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Undefined: the server doesn't report the token's scopes. */
async function readTokenScopes(ask: Ask): Promise<string[] | undefined> {
  const asked = ask('/api/v1/apps/verify_credentials', Application);
  const { scopes } = await asked.then(({ body }) => body).catch(withoutRoute);
  const missing = findMissingScopes(scopes).join(', ');
  const message = `The access token lacks ${missing}.`;
  if (missing) throw wrongCredential('access_token', message, scopeMissing);
  return scopes;
}

/** GoToSocial 0.20 lacks this route. It still refuses a wrong token when the account is read. */
function withoutRoute(error: unknown): z.infer<typeof Application> {
  if (hasCode(error, '404')) return {};
  throw error;
}

/** `read` includes `read:statuses`. @see https://docs.joinmastodon.org/api/oauth-scopes/ */
export function findMissingScopes(scopes: string[] = ['read', 'write']): string[] {
  const lacks = (scope: string) =>
    !scopes.some((has) => has === scope || scope.startsWith(`${has}:`));
  return ['read:statuses', 'write:statuses', 'write:media'].filter(lacks);
}

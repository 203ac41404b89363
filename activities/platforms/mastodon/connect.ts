// Connects an account: its server and that server's limits, the scopes of the token, and whose it is.
import { z } from 'zod';
import { PlatformError } from '../platform-error.ts';
import type { Connection, Credentials } from '../platform.ts';
import type { Send } from './client.ts';

export const ConnectInput = z
  .strictObject({
    server: z
      .string()
      .trim()
      .max(300)
      .transform((given) => (/^https?:\/\//i.test(given) ? given : `https://${given}`))
      .refine((given) => URL.canParse(given), 'must be the address of a server')
      .transform((given) => new URL(given).origin)
      .meta({ title: 'Server', description: 'Where you log in, such as mastodon.social.' }),
    access_token: z
      .string()
      .trim()
      .regex(/^[\w-]{1,500}$/, 'must be an access token')
      .meta({
        title: 'Access token',
        description:
          'Preferences, Development, your application: "Your access token". The application needs the scopes read:accounts, read:statuses and write:statuses.',
      }),
  })
  .meta({
    description:
      'In Mastodon, open Preferences, Development, and create an application. Paste its access token here.',
  });

/** @see https://docs.joinmastodon.org/entities/Instance/ */
const Instance = z.object({
  domain: z.string(),
  configuration: z.object({
    statuses: z.object({
      max_characters: z.int().min(1),
      characters_reserved_per_url: z.int().min(1).max(1_000),
    }),
  }),
});

/** Servers before 4.3 don't tell the scopes. @see https://docs.joinmastodon.org/entities/Application/ */
const Application = z.object({ scopes: z.array(z.string()).optional() });

/** @see https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
const Account = z.object({ id: z.string().regex(/^[\w-]+$/), username: z.string().min(1) });

/** One of each line. @see https://docs.joinmastodon.org/api/oauth-scopes/ */
const neededScopes = [
  ['read:accounts', 'read', 'profile'],
  ['read:statuses', 'read'],
  ['write:statuses', 'write'],
];

export async function connectAccount(
  send: Send,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Connection> {
  const { host, hostname } = new URL(credentials['server']!);
  const get = async <T>(path: string, answer: z.ZodType<T>) =>
    (await send({ credentials, path, kind: 'other', answer, signal })).body;
  const { domain, configuration } = await get('/api/v2/instance', Instance).catch(
    (error: unknown) => blameServer(error, host),
  );
  const { scopes } = await get('/api/v1/apps/verify_credentials', Application).catch(blameToken);
  if (scopes) checkScopes(scopes);
  const account = await get('/api/v1/accounts/verify_credentials', Account).catch(blameToken);
  // A server may name its accounts by a domain above its own, but by nobody else's.
  const home = hostname.endsWith(`.${domain}`) ? domain : host;
  return {
    externalAccountId: `${account.id}@${host}`,
    accountName: `@${account.username}@${home}`,
    credentials,
    scope: scopes ?? [],
    tokenExpiresAt: null,
    traits: {
      maxCharacters: configuration.statuses.max_characters,
      charactersPerUrl: configuration.statuses.characters_reserved_per_url,
    },
  };
}

function checkScopes(scopes: readonly string[]): void {
  const missing = neededScopes.filter((any) => !any.some((scope) => scopes.includes(scope)));
  if (missing.length === 0) return;
  const message = `The access token lacks ${missing.map(([name]) => name).join(', ')}.`;
  const options = { field: 'access_token', platformCode: 'missing_scope' };
  throw new PlatformError('rejected', message, options);
}

/** With these there is no server of that name, or one that sends megabytes. */
const isNoServer = new Set(['ENOTFOUND', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 'blocked_address']);

/** A server that is down may be the right one; one that answers differently than Mastodon isn't. */
function blameServer(error: unknown, host: string): never {
  if (!(error instanceof PlatformError)) throw error;
  const { kind, options } = error;
  const { platformCode = '', providerError, cause } = options;
  if (kind === 'reauthorize') blameToken(error);
  const isAway = kind === 'rate_limited' || Number(providerError?.['status']) >= 500 || cause;
  if (isAway && !isNoServer.has(platformCode)) throw error;
  const message = `${host} does not answer as a Mastodon server.`;
  throw new PlatformError('rejected', message, { platformCode: 'not_mastodon', field: 'server' });
}

function blameToken(error: unknown): never {
  if (!(error instanceof PlatformError)) throw error;
  const { kind, message, options } = error;
  if (kind !== 'rejected' && kind !== 'reauthorize') throw error;
  throw new PlatformError('rejected', message, { ...options, field: 'access_token' });
}

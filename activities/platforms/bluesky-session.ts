// Sessions at a PDS: what a login is asked for, what it gives, and what of it is kept.
import { z } from 'zod';
import { toSurprise } from './bluesky-errors.ts';
import { parseJson, type Call, type Send } from './bluesky-xrpc.ts';
import { PlatformError } from './platform-error.ts';
import type { Connection, Credentials, RefreshedCredentials } from './platform.ts';

const Session = z.object({
  did: z.string().startsWith('did:'),
  handle: z.string().min(1),
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
  active: z.boolean().optional(),
  status: z.string().optional(),
  didDoc: z.unknown().optional(),
});
type Session = z.infer<typeof Session>;

const DidDocument = z.object({
  service: z.array(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.unknown() })),
});

const handlePattern =
  /^(did:[a-z]+:[a-z0-9._:%-]+|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?)$/;

/** `home` is the PDS or entryway of who names none. */
export function loginInput(home: string): z.ZodType<Credentials> {
  return z.strictObject({
    handle: z
      .string()
      .trim()
      .transform((handle) => handle.replace(/^@/, '').toLowerCase())
      .pipe(z.string().max(253).regex(handlePattern, 'must be a full handle or a DID'))
      .meta({ description: 'The handle, such as `ada.bsky.social`.' }),
    app_password: z
      .string()
      .trim()
      .min(1)
      .max(256)
      .meta({ description: 'An app password, made in the settings of Bluesky.' }),
    service: z
      .url()
      .default(home)
      .transform((url) => new URL(url))
      .refine((url) => url.protocol === 'https:' || url.origin === home, 'must begin with https://')
      .refine((url) => isBareOrigin(url), 'must be a host without a path')
      .transform((url) => url.origin)
      .meta({ description: "The account's PDS, where it isn't Bluesky's own." }),
  });
}

function isBareOrigin(url: URL): boolean {
  return url.href === `${url.origin}/`;
}

export async function logIn(
  send: Send,
  { handle = '', app_password = '', service = '' }: Credentials,
  signal: AbortSignal,
): Promise<Connection> {
  const session = await openSession(send, {
    kind: 'connect',
    service,
    method: 'com.atproto.server.createSession',
    body: { identifier: handle, password: app_password },
    secrets: [app_password],
    signal,
  });
  if (session.active === false) {
    throw new PlatformError('rejected', `The account is ${session.status ?? 'not active'}.`, {
      platformCode: 'AccountDeactivated',
    });
  }
  const { scope } = readClaims(session.accessJwt);
  return {
    externalAccountId: session.did,
    accountName: session.handle,
    credentials: toCredentials(session, service),
    scope: scope === undefined ? [] : [scope],
    tokenExpiresAt: expiryOf(session),
  };
}

export async function refreshSession(
  send: Send,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<RefreshedCredentials> {
  const { service, refreshJwt } = readCredentials(credentials);
  const method = 'com.atproto.server.refreshSession';
  const call = { kind: 'refresh', service, method, token: refreshJwt, signal } as const;
  const session = await openSession(send, call);
  return { credentials: toCredentials(session, service), tokenExpiresAt: expiryOf(session) };
}

export async function endSession(
  send: Send,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const { service, refreshJwt } = readCredentials(credentials);
  const method = 'com.atproto.server.deleteSession';
  try {
    await send({ kind: 'revoke', service, method, token: refreshJwt, signal });
  } catch (error) {
    // What has ended already needs no end.
    if (!(error instanceof PlatformError && error.kind === 'reauthorize')) throw error;
  }
}

export function readCredentials(credentials: Credentials) {
  const { service, did, handle, accessJwt, refreshJwt } = credentials;
  if (!service || !did || !handle || !accessJwt || !refreshJwt) {
    throw new PlatformError('reauthorize', 'The stored session is not whole.', { isRevoked: true });
  }
  return { service, did, handle, accessJwt, refreshJwt };
}

async function openSession(send: Send, call: Call): Promise<Session> {
  const { body } = await send(call);
  const session = Session.safeParse(body);
  if (!session.success) throw toSurprise('the login', call.kind);
  return session.data;
}

function toCredentials(session: Session, service: string): Credentials {
  const { did, handle, accessJwt, refreshJwt } = session;
  return { service: findPds(session.didDoc, did) ?? service, did, handle, accessJwt, refreshJwt };
}

/**
 * The account's own PDS, which an entryway names at login. One named by `http:` is no public host,
 * so the service that was logged in to is kept.
 */
function findPds(didDoc: unknown, did: string): string | null {
  const document = DidDocument.safeParse(didDoc);
  const services = document.success ? document.data.service : [];
  const pds = services.find(({ id }) => id === '#atproto_pds' || id === `${did}#atproto_pds`);
  const endpoint = typeof pds?.serviceEndpoint === 'string' ? pds.serviceEndpoint : '';
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  return url?.protocol === 'https:' ? url.origin : null;
}

const Claims = z.object({ exp: z.number().optional(), scope: z.string().optional() });

/** Read, not verified: only the PDS can, and only the times and the scope are of use here. */
function readClaims(jwt: string): z.infer<typeof Claims> {
  const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString();
  const claims = Claims.safeParse(parseJson(payload));
  return claims.success ? claims.data : {};
}

function expiryOf({ accessJwt }: Session): Date | null {
  const { exp } = readClaims(accessJwt);
  return exp === undefined ? null : new Date(exp * 1000);
}

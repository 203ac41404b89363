// Sessions with an app password: the form of a login, logging in, refreshing and logging out.
import { INVALID_HANDLE, isValidDid, isValidHandle } from '@atproto/syntax';
import { z } from 'zod';
import type { Identify } from './identity.ts';
import { parseJson } from '../json-client.ts';
import type { OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Credentials, Grant, RefreshedCredentials } from '../platform.ts';
import { wrongCredential } from '../wrong-credential.ts';
import type { ReadTraits } from './server-traits.ts';

const Session = z.object({
  did: z.string(),
  accessJwt: z.string().min(1),
  refreshJwt: z.string().min(1),
  active: z.boolean().optional(),
  status: z.string().optional(),
});
type Session = z.infer<typeof Session>;

/**
 * Takes no email address, because the password is sent to the account's server, and only a handle or a DID
 * leads there. The operator's `entryway` may use `http:`.
 */
export function loginInput(entryway: string): z.ZodType<Credentials> {
  return z
    .strictObject({
      handle: z
        .string()
        .trim()
        .transform((handle) => handle.replace(/^@/, '').toLowerCase())
        // At most 253 and 2,048 characters. https://atproto.com/specs/handle, https://atproto.com/specs/did
        .refine((name) => isValidHandle(name) || isValidDid(name), 'must be a full handle or a DID')
        .meta({ title: 'Handle', description: 'Such as `ada.bsky.social`. The DID works too.' }),
      app_password: z.string().trim().min(1).max(256).meta({
        title: 'App password',
        'x-secret': true,
        description: 'Not the password that you log in with.',
      }),
      service: z
        .url()
        .transform((url) => new URL(url))
        .refine(
          (url) => url.protocol === 'https:' || url.origin === entryway,
          'must begin with https://',
        )
        .refine((url) => url.href === `${url.origin}/`, 'must be a host without a path')
        .transform((url) => url.origin)
        .exactOptional()
        .meta({
          title: 'Server',
          description: "The account's PDS. The handle leads to it, so you can leave this empty.",
        }),
    })
    .meta({
      description:
        'Create an app password at https://bsky.app/settings/app-passwords. It can post on behalf of the account, and you can revoke it there.',
    });
}

export interface SessionSettings {
  open: OpenApi;
  identify: Identify;
  /** The operator's entryway, where any account may log in. */
  entryway: string;
  readTraits: ReadTraits;
}

/** A password is sent only to the PDS in the account's DID document, or to the entryway. */
export async function logIn(
  { open, identify, entryway, readTraits }: SessionSettings,
  { handle: handleOrDid = '', app_password = '', service }: Credentials,
  signal: AbortSignal,
): Promise<Grant> {
  const identity = await identify(handleOrDid, signal);
  const { did, pds } = identity;
  if (service !== undefined && service !== pds && service !== entryway) {
    throw mismatch('service', `The PDS of ${handleOrDid} is ${pds}.`);
  }
  const traits = await readTraits(pds, signal);
  const ask = open({ service: service ?? pds, app_password }, signal);
  const json = { identifier: did, password: app_password };
  const { body: session } = await ask('com.atproto.server.createSession', Session, { json });
  if (session.did !== did) {
    const field = service === undefined ? 'handle' : 'service';
    throw mismatch(field, `${service ?? pds} logged in to another account than ${did}.`);
  }
  if (session.active === false) {
    throw new PlatformError('rejected', `The account is ${session.status ?? 'not active'}.`, {
      platformCode: 'AccountDeactivated',
    });
  }
  const { scope } = readClaims(session.accessJwt);
  const handle = identity.handle ?? INVALID_HANDLE;
  return {
    credentials: toCredentials(session, pds, handle),
    scope: scope === undefined ? [] : [scope],
    tokenExpiresAt: expiryOf(session),
    accounts: [
      { externalAccountId: did, accountName: handle, ...(traits && { traits }), problem: null },
    ],
  };
}

/** The session moves to the PDS that the DID document names now. */
export async function refreshSession(
  { open, identify, readTraits }: SessionSettings,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<RefreshedCredentials> {
  const stored = readCredentials(credentials);
  const { service, handle } = await findAgain(identify, stored, signal);
  // Before the refresh, so that no time passes before its new tokens are stored.
  const traits = await readTraits(service, signal);
  const ask = open({ service, refreshJwt: credentials['refreshJwt']! }, signal);
  const method = 'com.atproto.server.refreshSession';
  const { body: session } = await ask(method, Session, { method: 'POST' });
  if (session.did !== stored.did) {
    throw mismatch('handle', `${service} answered for another account than ${stored.did}.`);
  }
  return {
    accountName: handle,
    credentials: toCredentials(session, service, handle),
    tokenExpiresAt: expiryOf(session),
    ...(traits && { traits }),
  };
}

/** Only a DID document moves an account. If no document is found now, the account keeps its PDS and its handle. */
export async function findAgain(
  identify: Identify,
  { did, service, handle }: Record<'did' | 'service' | 'handle', string>,
  signal: AbortSignal,
) {
  const found = await identify(did, signal).catch(() => undefined);
  return { service: found?.pds ?? service, handle: found?.handle ?? handle };
}

export const mismatch = (field: string, message: string) =>
  wrongCredential(field, message, 'identity_mismatch');

export async function endSession(
  open: OpenApi,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const { service } = readCredentials(credentials);
  const ask = open({ service, refreshJwt: credentials['refreshJwt']! }, signal);
  try {
    await ask('com.atproto.server.deleteSession', z.unknown(), { method: 'POST' });
  } catch (error) {
    // The session has ended already.
    if (!(error instanceof PlatformError && error.kind === 'reauthorize')) throw error;
  }
}

/** Reads credentials of either connection method. `access`: for calls that act for the account. */
export function readCredentials(credentials: Credentials) {
  const { service, did, handle, accessJwt, refreshJwt } = credentials;
  const { access_token, refresh_token, dpop_jwk } = credentials;
  if (service && did && handle) {
    const account = { service, did, handle };
    if (accessJwt && refreshJwt) return { ...account, access: { service, accessJwt } };
    if (access_token && refresh_token && dpop_jwk) {
      return { ...account, access: { service, access_token, dpop_jwk } };
    }
  }
  throw new PlatformError('reauthorize', 'The stored session is incomplete.', { isRevoked: true });
}

function toCredentials(session: Session, service: string, handle: string): Credentials {
  const { did, accessJwt, refreshJwt } = session;
  return { service, did, handle, accessJwt, refreshJwt };
}

const Claims = z.object({ exp: z.number().optional(), scope: z.string().optional() });

/** Doesn't verify the token, since only the PDS can. Only the expiry and the scope are used. */
function readClaims(jwt: string): z.infer<typeof Claims> {
  const payload = Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString();
  return Claims.safeParse(parseJson(payload)).data ?? {};
}

function expiryOf({ accessJwt }: Session): Date | null {
  const { exp } = readClaims(accessJwt);
  return exp === undefined ? null : new Date(exp * 1000);
}

// Bluesky: posts written as records of the account's own repository, over XRPC.
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { PlatformRules } from '../../schema/platforms.ts';
import { toError, toSurprise } from './bluesky-errors.ts';
import type { Answer, CallKind } from './bluesky-errors.ts';
import { findFacets } from './bluesky-facets.ts';
import { PlatformError } from './platform-error.ts';
import type { Connection, Credentials, Fetch, Platform, Published, Target } from './platform.ts';
import { toTransportError } from './transport-errors.ts';

export interface BlueskySettings {
  fetch: Fetch;
  /** The PDS or entryway that handles log in to where the user names none. */
  apiUrl: string;
}

const collection = 'app.bsky.feed.post';

/** @see https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json */
const rules: PlatformRules = {
  text: { max: 300, maxBytes: 3000, unit: 'graphemes' },
  isTextRequired: true,
  media: null,
  replies: {
    id: /^at:\/\/did:[a-z]+:[a-z0-9._:%-]+\/app\.bsky\.feed\.post\/[A-Za-z0-9._~:-]{1,512}$/,
    example: 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l6oveex3ii2l',
  },
  source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
};

const Options = z.strictObject({
  langs: z
    .array(z.string().max(64).refine(isLanguage, 'must be a BCP 47 language tag'))
    .max(3)
    .optional()
    .meta({ description: 'Languages of the text, such as `en` or `pt-BR`.' }),
  tags: z
    .array(
      z
        .string()
        .regex(/^[^#\s]\S*$/u, 'must be a tag without #')
        .max(64),
    )
    .max(8)
    .optional()
    .meta({ description: 'Hashtags besides those in the text, without #.' }),
});

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

const Written = z.object({ uri: z.string().startsWith('at://') });

/** What is fixed before the first commit, so that every commit sends the same. */
const Prepared = z.object({ rkey: z.string(), record: z.record(z.string(), z.unknown()) });

interface Call {
  kind: CallKind;
  service: string;
  method: string;
  query?: Record<string, string>;
  body?: unknown;
  token?: string;
  /** What must not show in an error; the token is added. */
  secrets?: readonly string[];
  signal: AbortSignal;
}

export function createBluesky({ fetch, apiUrl }: BlueskySettings): Platform {
  const home = new URL(apiUrl).origin;

  async function send(call: Call): Promise<Answer> {
    const { kind, token, body, signal } = call;
    const secrets = [...(call.secrets ?? []), ...(token ? [token] : [])].filter(Boolean);
    if (signal.aborted) throw new PlatformError('unavailable', 'Stopped before the call.');
    const query = call.query ? `?${new URLSearchParams(call.query).toString()}` : '';
    const answer = await readAnswer(
      fetch(`${call.service}/xrpc/${call.method}${query}`, {
        method: call.query ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal,
      }),
    ).catch((error: unknown) => {
      throw toTransportError(error, kind === 'commit' ? 'commit' : 'other');
    });
    if (answer.status < 200 || answer.status > 299) throw toError(answer, kind, secrets);
    return answer;
  }

  async function openSession(call: Call): Promise<Session> {
    const { body } = await send(call);
    const session = Session.safeParse(body);
    if (!session.success) throw toSurprise('the login', call.kind);
    return session.data;
  }

  async function resolveHandle(service: string, handle: string, signal: AbortSignal) {
    try {
      const method = 'com.atproto.identity.resolveHandle';
      const query = { handle: handle.toLowerCase() };
      const { body } = await send({ kind: 'prepare', service, method, query, signal });
      const resolved = z.object({ did: z.string() }).safeParse(body);
      return resolved.success ? resolved.data.did : null;
    } catch (error) {
      // The post matters more than its link: only what may pass is waited out.
      const mayPass =
        !(error instanceof PlatformError) || ['rate_limited', 'unavailable'].includes(error.kind);
      if (mayPass) throw error;
      return null;
    }
  }

  async function buildRecord(target: Target, signal: AbortSignal) {
    const { service } = readCredentials(target.credentials);
    // A lone surrogate has no UTF-8 form, and would move every facet after it.
    const text = target.caption.toWellFormed();
    const facets = await findFacets(text, (handle) => resolveHandle(service, handle, signal));
    const { langs, tags } = target.platformOptions;
    return {
      $type: collection,
      text,
      createdAt: new Date().toISOString(),
      ...(facets.length > 0 && { facets }),
      ...(Array.isArray(langs) && langs.length > 0 && { langs }),
      ...(Array.isArray(tags) && tags.length > 0 && { tags }),
    };
  }

  return {
    name: 'bluesky',
    rules,
    isCommitIdempotent: true,
    options: Options,

    connect: {
      credentials: z.strictObject({
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
          .refine(
            (url) => url.protocol === 'https:' || url.origin === home,
            'must begin with https://',
          )
          .refine((url) => isBareOrigin(url), 'must be a host without a path')
          .transform((url) => url.origin)
          .meta({ description: "The account's PDS, where it isn't Bluesky's own." }),
      }),
      async run(credentials, signal): Promise<Connection> {
        const { handle = '', app_password = '', service = home } = credentials;
        const session = await openSession({
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
      },
    },

    async refresh(credentials, signal) {
      const { service, refreshJwt } = readCredentials(credentials);
      const session = await openSession({
        kind: 'refresh',
        service,
        method: 'com.atproto.server.refreshSession',
        token: refreshJwt,
        signal,
      });
      return {
        credentials: toCredentials(session, service),
        tokenExpiresAt: expiryOf(session),
      };
    },

    async prepare(target, signal) {
      if (Prepared.safeParse(target.state).success) return target.state;
      return { ...target.state, rkey: nextTid(), record: await buildRecord(target, signal) };
    },

    async commit(target, signal) {
      const { service, accessJwt } = readCredentials(target.credentials);
      const { rkey, record } = readPrepared(target);
      const { body } = await send({
        kind: 'commit',
        service,
        method: 'com.atproto.repo.putRecord',
        body: { repo: target.externalAccountId, collection, rkey, record },
        token: accessJwt,
        signal,
      });
      const written = Written.safeParse(body);
      if (!written.success) throw toSurprise('the post', 'commit');
      return { outcome: 'published', published: toPublished(target, written.data.uri) };
    },

    async reconcile(target, signal) {
      const { service } = readCredentials(target.credentials);
      const { rkey } = readPrepared(target);
      try {
        const { body } = await send({
          kind: 'reconcile',
          service,
          method: 'com.atproto.repo.getRecord',
          query: { repo: target.externalAccountId, collection, rkey },
          signal,
        });
        const found = Written.safeParse(body);
        if (!found.success) throw toSurprise('the record', 'reconcile');
        return { outcome: 'published', published: toPublished(target, found.data.uri) };
      } catch (error) {
        if (error instanceof PlatformError && error.options.platformCode === 'RecordNotFound') {
          return { outcome: 'absent' };
        }
        throw error;
      }
    },

    async revoke(credentials, signal) {
      const { service, refreshJwt } = readCredentials(credentials);
      const method = 'com.atproto.server.deleteSession';
      try {
        await send({ kind: 'revoke', service, method, token: refreshJwt, signal });
      } catch (error) {
        // What has ended already needs no end.
        if (!(error instanceof PlatformError && error.kind === 'reauthorize')) throw error;
      }
    },
  };
}

const handlePattern =
  /^(did:[a-z]+:[a-z0-9._:%-]+|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?)$/;

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function isBareOrigin(url: URL): boolean {
  return url.href === `${url.origin}/`;
}

async function readAnswer(answering: Promise<Response>): Promise<Answer> {
  const response = await answering;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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

function readCredentials(credentials: Credentials) {
  const { service, did, handle, accessJwt, refreshJwt } = credentials;
  if (!service || !did || !handle || !accessJwt || !refreshJwt) {
    throw new PlatformError('reauthorize', 'The stored session is not whole.', { isRevoked: true });
  }
  return { service, did, handle, accessJwt, refreshJwt };
}

function readPrepared(target: Target) {
  const prepared = Prepared.safeParse(target.state);
  if (!prepared.success) throw new PlatformError('rejected', 'The post was never prepared.');
  return prepared.data;
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

function toPublished(target: Target, uri: string): Published {
  const { did, handle } = readCredentials(target.credentials);
  const profile = handle === 'handle.invalid' ? did : handle;
  const rkey = uri.slice(uri.lastIndexOf('/') + 1);
  return { externalId: uri, url: `https://bsky.app/profile/${profile}/post/${rkey}` };
}

const tidAlphabet = '234567abcdefghijklmnopqrstuvwxyz';
const tidClock = randomInt(1024);
let lastTidMicros = 0;

/**
 * A record key that sorts by time: 53 bits of microseconds, 10 bits of this process.
 * @see https://atproto.com/specs/tid
 */
function nextTid(): string {
  lastTidMicros = Math.max(Date.now() * 1000, lastTidMicros + 1);
  const value = (BigInt(lastTidMicros) << 10n) | BigInt(tidClock);
  return Array.from({ length: 13 }, (_, place) =>
    tidAlphabet.charAt(Number((value >> BigInt(5 * (12 - place))) & 31n)),
  ).join('');
}

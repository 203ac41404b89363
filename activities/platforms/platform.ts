// What a network is to the engine: data in, data out, no database, no Temporal.
import type { z } from 'zod';
import type { PlatformDefinition, Traits } from '../../schema/platforms/definition.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';

/** What a network needs to act for an account. Plain JSON; stored only as ciphertext. */
export type Credentials = Record<string, string>;

/** Ids and choices of a network, saved before the phase that relies on them. Never secret. */
export type ProviderState = Record<string, unknown>;

/** What connecting gives: who the account is, and the credentials to act for it. */
export interface Connection {
  /**
   * The account's identity: a project has it once. Only what the network vouches for may stand here.
   * Where users name the server, ids are unique on that server alone, so it is `<id>@<host>`, with the
   * host that was asked. (A DID of Bluesky is unique everywhere, and verified with its directory.)
   */
  externalAccountId: string;
  accountName: string;
  credentials: Credentials;
  scope: string[];
  /** When the credentials expire unless refreshed; null: never. */
  tokenExpiresAt: Date | null;
  /** What `rulesFor` and the calls need to know of the account. Absent: none. */
  traits?: Traits;
}

export interface RefreshedCredentials {
  /** Absent: unchanged. */
  accountName?: string;
  /** Absent: unchanged. Ignored if the project has another account with this ID. */
  externalAccountId?: string;
  credentials: Credentials;
  tokenExpiresAt: Date | null;
  /** Absent: unchanged. */
  traits?: Traits;
}

/** One target of one post, as a phase sees it. */
export interface Target {
  resultId: string;
  externalAccountId: string;
  caption: string;
  mediaUrls: string[];
  /** The id at the network of the post that this one answers. */
  replyTo: string | null;
  platformOptions: Record<string, unknown>;
  /** When it was to go out. Those of one post are a millisecond apart, in their order. */
  dueAt: Date;
  credentials: Credentials;
  traits: Traits;
  state: ProviderState;
}

export interface Published {
  externalId: string;
  url: string | null;
  /** Kept with the attempt, and shown there. Never secret. */
  detail?: Record<string, unknown>;
}

/** The network has said that it takes nothing more for so long, of this account or of the whole app. */
export interface Throttle {
  scope: 'account' | 'app';
  waitMs: number;
}

/** `published`: it is public. `accepted`: the network finishes later, ask `confirm`. */
export type CommitOutcome = (
  { outcome: 'published'; published: Published } | { outcome: 'accepted'; state: ProviderState }
) & {
  /** Learnt from an answer that was taken all the same. */
  throttle?: Throttle | undefined;
};

/** `absent`: surely not there. `unknown`: can't tell, now or ever. */
export type ReconcileOutcome =
  { outcome: 'published'; published: Published } | { outcome: 'absent' } | { outcome: 'unknown' };

/**
 * A network: its entry and the calls to it. Every call throws a PlatformError and nothing else. `signal` aborts the HTTP under way.
 * After an unknown outcome a `commit` is sent again only when `reconcile` has said `absent`. Without
 * `reconcile` it never is.
 */
export interface Platform extends Pick<
  PlatformDefinition,
  'rules' | 'rulesFor' | 'options' | 'commitRepeatsForMs'
> {
  readonly name: PlatformName;
  /** Plain credentials (`POST /v1/accounts/connect`) to a connection; absent: consent only. */
  readonly connect?: {
    readonly credentials: z.ZodType<Credentials>;
    run(credentials: Credentials, signal: AbortSignal): Promise<Connection>;
  };
  /** The hosted connect flow; absent: plain credentials only. */
  readonly consent?: Consent;
  refresh?(credentials: Credentials, signal: AbortSignal): Promise<RefreshedCredentials>;
  /** Harmless, so repeated at will. Returns the ids and choices that `commit` needs. */
  prepare?(target: Target, signal: AbortSignal): Promise<ProviderState>;
  /** The one call that makes the post public. */
  commit(target: Target, signal: AbortSignal): Promise<CommitOutcome>;
  confirm?(target: Target, signal: AbortSignal): Promise<CommitOutcome>;
  /**
   * After an unknown outcome, or after a restore of our database: looks whether the post exists. `state`
   * is empty where what was prepared is lost: then by what the target was accepted with.
   */
  reconcile?(target: Target, signal: AbortSignal): Promise<ReconcileOutcome>;
  revoke?(credentials: Credentials, signal: AbortSignal): Promise<void>;
}

/** The network's own consent page, and what comes back from it. */
export interface Consent {
  /** Where to send the user. `state` and `callbackUrl` come back to us with the answer. */
  authorizeUrl(request: { state: string; callbackUrl: string }): string;
  /** The callback's query to a connection. */
  complete(
    query: Record<string, string>,
    request: { callbackUrl: string },
    signal: AbortSignal,
  ): Promise<Connection>;
}

/** The fetch that platforms are given; the same as the global one in form. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

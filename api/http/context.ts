// The context of every operation: the configuration and the open connections of this process.
import type { Logger } from 'pino';
import type { PendingRefreshes } from '../../activities/logins/pending-refreshes.ts';
import type { Platforms } from '../../activities/platforms/index.ts';
import type { MediaStorage } from '../../activities/media/store/store.ts';
import type { KeyedLimit } from '../../activities/keyed-limits.ts';
import type { PublicUrls } from '../../activities/platforms/public-urls.ts';
import type { UrlGuard } from '../../activities/egress/url-guard.ts';
import type { Config } from '../../schema/config/config.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Feed } from '../live/feed.ts';
import type { ShareCall } from './shared-calls.ts';

export interface Context {
  readonly config: Config;
  /** The base URL for clients, without a slash at the end. */
  readonly publicUrl: string;
  /** Web page of Temporal, for links. Undefined: not configured. */
  readonly temporalUiUrl: string | undefined;
  readonly db: Db;
  readonly notifier: Notifier;
  readonly feed: Feed;
  readonly vault: Vault;
  readonly guard: UrlGuard;
  readonly platforms: Platforms;
  readonly refreshes: PendingRefreshes;
  readonly shareCall: ShareCall;
  /** Runs reads that may go through all posts of a project, two at a time for each project. */
  readonly scanInTurn: KeyedLimit;
  /** Undefined: not configured. */
  readonly media: MediaStorage | undefined;
  readonly publicUrls: PublicUrls;
  readonly log: Logger;
}

/** The client of a request, from its API key. */
export interface Caller {
  readonly projectId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  readonly environment: KeyEnvironment;
  /** The caller uses the dashboard, with a session that was opened with this key. */
  readonly sessionId?: string;
  /** Null: the key never expires. */
  readonly keyExpiresAt: Date | null;
  /** For log lines. */
  readonly requestId?: string;
  readonly idempotency?: Idempotency;
}

export interface Idempotency {
  /** The request's Idempotency-Key. */
  readonly key: string;
  /** Whether a client library has made the key for one call, so that another call never has it. */
  readonly isAutomatic: boolean;
  /** A hash of the request. */
  readonly fingerprint: Buffer;
  /** The scopes that allowed the request. An API key without them doesn't get the stored answer. */
  readonly scopes: readonly Scope[];
}

// What every operation is given: the configuration and the open connections of this process.
import type { Logger } from 'pino';
import type { Platforms } from '../../activities/platforms/index.ts';
import type { UrlGuard } from '../../activities/egress/url-guard.ts';
import type { Config } from '../../schema/config/config.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/live/notifier.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { KeyEnvironment } from '../../schema/api-keys.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Health } from './health.ts';
import type { Feed } from '../live/feed.ts';

export interface Context {
  readonly config: Config;
  /** The base address that clients see, without a slash at the end. */
  readonly publicUrl: string;
  /** Temporal's web page, for links; undefined where nobody told. */
  readonly temporalUiUrl: string | undefined;
  readonly db: Db;
  readonly notifier: Notifier;
  readonly feed: Feed;
  readonly health: Health;
  readonly vault: Vault;
  readonly guard: UrlGuard;
  readonly platforms: Platforms;
  readonly log: Logger;
}

/** Who asks, from the key of the request. */
export interface Caller {
  readonly projectId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly environment: KeyEnvironment;
  /** Null: the key has no end. */
  readonly keyExpiresAt: Date | null;
  /** For log lines. */
  readonly requestId?: string;
  readonly idempotency?: Idempotency;
}

export interface Idempotency {
  /** The request's Idempotency-Key. */
  readonly key: string;
  /** A hash of what was asked with it. */
  readonly fingerprint: Buffer;
  /** What the request needs: a key without them does not get its answer. */
  readonly scopes: readonly Scope[];
}

// What a network brings to the contract test and to the fault matrix: its simulator, and facts that the tests
// need.
import type { PlatformTools } from '../../../../activities/platforms/index.ts';
import type {
  Credentials,
  Grant,
  NewApp,
  Platform,
  TargetMedia,
} from '../../../../activities/platforms/platform.ts';
import type { Db } from '../../../../schema/database/tables.ts';
import type { App } from '../../../../schema/platforms/definition.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import type { Phase } from '../../../../schema/posts/posts.ts';
import type { Switchboard } from '../faults.ts';

/** How a network refuses a request, in its own words. The network doesn't carry out the request. */
export type RefusalKind =
  /** Too many requests. The answer names no time. */
  | 'limited'
  /** Too many requests. The answer says to come back in about one second. */
  | 'limited_with_retry_after'
  /** Down for maintenance: 503, or the network's form of it. */
  | 'unavailable'
  /** Something broke: 500, or the network's form of it. */
  | 'error'
  /**
   * The network refuses the post for a reason that the connector doesn't know: see `NetworkSubject.refusal`.
   */
  | 'rejected';

/**
 * A simulator: how the network answers. `startFaultyServer` serves it, and decides how the answers travel.
 */
export interface NetworkServer {
  answer(request: Request): Promise<Response> | Response;
  /** `request`: the refused request, whose endpoint may have another form of errors. */
  refuse(kind: RefusalKind, request?: Request): Response;
  /** Ends the current token. Absent: the network's tokens don't expire. */
  expireToken?(): Promise<void> | void;
  /** The user or the network revokes the current token. */
  revokeToken(): Promise<void> | void;
}

/** A post as the network has it. */
export interface PublicPost {
  id: string;
  /** The text as the user wrote it. */
  text: string;
  replyTo: string | null;
  /** SHA-256 of each image and video. Needed if the subject has media. */
  media?: string[];
  /** Further fields of the request, with the network's own names. */
  options?: Record<string, unknown>;
}

/** What the user answers at the network's consent page. Default: `allow`. */
export type Decision = 'allow' | 'deny';

/** Any server of the network, simulated or real. */
export interface LiveNetwork {
  /** Settings of the installation, such as `FANFARE_SLACK_API_URL`. */
  env: Record<string, string>;
  /** What a user pastes to connect. Empty where accounts connect by consent. */
  credentials: Credentials;
  /**
   * Opens the link of a connect session and gives the user's consent at the network, or asks a person to give
   * it. Absent: the network has no consent page. `deny`: refuses at the network instead.
   */
  consent?(url: string, decision?: Decision): Promise<void> | void;
  /**
   * Like `consent`, but chooses every account of the login that can publish. Absent: a login has one account.
   */
  consentForAll?(url: string): Promise<void>;
  /** Position of the connection method that its account uses. Default: 0. */
  way?: number;
  /** Fanfare's app at the network. Absent: the network needs no app. */
  app?: NewApp;
  /** Credentials that the network refuses, each with the field that the error names. */
  wrongCredentials: { field: string; credentials: Credentials }[];
  /** Lists the public posts. Absent: nobody can read the posts back. */
  listPosts?(): Promise<PublicPost[]> | PublicPost[];
}

/** A simulated network with one account. Each test starts its own. */
export interface RunningNetwork extends LiveNetwork, AsyncDisposable {
  listPosts(): Promise<PublicPost[]> | PublicPost[];
  /**
   * Every token that the network ever gave out or takes. No answer, attempt or event may show one of these.
   */
  listSecrets(): string[];
  /**
   * Logs in at the network's own page. Absent: the account connects with the form, or at a consent page that
   * asks for nothing.
   */
  logIn?(platform: Platform): Promise<{ grant: Grant; app: App }>;
  /** How often the network gave new tokens. For networks with refreshes. */
  countRefreshes?(): Promise<number> | number;
  /** Further tools of the connector. Without a `fetch` here, its `fetch` is the switchboard's. */
  tools?: Partial<PlatformTools>;
}

export interface OptionExample {
  /** The network's options of a target, as a client sends them. */
  given: Record<string, unknown>;
  /** Part of the `options` of the public post. */
  arrives: Record<string, unknown>;
  /** Default: any text. Null: no text. */
  caption?: string | null;
  /** The example names something that only the simulator has, such as a thread. */
  isOwn?: true;
}

export interface RefusedOptions {
  given: Record<string, unknown>;
  /** The path of the option below `platform_options`. */
  path: string;
  code: string;
}

/** Facts that hold at any server of the network. */
export interface NetworkFacts {
  readonly name: PlatformName;
  /** Examples that together use every option of the network's schema. */
  readonly options: readonly OptionExample[];
  /** Options that no account of the network takes, each with the path and code of the first issue. */
  readonly refusedOptions?: readonly RefusedOptions[];
  /**
   * Options that no example can use: only other kinds of accounts take them, such as a bot instead of a webhook, or
   * only posts with certain media.
   */
  readonly otherOptions?: readonly string[];
  /** Threads have one level: every later part of a thread replies to the first part. */
  readonly hasFlatThreads?: true;
  /** A post needs an image, or a video. A reply has none. */
  readonly needsMedia?: 'image' | 'video';
  /** Options that every post needs. Absent: none. */
  readonly requiredOptions?: Record<string, unknown>;
  /** The network refreshes only a login that is at least a day old, and doesn't say how old a login is. */
  readonly refreshesOnlyOld?: true;
  /**
   * A text of this length, as the network counts. Default: a text of characters that have several code units
   * or points.
   */
  textOf?(length: number): string;
}

export interface NetworkSubject extends NetworkFacts {
  /** Default: the network's name. */
  readonly title?: string;
  /**
   * How a lost answer to a commit is resolved. `search`: a check finds the post. `key`: a check finds the
   * post, and a repeat with the same key is a no-op. `proof`: a check finds the post by what `prepare` saved,
   * and without that the outcome is unknown. `none`: no check can find the post, and a repeat has no key, so
   * the outcome is unknown.
   */
  readonly resolution: 'search' | 'key' | 'proof' | 'none';
  /** Number of HTTP requests of each stage for a single post, when all goes well; `reconcile`: one check. */
  readonly calls: Partial<Record<Phase, number>>;
  /**
   * Number of the call of a commit that publishes. The calls before it only ask, so a failure of theirs proves
   * that nothing was published. Default: 1.
   */
  readonly publishingCall?: number;
  /** Media of each post in the fault matrix. Absent: none. */
  readonly media?: readonly TargetMedia[];
  /** Whether the network's tokens expire and the connector refreshes them. */
  readonly hasRefresh?: true;
  /** A refresh token works more than once. */
  readonly keepsRefreshToken?: true;
  /** The network refuses a revoked login in the same way as an expired one. */
  readonly hidesRevocation?: true;
  /** The network has no form, so the user consents at its page. */
  readonly isByConsent?: true;
  /** Stages whose requests carry no token. */
  readonly publicStages?: readonly Phase[];
  /**
   * Whether `refuse('unavailable')` proves to the connector that the network took nothing. Absent: the call
   * counts as lost.
   */
  readonly isUnavailableSafe?: true;
  /** The network's answer to the removal of a gone post doesn't prove that the post is gone. */
  readonly cannotTellGone?: true;
  /** The network never says how long a limit lasts. */
  readonly hasNoRetryAfter?: true;
  /** The longest text of the account, as the network counts. */
  readonly textLimit: number;
  /** The network's code and words of `refuse('rejected')`, as the attempt keeps them. */
  readonly refusal: { platformCode: string; message: string };
  /**
   * Starts the simulator: `startFaultyServer(server, switchboard)` serves it behind a port that suffers the
   * switchboard's faults. A network that doesn't speak HTTP wraps each of its calls in `switchboard.take`.
   * `db` is the test's database, which only the sandbox needs.
   */
  start(switchboard: Switchboard, db: Db): Promise<RunningNetwork>;
}

// The interface of a network to the engine: data in, data out, no database, no Temporal.
import type { z } from 'zod';
import type { MediaKind } from '../../schema/media.ts';
import type { App, Traits } from '../../schema/platforms/definition.ts';
import type { PlatformEntry, PlatformName } from '../../schema/platforms/index.ts';
import type { ChangedContent } from '../../schema/posts/result-changes.ts';
import type { ThrottleScope } from './platform-error.ts';

/** Secrets and choices that let us act for an account. They are plain JSON, and stored only as ciphertext. */
export type Credentials = Record<string, string>;

/** A login, for calls that concern the login rather than one of its accounts. */
export interface Login {
  credentials: Credentials;
  /** The app that made the login. Null: the login was made without an app. */
  app: App | null;
}

/**
 * IDs, URLs and choices of a network. They are saved before the call that needs them, and stored only as
 * ciphertext.
 */
export type ProviderState = Record<string, unknown>;

/** The result of connecting: one login, with its credentials and the accounts that it reaches. */
export interface Grant {
  credentials: Credentials;
  scope: string[];
  /** When the credentials expire unless refreshed; null: never. */
  tokenExpiresAt: Date | null;
  /** The accounts that the login reaches: at least one. */
  accounts: readonly GrantedAccount[];
  /**
   * For the user who chooses among the accounts: a sentence that says what the login leaves out, and how to
   * add it. Absent: the login leaves nothing out, as far as the network says.
   */
  notice?: string;
}

/** An account that a login reaches. */
export interface GrantedAccount {
  /**
   * The account's identity, unique per project. It contains only facts that the network vouches for. Where
   * users name the server, ids are unique only on that server, so the identity is `<id>@<host>`, with the
   * host that was asked. (A Bluesky DID is unique everywhere, and verified with its directory.)
   */
  externalAccountId: string;
  accountName: string;
  /** Where the network shows the account's picture, for the user who connects it. Absent: the network names none. */
  pictureUrl?: string | undefined;
  /**
   * The kind of account, such as `Page`, for the user who chooses among accounts. Absent: the network has
   * only one kind.
   */
  kind?: string;
  /** Facts about the account that `rulesFor` and the calls need. Absent: they need no facts. */
  traits?: Traits;
  /** Why the account can't publish, as a sentence for its user. Null: the account can publish. */
  problem: string | null;
  /** The problem is a scope that the login lacks. */
  lacksScope?: true;
}

/** How an account is connected. */
export type ConnectMethod = FormMethod | ConsentMethod;

/** Credentials that the user types in. `POST /v1/accounts/connect` uses the first method of this kind. */
export interface FormMethod {
  readonly kind: 'form';
  readonly fields: z.ZodType<Credentials>;
  run(fields: Credentials, signal: AbortSignal): Promise<Grant>;
}

/** The network's own consent page, and its callback. */
export interface ConsentMethod {
  readonly kind: 'consent';
  /** Name of the login in the API, at a network with several logins. Absent: the network has one login. */
  readonly name?: string;
  /** Where the user logs in, such as `Facebook`. Absent: the user logs in at this network. */
  readonly title?: string;
  /** The button that the provider's rules ask for. Absent: a plain button. */
  readonly button?: 'google' | 'facebook' | 'tiktok';
  /** The network whose app makes the login. Absent: this network's own app. */
  readonly appOf?: PlatformName;
  /**
   * Asked before `begin`, such as a server or a handle. Absent or without members: the page only asks whether
   * to continue.
   */
  readonly inputs?: z.ZodType<Record<string, string>>;
  /** Registers Fanfare's app at the server that the inputs name. Absent: one app works for all servers. */
  readonly registration?: AppRegistration;
  /**
   * Makes the app that servers look up at its client ID. Absent: servers know the app because it was
   * registered.
   */
  readonly publicClient?: PublicClient;
  /** Codes in a callback that mean that the user refused, in addition to `access_denied`. */
  readonly denials?: readonly string[];
  /**
   * A hint for a user who comes back without an answer, because the network may show an error on a page without a way
   * back. Absent: no hint.
   */
  readonly deadEnd?: (productName: string) => string;
  begin(request: ConsentRequest, signal: AbortSignal): Promise<Begun>;
  /** Turns the callback's query into a grant. */
  complete(
    query: Record<string, string>,
    request: ConsentRequest & { flow: Flow },
    signal: AbortSignal,
  ): Promise<Grant>;
}

/**
 * At networks of many servers, each project has an app at each server, registered with its first consent. The
 * callback URL names the server.
 */
export interface AppRegistration {
  serverOf(inputs: Record<string, string>): string;
  register(server: string, client: NewClient, signal: AbortSignal): Promise<NewApp>;
  /** False: the server has forgotten the app, so another one is registered. */
  isKnown(server: string, app: App, signal: AbortSignal): Promise<boolean>;
}

/**
 * A client that is not registered. Servers read its document at its client ID, which is
 * `/connect/<network>/<project>/client-metadata.json`.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export interface PublicClient {
  create(projectId: string, callbackUrl: string): Promise<NewApp>;
  /** Null: this client has no document. */
  describe(app: App, client: NewClient): Record<string, unknown> | null;
}

/** What a server shows to the user, and where it sends the user back to. */
export interface NewClient {
  /** Name of the project. */
  productName: string;
  callbackUrl: string;
}

export type NewApp = Pick<App, 'clientId' | 'clientSecret'>;

export interface ConsentRequest {
  state: string;
  callbackUrl: string;
  /** Name of the project, for sentences to its user. */
  productName: string;
  inputs: Record<string, string>;
  /** Null: the network needs no app, or has a fixed one. */
  app: App | null;
}

export interface Begun {
  /** The consent page, which sends the user back to `callbackUrl` with `state`. */
  url: string;
  flow: Flow;
}

/**
 * Data of `begin` that `complete` needs, such as a PKCE verifier. They are secret, and stored only as
 * ciphertext.
 */
export type Flow = Record<string, string>;

/** Tokens that a client's own app obtained. */
export interface ImportedTokens {
  accessToken: string;
  refreshToken: string | null;
  expiresAt: Date | null;
  /** Null: the client doesn't say. */
  scope: string[] | null;
  /** Address of the server, for a network of many servers. */
  instance: string | null;
}

export interface RefreshedCredentials {
  /** Absent: the name doesn't change. */
  accountName?: string;
  /** Absent: the ID doesn't change. Ignored if the project has another account with this ID. */
  externalAccountId?: string;
  credentials: Credentials;
  tokenExpiresAt: Date | null;
  /** Absent: the traits don't change. */
  traits?: Traits;
}

/** Bytes that are read by range, so no process holds all of them. */
export interface MediaSource {
  readonly bytes: number;
  /** `range`: offsets of the first and the last byte. Default: everything. */
  open(range?: { start: number; end: number }): ReadableStream<Uint8Array>;
}

/** An image, a video or a document of a target, within the rules of its network. */
export interface TargetMedia extends MediaSource {
  readonly id: string;
  readonly kind: MediaKind;
  /** Such as `image/jpeg`. */
  readonly contentType: string;
  /** The name has the extension of the file's type. */
  readonly filename: string;
  /** SHA-256 of the bytes, in hex. */
  readonly sha256: string;
  /** In pixels. 0 for a document. */
  readonly width: number;
  readonly height: number;
  /** Null unless it is a video. */
  readonly durationMs: number | null;
  readonly altText: string | null;
  /** The client's own URL. Null: the client uploaded the file. */
  readonly url: string | null;
  /**
   * A URL from which the network can fetch the file. It expires after `forMs` (at most 25 hours), or earlier
   * if the target ends.
   */
  publicUrl(forMs: number): string;
  /** Still image of a video. Null: the network chooses one. */
  readonly thumbnail: TargetMedia | null;
  /** Position of the frame for networks that take one. Null: none was chosen. */
  readonly thumbnailAtMs: number | null;
}

/** One target of one post, with everything that a phase needs. */
export interface Target {
  resultId: string;
  externalAccountId: string;
  caption: string;
  media: readonly TargetMedia[];
  /** ID, at the network, of the post that this one replies to. */
  replyTo: string | null;
  platformOptions: Record<string, unknown>;
  /** When the target was due. Each target of a post is due a millisecond after the target before it. */
  dueAt: Date;
  credentials: Credentials;
  traits: Traits;
  state: ProviderState;
}

export interface Published {
  /** Null: the network gave no ID, so nothing can reply to the post. */
  externalId: string | null;
  url: string | null;
  /** The value of the result's `visibility`. Null: the network doesn't report it. */
  visibility: string | null;
  /** What is left to do, in the network's app. Absent: nothing. */
  nextAction?: 'finish_in_app';
  /** Stored and shown with the attempt. Never secret. */
  detail?: Record<string, unknown>;
  /**
   * The network still works on the post, so the engine asks `followUp` for at most `forMs`. Absent: the network has
   * finished.
   */
  followUp?: { state: ProviderState; forMs: number };
}

/** A limit. The network accepts no further call for `waitMs`. */
export interface Throttle {
  scope: ThrottleScope;
  waitMs: number;
}

/**
 * `prepared`: the post can be committed. `more`: a step has ended. The engine saves the state, and passes it
 * to `prepare` again after `waitMs`.
 */
export type PrepareOutcome =
  | { outcome: 'prepared'; state: ProviderState }
  | { outcome: 'more'; state: ProviderState; waitMs: number };

/**
 * `published`: the post is public. `accepted`: the network finishes later, so the engine polls it with
 * `confirm`. `stale`: the network no longer has what was prepared, and published nothing.
 */
export type CommitOutcome = (
  | { outcome: 'published'; published: Published }
  | { outcome: 'accepted'; state: ProviderState }
  | { outcome: 'stale' }
) & {
  /** A limit that the network reported in its successful answer. */
  throttle?: Throttle | undefined;
};

/** `absent`: the post certainly doesn't exist. `unknown`: another check wouldn't help. */
export type ReconcileOutcome =
  { outcome: 'published'; published: Published } | { outcome: 'absent' } | { outcome: 'unknown' };

/** An account on whose behalf the network is asked, and its login. */
export interface ConnectedAccount extends Login {
  externalAccountId: string;
  traits: Traits;
}

/** What a network says of the person behind an account. Null members: the network says nothing. */
export interface Creator {
  /** Name for display. */
  name: string | null;
  username: string | null;
  avatarUrl: string | null;
  /** Why they can publish nothing for now, as a sentence. Null: they can publish. */
  reason: string | null;
  /** Traits that replace those of the account with the same names. Absent: the traits don't change. */
  traits?: Traits;
}

/** What a network offers as the value of an option. Absent or null members: the network says nothing. */
export interface Choice {
  /** The value, which the option takes unchanged. It is unique among the choices of its kind. */
  id: string;
  name: string;
  description?: string | null | undefined;
  url?: string | null | undefined;
  imageUrl?: string | null | undefined;
  /** ID of the choice above this one. */
  parentId?: string | null | undefined;
  /** Why the account can't choose it, as a sentence. */
  disabledReason?: string | null | undefined;
}

/** `next`: the cursor of the next page. Undefined: this page is the last one. */
export interface ChoicePage {
  choices: readonly Choice[];
  next: string | undefined;
}

/** Reads a page of the whole list, which Fanfare keeps and searches. `cursor`: undefined for the first page. */
export type ReadChoices = (
  account: ConnectedAccount,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<ChoicePage>;

/** A target of a check, with facts about its login. */
export interface CheckedTarget extends Target {
  app: App | null;
  /** The scopes that the network granted. Null: unknown. */
  scope: readonly string[] | null;
}

/** What a login reaches now, as a connect would find it. */
export type Inspection = Pick<Grant, 'scope'> & {
  accounts: readonly Pick<GrantedAccount, 'externalAccountId' | 'problem'>[];
};

/** A published post. In an edit, it has the content that the post is to get. */
export interface PublishedPost {
  resultId: string;
  externalAccountId: string;
  /** ID of the post at the network. */
  externalId: string;
  caption: string;
  /** Alt texts of the media, in their order. */
  altTexts: readonly (string | null)[];
  /** ID, at the network, of the post that this one replies to. */
  replyTo: string | null;
  /** When the post became public. Null: unknown. */
  publishedAt: Date | null;
  platformOptions: Record<string, unknown>;
  credentials: Credentials;
  traits: Traits;
}

/** Removes posts. A call that fails with `post_gone` counts as a removal. */
export interface Unpublish {
  remove(post: PublishedPost, signal: AbortSignal): Promise<void>;
  /**
   * Whether the network still has the post, after the answer to `remove` was lost. Absent: `remove` is
   * repeated, because the network tells whether the post is gone.
   */
  exists?(post: PublishedPost, signal: AbortSignal): Promise<boolean>;
}

/** A published post with its new content. */
export interface EditedPost extends PublishedPost {
  /** What the edit changes, for networks that can leave the rest as it is. */
  changed: ChangedContent;
}

/** Edits posts. Throws `post_gone` if the network no longer has the post. */
export interface Edit {
  apply(post: EditedPost, signal: AbortSignal): Promise<void>;
  /**
   * Whether the post has the new content, after the answer to `apply` was lost. Absent: nobody can tell, so
   * the outcome stays unknown, unless `isRepeatable`.
   */
  isApplied?(post: EditedPost, signal: AbortSignal): Promise<boolean>;
  /**
   * A repeat of `apply` succeeds if the post has the new content already, so it is repeated after a lost answer.
   * Absent: only `isApplied` tells.
   */
  readonly isRepeatable?: true;
  /** Who can see the edited post. Absent or undefined: the edit leaves that as it is. */
  visibilityOf?(post: EditedPost): string | undefined;
}

/** A step after the publication of a target, such as setting a thumbnail. */
export interface Step {
  /** `target.replyTo` is the ID of the published post. */
  run(target: Target, signal: AbortSignal): Promise<void>;
  /** Whether the step was taken, after the answer to `run` was lost. Absent: a repeat of `run` changes nothing. */
  isDone?(target: Target, signal: AbortSignal): Promise<boolean>;
}

/** A published post that its network still works on. */
export type FollowedPost = Omit<PublishedPost, 'externalId'> & {
  externalId: string | null;
  state: ProviderState;
};

/** What the network has finished since. Absent or null members don't change. */
export type Finished = Partial<Pick<Published, 'externalId' | 'url' | 'visibility'>>;

/**
 * `more`: the network still works on the post, and is asked again after `waitMs`. `done`: it has finished. `gone`: it
 * has removed the post.
 */
export type FollowUpOutcome =
  | { outcome: 'more'; waitMs: number; finished?: Finished }
  | { outcome: 'done'; finished: Finished }
  | { outcome: 'gone' };

/**
 * Calls for checks of accounts. They publish nothing and leave no trace that anybody sees. Each call throws a
 * PlatformError if it finds something wrong.
 */
export interface AccountChecks {
  /**
   * Leaves out an account that can't publish, or gives it a problem. An empty scope: the network doesn't say.
   */
  inspect(target: CheckedTarget, signal: AbortSignal): Promise<Inspection>;
  /** Throws `isOutOfQuota` if the account may publish no more for now. Absent: the network has no such call. */
  quota?(target: Target, signal: AbortSignal): Promise<void>;
  /** A check can call `prepare`, because nobody sees what it makes, and the network drops that later. */
  readonly canPrepare?: true;
}

/**
 * The calls of a network, and its definition. Every call throws only PlatformErrors. `signal` aborts its HTTP
 * requests. After an unknown outcome, a `commit` is repeated only after `reconcile` has returned `absent`.
 * Without `reconcile`, it is never repeated.
 */
export interface Platform {
  readonly definition: PlatformEntry;
  /** Connection methods, in the order in which the hosted page offers them. At least one. */
  readonly connect: readonly ConnectMethod[];
  /** Asks the network for the accounts of the tokens. Absent: tokens can't be imported. */
  importTokens?(tokens: ImportedTokens, signal: AbortSignal): Promise<Grant>;
  refresh?(login: Login, signal: AbortSignal): Promise<RefreshedCredentials>;
  /** Whether `refresh` works for this login: some apps get no refresh token. Absent: always. */
  canRefresh?(credentials: Credentials): boolean;
  /**
   * Asks whether this login still works. Called once a day, for logins that aren't refreshed and whose end
   * the network doesn't report. Throws `reauthorize` if the login has ended. Absent: the network isn't asked.
   */
  check?(login: Login, signal: AbortSignal): Promise<void>;
  /**
   * Asks who would publish, and whether they can right now. Absent: the network doesn't require clients to show
   * that.
   */
  creator?(account: ConnectedAccount, signal: AbortSignal): Promise<Creator>;
  /** Reads the choices of each kind in the definition. */
  readonly choices?: Readonly<Record<string, ReadChoices>>;
  /**
   * Does the next step before the commit, in at most 20 s. The first step gets an empty state, and each later
   * step gets the state of the step before it. A step may be repeated, so it publishes nothing.
   */
  prepare?(target: Target, signal: AbortSignal): Promise<PrepareOutcome>;
  /** The one call that makes the post public. */
  commit(target: Target, signal: AbortSignal): Promise<CommitOutcome>;
  confirm?(target: Target, signal: AbortSignal): Promise<CommitOutcome>;
  /**
   * Checks whether the post exists, after an unknown outcome or a restore of our database. If the prepared
   * state was lost, `state` is empty, and the other members of `target` must suffice.
   */
  reconcile?(target: Target, signal: AbortSignal): Promise<ReconcileOutcome>;
  /** The steps in the definition, by their names. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** Asks about a published post that the network still works on. Reads only. */
  followUp?(post: FollowedPost, signal: AbortSignal): Promise<FollowUpOutcome>;
  /**
   * By which ID the network's events name the post of this state. An event makes the next `confirm` or `followUp` due,
   * and says nothing about the outcome. Absent: the network sends no events about posts.
   */
  eventIdOf?(state: ProviderState): string | undefined;
  /** Absent: the network has no call that removes a post. */
  readonly unpublish?: Unpublish;
  /** Absent: the network has no call that edits a post. */
  readonly edit?: Edit;
  /** Ends this login. A newer login of the same accounts must stay. */
  revoke?(login: Login, signal: AbortSignal): Promise<void>;
  /**
   * `revoke` ends all logins of its user at the app. So Fanfare calls it only if no other login at the app can
   * be that user's. Absent: `revoke` ends only its login.
   */
  readonly revokesAll?: RevokesAll;
  /** Absent: accounts of the network can't be checked. */
  readonly checks?: AccountChecks;
}

export interface RevokesAll {
  /** ID of the login's user, as in the trait `user_id`. Undefined: the login doesn't name its user. */
  userOf(credentials: Credentials): string | undefined;
}

/** The fetch that networks are called with. It has the signature of the global one. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

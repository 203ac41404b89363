// A simulated network as tests use it: its connector, its faults, and the posts that it has made public.
import { z } from 'zod';
import type {
  NewApp,
  Platform,
  ReconcileOutcome,
  Target,
  TargetMedia,
} from '../../../activities/platforms/platform.ts';
import { publishedAs } from '../../../activities/platforms/results.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { MediaRules, PlatformRules } from '../../../schema/platforms/definition.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import { sandbox } from '../../../schema/platforms/sandbox.ts';
import type { NetworkSubject, PublicPost } from './contract/subject.ts';
import { createSwitchboard, type Switchboard } from './faults.ts';
import { startFaultyServer, type FaultyServer } from './faulty-server.ts';
import { createSend, type Send } from './caller.ts';
import { dispatch, Refusal, refuse, type Route } from './strict-requests.ts';
import { createTokens, type Tokens } from './tokens.ts';
import type { Connection } from './connection.ts';

export type { PublicPost };

export interface SimulatedNetwork extends AsyncDisposable {
  readonly platform: Platform;
  readonly switchboard: Switchboard;
  /** The connection of its only account. */
  readonly connection: Connection;
  /** The app that made the connection. Absent: the connection was made without an app. */
  readonly app?: NewApp;
  /** The media of each post. Absent: posts have no media. */
  readonly media?: readonly TargetMedia[];
  /** The options of each post. Absent: posts have no options. */
  readonly options?: Record<string, unknown>;
  listPosts(): Promise<PublicPost[]> | PublicPost[];
  /** How often the network has issued new tokens. */
  countRefreshes(): Promise<number> | number;
  /** Tokens and secrets that must not appear anywhere. */
  listSecrets(): string[];
}

/** A simulated network that other processes can call too. */
export interface ServedNetwork extends SimulatedNetwork {
  readonly server: FaultyServer;
}

/** A kind of network, with the facts that tests need. */
export interface NetworkKind extends Pick<
  NetworkSubject,
  | 'calls'
  | 'publishingCall'
  | 'resolution'
  | 'publicStages'
  | 'isUnavailableSafe'
  | 'hidesRevocation'
  | 'keepsRefreshToken'
> {
  readonly name: string;
  /** Whether the network's tokens expire and are refreshed. */
  readonly hasRefresh: boolean;
  /** `db`: the database where the sandbox keeps its posts. */
  start(db: Db): Promise<SimulatedNetwork>;
}

export const simulatedRules: PlatformRules = {
  text: { max: 5_000, unit: 'characters' },
  isTextRequired: true,
  media: null,
  replies: { id: /^post-\d+$/, example: 'post-1' },
  source: 'simulated',
};
/** Up to four images and videos. */
export const simulatedMedia: MediaRules = {
  max: 4,
  canMix: true,
  image: { max: 4, types: ['image/jpeg', 'image/png'] },
  video: { max: 4, types: ['video/mp4'] },
  altText: 1_000,
};
/**
 * A definition with the sandbox's name, because the database must know the name. A repeated commit publishes
 * a second post.
 */
export const simulatedDefinition: PlatformEntry = {
  ...sandbox,
  rules: simulatedRules,
  options: z.strictObject({}),
  preparesOnlyMedia: false,
  commitRepeatsForMs: 0,
};

interface Simulation {
  routes(tokens: Tokens, posts: PublicPost[]): Route[];
  connect(send: Send): Platform;
}

/** A network of one account, behind a port of its own. */
export async function startSimulation({ routes, connect }: Simulation): Promise<ServedNetwork> {
  const tokens = createTokens();
  const posts: PublicPost[] = [];
  const switchboard = createSwitchboard();
  const all = [tokens.route, ...routes(tokens, posts)];
  const network = { ...tokens, refuse, answer: (request: Request) => dispatch(all, request) };
  const server = await startFaultyServer(network, switchboard);
  return {
    platform: switchboard.watch(connect(createSend(switchboard.fetch, server.url))),
    switchboard,
    server,
    connection: {
      externalAccountId: 'ada',
      accountName: 'ada',
      credentials: tokens.credentials,
      scope: [],
      tokenExpiresAt: null,
    },
    listPosts: () => posts,
    // The first pair was given at the login.
    countRefreshes: () => tokens.listSecrets().length / 2 - 1,
    listSecrets: () => tokens.listSecrets(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Makes a post public. */
export function addPost(posts: PublicPost[], post: Omit<PublicPost, 'id'>): PublicPost {
  const added = { ...post, id: `post-${posts.length + 1}` };
  posts.push(added);
  return added;
}

const Listed = z.array(z.object({ id: z.string(), text: z.string() }));

/** Lists the public posts, so that a check works without the prepared state, which a restore may lose. */
export function listRoute(tokens: Tokens, posts: PublicPost[]): Route {
  return {
    method: 'GET',
    path: /^\/posts$/,
    handle(request) {
      tokens.check(request);
      return Response.json(posts.map(({ id, text }) => ({ id, text })));
    },
  };
}

export async function findByText(
  send: Send,
  { caption, credentials }: Target,
  signal: AbortSignal,
): Promise<ReconcileOutcome> {
  const call = { method: 'GET', path: '/posts', mayRepeat: true, credentials, signal } as const;
  const { body } = await send({ ...call, answer: Listed });
  const found = body.find(({ text }) => text === caption);
  if (!found) return { outcome: 'absent' };
  return publishedAs(found.id, toUrl(found.id), 'public');
}

/** Refuses a reply to a post that the network doesn't have. */
export function checkReplyTo(posts: PublicPost[], replyTo: string | undefined): void {
  if (replyTo === undefined || posts.some(({ id }) => id === replyTo)) return;
  throw new Refusal(422, 'nothing_to_answer', `There is no ${replyTo}.`);
}

export const toUrl = (id: string) => `https://network.test/${id}`;

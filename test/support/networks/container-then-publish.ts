// A network like Instagram and Threads: the client creates a container, then publishes it once.
import { z } from 'zod';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { publishedAs } from '../../../activities/platforms/results.ts';
import { createRefresh, type Send } from './caller.ts';
import {
  addPost,
  checkReplyTo,
  findByText,
  listRoute,
  simulatedDefinition,
  startSimulation,
  toUrl,
  type NetworkKind,
  type PublicPost,
  type ServedNetwork,
} from './network.ts';
import { readJson, Refusal, type Route } from './strict-requests.ts';
import type { Tokens } from './tokens.ts';

const NewContainer = z.strictObject({
  text: z.string().min(1),
  reply_to_id: z.string().optional(),
});
const Publish = z.strictObject({ creation_id: z.string() });
const Made = z.object({ id: z.string() });
const ContainerStatus = z.object({
  status: z.enum(['IN_PROGRESS', 'FINISHED', 'EXPIRED', 'PUBLISHED']),
  post_id: z.string().nullable(),
});
const already = 'already_published';
const expired = 'container_expired';
const State = z.object({ containerId: z.string() });

export interface ContainerNetwork extends ServedNetwork {
  countContainers(): number;
  /** Ends every container that is not published. */
  expireContainers(): void;
}

/** `readyAtCheck`: number of the first check that finds a container finished. */
export async function startContainers({ readyAtCheck = 2 } = {}): Promise<ContainerNetwork> {
  const containers = new Map<string, Container>();
  const network = await startSimulation({
    routes: (tokens, posts) => routes(tokens, posts, containers, readyAtCheck),
    connect: (send) => connectContainers(send),
  });
  return {
    ...network,
    countContainers: () => containers.size,
    expireContainers() {
      for (const container of containers.values()) container.hasExpired = true;
    },
  };
}

export const containerThenPublish: NetworkKind = {
  name: 'a network of containers',
  start: () => startContainers(),
  calls: { prepare: 3, commit: 1, reconcile: 1 },
  resolution: 'search',
  isUnavailableSafe: true,
  hasRefresh: true,
};

interface Container {
  text: string;
  replyTo: string | null;
  checks: number;
  postId: string | null;
  hasExpired: boolean;
}

function routes(
  tokens: Tokens,
  posts: PublicPost[],
  containers: Map<string, Container>,
  readyAtCheck: number,
): Route[] {
  const statusOf = ({ postId, hasExpired, checks }: Container) => {
    if (postId !== null) return 'PUBLISHED';
    if (hasExpired) return 'EXPIRED';
    return checks < readyAtCheck ? 'IN_PROGRESS' : 'FINISHED';
  };
  const get = (id: string) => {
    const container = containers.get(id);
    if (!container) throw new Refusal(404, 'not_found', `There is no ${id}.`);
    return container;
  };
  return [
    listRoute(tokens, posts),
    {
      method: 'POST',
      path: /^\/containers$/,
      async handle(request) {
        tokens.check(request);
        const { text, reply_to_id } = await readJson(request, NewContainer);
        checkReplyTo(posts, reply_to_id);
        const id = `container-${containers.size + 1}`;
        const made = { text, replyTo: reply_to_id ?? null, checks: 0, postId: null };
        containers.set(id, { ...made, hasExpired: false });
        return Response.json({ id }, { status: 201 });
      },
    },
    {
      method: 'GET',
      path: /^\/containers\/([^/]+)$/,
      handle(request, [id = '']) {
        tokens.check(request);
        const container = get(id);
        container.checks++;
        return Response.json({ status: statusOf(container), post_id: container.postId });
      },
    },
    {
      method: 'POST',
      path: /^\/publish$/,
      async handle(request) {
        tokens.check(request);
        const container = get((await readJson(request, Publish)).creation_id);
        const { text, replyTo } = container;
        const status = statusOf(container);
        if (status === 'PUBLISHED') throw new Refusal(400, already, 'It is public.');
        if (status === 'EXPIRED') throw new Refusal(400, expired, 'Make another container.');
        if (status === 'IN_PROGRESS') throw new Refusal(400, 'not_ready', 'It is in progress.');
        container.postId = addPost(posts, { text, replyTo }).id;
        return Response.json({ id: container.postId });
      },
    },
  ];
}

/** The connector to such a network. `pollMs`: the wait between checks. A real network asks for a minute. */
export function connectContainers(send: Send, pollMs = 1): Platform {
  const readStatus = async (
    containerId: string,
    credentials: Record<string, string>,
    signal: AbortSignal,
  ) => {
    const path = `/containers/${containerId}`;
    const check = { method: 'GET' as const, path, mayRepeat: true, credentials, signal };
    return (await send({ ...check, answer: ContainerStatus })).body;
  };
  return {
    // A commit may be repeated at any time, because the network publishes a container only once.
    definition: { ...simulatedDefinition, commitRepeatsForMs: Number.POSITIVE_INFINITY },
    connect: [],
    refresh: createRefresh(send),

    async prepare({ caption, replyTo, credentials, state }, signal) {
      const made = State.safeParse(state).data;
      if (!made) {
        const json = { text: caption, ...(replyTo !== null && { reply_to_id: replyTo }) };
        const make = { path: '/containers', mayRepeat: true, credentials, json, signal };
        const { id: containerId } = (await send({ ...make, answer: Made })).body;
        return { outcome: 'more', state: { containerId }, waitMs: pollMs };
      }
      const { status } = await readStatus(made.containerId, credentials, signal);
      if (status === 'EXPIRED') return { outcome: 'more', state: {}, waitMs: 0 };
      if (status === 'IN_PROGRESS') return { outcome: 'more', state, waitMs: pollMs };
      return { outcome: 'prepared', state };
    },

    async commit({ state, credentials }, signal) {
      const json = { creation_id: State.parse(state).containerId };
      const call = { path: '/publish', mayRepeat: false, credentials, json, signal };
      try {
        const { id } = (await send({ ...call, answer: Made })).body;
        return publishedAs(id, toUrl(id), 'public');
      } catch (error) {
        const code = error instanceof PlatformError ? error.options.platformCode : undefined;
        if (code === expired) return { outcome: 'stale' };
        if (code !== already) throw error;
        // An earlier call that counted as lost has published the container. A check finds the post.
        throw new PlatformError('unknown_outcome', 'The container is public already.');
      }
    },

    async reconcile(target, signal) {
      const made = State.safeParse(target.state).data;
      if (!made) return findByText(send, target, signal);
      const { status, post_id } = await readStatus(made.containerId, target.credentials, signal);
      if (status !== 'PUBLISHED' || post_id === null) return { outcome: 'absent' };
      return publishedAs(post_id, toUrl(post_id), 'public');
    },
  };
}

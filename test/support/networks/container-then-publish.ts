// A network like Instagram and Threads: the client creates a container, then publishes it once.
import { z } from 'zod';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
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
  status: z.enum(['IN_PROGRESS', 'FINISHED', 'PUBLISHED']),
  post_id: z.string().nullable(),
});
const already = 'already_published';
const State = z.object({ containerId: z.string() });

export const containerThenPublish: NetworkKind = {
  name: 'a network of containers',
  start: () => startSimulation({ routes, connect }),
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
}

function routes(tokens: Tokens, posts: PublicPost[]): Route[] {
  const containers = new Map<string, Container>();
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
        containers.set(id, { text, replyTo: reply_to_id ?? null, checks: 0, postId: null });
        return Response.json({ id }, { status: 201 });
      },
    },
    {
      method: 'GET',
      path: /^\/containers\/([^/]+)$/,
      handle(request, [id = '']) {
        tokens.check(request);
        const container = get(id);
        const finished = ++container.checks > 1 ? 'FINISHED' : 'IN_PROGRESS';
        const { postId } = container;
        return Response.json({ status: postId ? 'PUBLISHED' : finished, post_id: postId });
      },
    },
    {
      method: 'POST',
      path: /^\/publish$/,
      async handle(request) {
        tokens.check(request);
        const container = get((await readJson(request, Publish)).creation_id);
        const { text, replyTo, checks, postId } = container;
        if (postId !== null) throw new Refusal(400, already, 'It is public.');
        if (checks < 2) throw new Refusal(400, 'not_ready', 'The container is in progress.');
        container.postId = addPost(posts, { text, replyTo }).id;
        return Response.json({ id: container.postId });
      },
    },
  ];
}

function connect(send: Send): Platform {
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
    // A container is published once.
    definition: { ...simulatedDefinition, commitRepeatsForMs: Number.POSITIVE_INFINITY },
    refresh: createRefresh(send),

    async prepare({ caption, replyTo, credentials }, signal) {
      const json = { text: caption, ...(replyTo !== null && { reply_to_id: replyTo }) };
      const make = { path: '/containers', mayRepeat: true, credentials, json, signal };
      const { id: containerId } = (await send({ ...make, answer: Made })).body;
      for (let checks = 0; checks < 3; checks++) {
        const { status } = await readStatus(containerId, credentials, signal);
        if (status === 'FINISHED') return { containerId };
      }
      throw new PlatformError('unavailable', 'The container is not finished.');
    },

    async commit({ state, credentials }, signal) {
      const json = { creation_id: State.parse(state).containerId };
      const call = { path: '/publish', mayRepeat: false, credentials, json, signal };
      const { id } = (
        await send({ ...call, answer: Made }).catch((error: unknown) => {
          // An earlier call that counted as lost has published it; a check finds it.
          const isThere = error instanceof PlatformError && error.options.platformCode === already;
          throw isThere
            ? new PlatformError('unknown_outcome', error.message, error.options)
            : error;
        })
      ).body;
      return { outcome: 'published', published: { externalId: id, url: toUrl(id) } };
    },

    async reconcile(target, signal) {
      const made = State.safeParse(target.state).data;
      if (!made) return findByText(send, target, signal);
      const { status, post_id } = await readStatus(made.containerId, target.credentials, signal);
      if (status !== 'PUBLISHED' || post_id === null) return { outcome: 'absent' };
      return { outcome: 'published', published: { externalId: post_id, url: toUrl(post_id) } };
    },
  };
}

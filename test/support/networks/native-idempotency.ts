// A network that takes a post once per Idempotency-Key; as Mastodon.
import { z } from 'zod';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { createRefresh, type Send } from './caller.ts';
import {
  addPost,
  checkReplyTo,
  simulatedOptions,
  simulatedRules,
  startSimulation,
  toUrl,
  type NetworkKind,
  type PublicPost,
} from './network.ts';
import { readJson, readQuery, Refusal, type Route } from './strict-requests.ts';
import type { Tokens } from './tokens.ts';

const NewStatus = z.strictObject({
  status: z.string().min(1),
  in_reply_to_id: z.string().optional(),
});
const Status = z.object({ id: z.string(), url: z.string(), text: z.string() });
const path = '/api/v1/statuses';

export const nativeIdempotency: NetworkKind = {
  name: 'a network with idempotency of its own',
  start: () => startSimulation({ routes, connect }),
  calls: { commit: 1, reconcile: 1 },
  resolution: 'key',
  isUnavailableSafe: true,
  hasRefresh: true,
};

function routes(tokens: Tokens, posts: PublicPost[]): Route[] {
  const byKey = new Map<string, PublicPost>();
  const present = ({ id, text }: PublicPost) => ({ id, text, url: toUrl(id) });
  return [
    {
      method: 'POST',
      path: /^\/api\/v1\/statuses$/,
      async handle(request) {
        tokens.check(request);
        const key = request.headers.get('idempotency-key');
        if (!key) throw new Refusal(422, 'no_key', 'Send an Idempotency-Key.');
        const { status, in_reply_to_id } = await readJson(request, NewStatus);
        checkReplyTo(posts, in_reply_to_id);
        const post =
          byKey.get(key) ?? addPost(posts, { text: status, replyTo: in_reply_to_id ?? null });
        byKey.set(key, post);
        return Response.json(present(post));
      },
    },
    {
      method: 'GET',
      path: /^\/api\/v1\/statuses$/,
      handle(request) {
        tokens.check(request);
        readQuery(request, z.strictObject({ limit: z.literal('40') }));
        return Response.json(posts.map(present));
      },
    },
  ];
}

function connect(send: Send): Platform {
  return {
    name: 'sandbox',
    rules: simulatedRules,
    commitRepeatsForMs: Number.POSITIVE_INFINITY,
    options: simulatedOptions,
    refresh: createRefresh(send),

    async commit({ resultId, caption, replyTo, credentials }, signal) {
      const { body } = await send({
        path,
        mayRepeat: false,
        credentials,
        headers: { 'idempotency-key': resultId },
        json: { status: caption, ...(replyTo !== null && { in_reply_to_id: replyTo }) },
        answer: Status,
        signal,
      });
      return { outcome: 'published', published: { externalId: body.id, url: body.url } };
    },

    async reconcile({ caption, credentials }, signal) {
      const { body } = await send({
        method: 'GET',
        path: `${path}?limit=40`,
        mayRepeat: true,
        credentials,
        answer: z.array(Status),
        signal,
      });
      const found = body.find(({ text }) => text === caption);
      if (!found) return { outcome: 'absent' };
      return { outcome: 'published', published: { externalId: found.id, url: found.url } };
    },
  };
}

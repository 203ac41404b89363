// A network that takes a repeat as a second post and shows nobody what it has; as a plain chat bot's.
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
import { readJson, type Route } from './strict-requests.ts';
import type { Tokens } from './tokens.ts';

const NewMessage = z.strictObject({ text: z.string().min(1), reply_to: z.string().optional() });
const Message = z.object({ id: z.string() });

export const noDedupe: NetworkKind = {
  name: 'a network without any dedupe',
  start: () => startSimulation({ routes, connect }),
  calls: { commit: 1 },
  resolution: 'none',
  isUnavailableSafe: true,
  hasRefresh: true,
};

function routes(tokens: Tokens, posts: PublicPost[]): Route[] {
  return [
    {
      method: 'POST',
      path: /^\/messages$/,
      async handle(request) {
        tokens.check(request);
        const { text, reply_to } = await readJson(request, NewMessage);
        checkReplyTo(posts, reply_to);
        const { id } = addPost(posts, { text, replyTo: reply_to ?? null });
        return Response.json({ id }, { status: 201 });
      },
    },
  ];
}

function connect(send: Send): Platform {
  return {
    name: 'sandbox',
    rules: simulatedRules,
    commitRepeatsForMs: 0,
    options: simulatedOptions,
    refresh: createRefresh(send),

    async commit({ caption, replyTo, credentials }, signal) {
      const json = { text: caption, ...(replyTo !== null && { reply_to: replyTo }) };
      const call = { path: '/messages', mayRepeat: false, credentials, json, signal };
      const { id } = (await send({ ...call, answer: Message })).body;
      return { outcome: 'published', published: { externalId: id, url: toUrl(id) } };
    },

    reconcile: () => Promise.resolve({ outcome: 'unknown' }),
  };
}

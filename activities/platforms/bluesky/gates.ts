// The gates of a post: records with its key that say who can reply to it, and who can quote it.
import { z } from 'zod';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import type { Target } from '../platform.ts';

export const Gate = z.object({
  collection: z.string(),
  value: z.record(z.string(), z.unknown()),
});
export type Gate = z.infer<typeof Gate>;

const collections = {
  threadgate: 'app.bsky.feed.threadgate',
  postgate: 'app.bsky.feed.postgate',
} as const;
export const gateCollections = Object.values(collections);

const rules = { mention: 'mentionRule', followers: 'followerRule', following: 'followingRule' };

/** `post`: the AT URI of the target. A reply has no threadgate, since only the first post of a thread can have one. */
export function toGates({ platformOptions, dueAt, replyTo }: Target, post: string): Gate[] {
  const { threadgate, postgate } = bluesky.options.parse(platformOptions);
  const toGate = (collection: string, members: Record<string, unknown>): Gate => ({
    collection,
    value: { $type: collection, post, createdAt: dueAt.toISOString(), ...members },
  });
  const gates: Gate[] = [];
  if (threadgate && replyTo === null) {
    const collection = collections.threadgate;
    const { allow, lists = [] } = threadgate;
    const allowed = [
      ...allow.map((rule) => ({ $type: `${collection}#${rules[rule]}` })),
      ...lists.map((list) => ({ $type: `${collection}#listRule`, list })),
    ];
    gates.push(toGate(collection, { allow: allowed }));
  }
  if (postgate?.disable_quotes) {
    const collection = collections.postgate;
    gates.push(toGate(collection, { embeddingRules: [{ $type: `${collection}#disableRule` }] }));
  }
  return gates;
}

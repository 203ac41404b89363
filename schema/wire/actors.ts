// Who made a change, as the wire shows it.
import { z } from 'zod';
import { describedEnum } from './described-enum.ts';

export const ActorType = describedEnum('ActorType', 'Type of the actor.', {
  key: 'A request with an API key.',
  user: 'A user at a hosted page.',
  system: 'Fanfare itself.',
});
export type ActorType = z.infer<typeof ActorType>;

export const Actor = z
  .object({
    type: ActorType,
    id: z.string().nullable().meta({
      description:
        'ID of the API key, or your ID of the user. Null for Fanfare itself, and if you gave the user no ID.',
    }),
    name: z.string().nullable().meta({
      description:
        'Name that the API key had at the time of the change. Null for a user, and for Fanfare itself.',
    }),
  })
  .meta({ id: 'Actor', description: 'Who created a post, or requested a change.' });
export type Actor = z.infer<typeof Actor>;

/** Rows have null instead, so that those of Fanfare itself stay small. */
export const system: Actor = { type: 'system', id: null, name: null };

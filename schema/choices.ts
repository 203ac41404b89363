// Choices on the wire. A choice is a value for an option that a network offers to an account.
import { z } from 'zod';
import { listQuery, maxPageSize } from './wire/listing.ts';
import { queryFlag } from './wire/shared-fields.ts';
import { Timestamp } from './wire/timestamp.ts';

export const Choice = z
  .object({
    id: z.string().meta({
      description: 'Value of the option. Unique among the choices of its kind and account.',
    }),
    name: z.string().meta({ description: 'Name for display.' }),
    description: z.string().nullable().meta({
      description: 'More about the choice, for display. Null if the network says nothing.',
    }),
    url: z.string().nullable().meta({
      description: 'URL of its page on the network. Null if there is none.',
    }),
    image_url: z.string().nullable().meta({
      description: 'URL of its picture on the network. Null if there is none.',
    }),
    parent_id: z.string().nullable().meta({
      description: '`id` of the choice above it. Null if there is none.',
    }),
    disabled_reason: z.string().nullable().meta({
      description: 'Why the account cannot choose it. Null if it can.',
    }),
  })
  .meta({ id: 'Choice', description: 'A value that the network offers for an option.' });
export type Choice = z.infer<typeof Choice>;

/** Members of a list of choices, beside its page. */
export const choiceListMembers = {
  fetched_at: Timestamp.meta({ description: 'Time when the network gave the list.' }),
  is_complete: z.boolean().meta({
    description: 'Whether these are all choices of the network. A very long list is cut.',
  }),
};
export type ChoiceListMembers = z.infer<z.ZodObject<typeof choiceListMembers>>;

/** A list that is older than this is fetched again. */
export const choicesFreshForMs = 3_600_000;
/** `refresh` fetches a list again if it is older than this. */
export const choicesRefreshAfterMs = 60_000;

export const ListChoices = listQuery(
  {
    parent_id: z.string().min(1).max(1_000).optional().meta({
      description: 'Only choices directly below this one.',
    }),
    q: z.string().trim().min(1).max(200).optional().meta({
      description: 'Only choices whose name or description contains this text. Case is ignored.',
    }),
    refresh: queryFlag(
      'Whether to ask the network again, at most once a minute. Otherwise Fanfare asks only if the list is more than an hour old.',
    ),
  },
  maxPageSize,
);
export type ListChoices = z.infer<typeof ListChoices>;

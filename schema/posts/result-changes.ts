// Edits and removals of published targets, as the wire shows them.
import { z } from 'zod';
import { Actor } from '../wire/actors.ts';
import { describedEnum } from '../wire/described-enum.ts';
import { fixedLimits } from '../wire/limits.ts';
import { Id, JsonObject } from '../wire/shared-fields.ts';
import { GivenPlatform } from '../platforms/index.ts';
import { someChange } from '../wire/some-change.ts';
import { Timestamp } from '../wire/timestamp.ts';
import { NextAction } from './next-action.ts';

export const ChangeType = describedEnum('ResultChangeType', 'Type of the change.', {
  edit: 'Edits the post at the network.',
  unpublish: 'Removes the post from the network.',
});
export type ChangeType = z.infer<typeof ChangeType>;

export const ChangeStatus = describedEnum('ResultChangeStatus', 'Status of the change.', {
  pending: 'In progress.',
  succeeded: 'The network has the change.',
  failed: 'The network does not have the change. `error_code` gives the reason.',
  outcome_unknown:
    'The network may have the change. Its response was lost, and checks gave no clear answer.',
});
export type ChangeStatus = z.infer<typeof ChangeStatus>;

export const ResultChange = z
  .object({
    id: Id,
    type: ChangeType,
    status: ChangeStatus,
    error_code: z.string().nullable().meta({
      description: 'Stable code of the failure. Null if there was no failure.',
    }),
    error_message: z.string().nullable().meta({
      description: 'Description of the failure. Null if there was no failure.',
    }),
    next_action: NextAction,
    actor: Actor,
    requested_at: Timestamp.meta({ description: 'Time of the request.' }),
    ended_at: Timestamp.nullable().meta({
      description: 'Time when the change ended. Null until then.',
    }),
  })
  .meta({ id: 'ResultChange', description: 'An edit or a removal of a published target.' });
export type ResultChange = z.infer<typeof ResultChange>;

/** How many changes a result shows. */
export const maxChangesShown = 20;

export const EditedMedia = z
  .strictObject({
    id: z.string().min(1).meta({ description: "ID of one of the target's media." }),
    alt_text: z.string().min(1).max(fixedLimits.altTextCharacters).nullish().meta({
      description: 'Description of the media for people who cannot see it. Default: none.',
    }),
  })
  .meta({ id: 'EditedMedia', description: 'New description of an image or a video of a post.' });

export const UpdateResult = someChange(
  z.strictObject({
    caption: z.string().max(fixedLimits.captionCharacters).optional().meta({
      description: 'New text of the post.',
    }),
    platform: GivenPlatform.optional().meta({
      description: 'Network that `platform_options` is meant for. The account must belong to it.',
    }),
    platform_options: JsonObject.optional().meta({
      description: "Options to change. Options that you omit don't change. Null removes an option.",
    }),
    media: z.array(EditedMedia).min(1).optional().meta({
      description: "Media with new descriptions. Media that you omit don't change.",
    }),
  }),
  ['platform'],
).meta({
  id: 'UpdateResult',
  description:
    'Changes to a published target. `after_publishing` in the capabilities lists the fields that its network can edit.',
});
export type UpdateResult = z.infer<typeof UpdateResult>;

/** What an edit changes. Absent members don't change. */
export interface ChangedContent {
  caption?: string;
  platform_options?: Record<string, unknown>;
  /** New alt texts by ID of the media. */
  alt_texts?: Record<string, string | null>;
}

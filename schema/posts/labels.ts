// Labels of posts: your own words for groups of posts, as the wire shows them.
import { z } from 'zod';
import { fixedLimits } from '../wire/limits.ts';
import { listQuery } from '../wire/listing.ts';
import { visibleText } from '../wire/shared-fields.ts';

/** A label of a post, or one to search for. Labels are case-sensitive. */
export const GivenLabel = visibleText(fixedLimits.labelCharacters);

export const GivenLabels = z
  .array(GivenLabel)
  .max(fixedLimits.labelsPerPost)
  .overwrite((labels) => [...new Set(labels)]);

export const Label = z
  .object({
    name: z.string().meta({ description: 'The label.' }),
    post_count: z.int().meta({ description: 'Number of posts that have the label.' }),
  })
  .meta({ id: 'Label', description: 'A label, with the number of its posts.' });
export type Label = z.infer<typeof Label>;

export const ListLabels = listQuery({});
export type ListLabels = z.infer<typeof ListLabels>;

// Labels of posts: your own words for groups of posts, as the wire shows them.
import { z } from 'zod';
import { fixedLimits } from '../wire/limits.ts';
import { visibleText } from '../wire/shared-fields.ts';

/** A label of a post, or one to search for. Labels are told apart by case. */
export const GivenLabel = visibleText(fixedLimits.labelCharacters);

export const GivenLabels = z
  .array(GivenLabel)
  .max(fixedLimits.labelsPerPost)
  .overwrite((labels) => [...new Set(labels)]);

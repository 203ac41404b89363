// What a post to Bluesky may ask for beside its content.
import { z } from 'zod';

export const BlueskyOptions = z
  .strictObject({
    langs: z
      .array(z.string().max(64).refine(isLanguage, 'must be a BCP 47 language tag'))
      .max(3)
      .optional()
      .meta({ description: 'Languages of the text, such as `en` or `pt-BR`.' }),
    tags: z
      .array(
        z
          .string()
          .regex(/^[^#\s]\S*$/u, 'must be a tag without #')
          .max(64),
      )
      .max(8)
      .optional()
      .meta({ description: 'Hashtags besides those in the text, without #.' }),
  })
  .meta({ id: 'BlueskyOptions', description: 'What a post to Bluesky may ask for.' });

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

// The tool `add_media_from_url`: adds a file to the media of a post, in a change of the post.
import { z } from 'zod';
import { askOrFail, type Agent, type RestRequest } from './agent.ts';

type Item = Record<string, unknown>;

export const AddMediaArguments = z.object({
  url: z.string().meta({ description: 'Public http or https URL of the file.' }),
  alt_text: z
    .string()
    .optional()
    .meta({ description: 'Description for people who cannot see it.' }),
});

/** A URL that the post has already is not added again. */
export async function addMedia(
  agent: Agent,
  change: RestRequest,
  { url, alt_text }: z.infer<typeof AddMediaArguments>,
): Promise<Record<string, unknown>> {
  return agent.mediaInTurn(`${agent.keyId} ${change.path}`, async () => {
    const found = await askOrFail(agent, { method: 'GET', path: change.path });
    const { media } = found['data'] as { media: Item[] };
    if (media.some((item) => item['url'] === url)) {
      const note = 'The post has this URL already, so nothing was added.';
      return { ...found, changed: false, note };
    }
    const added = { url, ...(alt_text !== undefined && { alt_text }) };
    return askOrFail(agent, { ...change, body: { media: [...media.map(toInput), added] } });
  });
}

/** Media that a URL has become are named by their ID. */
function toInput({ url, ...item }: Item): Item {
  const named = (item['id'] ?? null) === null ? { ...item, url } : item;
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null));
}

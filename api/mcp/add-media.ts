// The tool `add_media_from_url`: adds a file to the media of a post, in a change of the post.
import { askOrFail, type Agent, type RestRequest } from './agent.ts';

type Item = Record<string, unknown>;

interface Added {
  url?: unknown;
  alt_text?: unknown;
}

/** A URL that the post has already is not added again. */
export async function addMedia(
  agent: Agent,
  change: RestRequest,
  { url, alt_text }: Added,
): Promise<Record<string, unknown>> {
  return agent.mediaInTurn(`${agent.keyId} ${change.path}`, async () => {
    const found = await askOrFail(agent, { method: 'GET', path: change.path });
    const { media } = found['data'] as { media: Item[] };
    if (media.some((item) => item['url'] === url)) {
      const note = 'The post has this URL already, so nothing was added.';
      return { ...found, replayed: true, note };
    }
    const added = { url, ...(alt_text !== undefined && { alt_text }) };
    return askOrFail(agent, { ...change, body: { media: [...media.map(toGiven), added] } });
  });
}

/** Media that a URL has become are named by their ID. */
function toGiven({ url, ...item }: Item): Item {
  const named = (item['id'] ?? null) === null ? { ...item, url } : item;
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null));
}

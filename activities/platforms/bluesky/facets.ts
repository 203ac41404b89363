// Links, mentions and hashtags in a Bluesky post, as ranges of UTF-8 bytes.
import type { AppBskyRichtextFacet } from '@atproto/api';

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: AppBskyRichtextFacet.Main['features'];
}

/** The DID of a handle; null: nobody has the handle. */
export type ResolveHandle = (handle: string) => Promise<string | null>;

/**
 * Finds them like Bluesky's own app. Mentions of unknown handles and links that a PDS would refuse stay
 * text.
 */
export async function findFacets(text: string, resolve: ResolveHandle): Promise<Facet[]> {
  // Loaded on first use, since loading takes most of a second and tens of megabytes.
  const { AppBskyRichtextFacet, RichText } = await import('@atproto/api');
  const richText = new RichText({ text });
  richText.detectFacetsWithoutResolution();
  const found = richText.facets ?? [];
  const handles = new Set(
    found.flatMap(({ features }) =>
      features.filter((feature) => AppBskyRichtextFacet.isMention(feature)).map(({ did }) => did),
    ),
  );
  const dids = new Map(
    await Promise.all([...handles].map(async (handle) => [handle, await resolve(handle)] as const)),
  );
  return found
    .map(({ index: { byteStart, byteEnd }, features }) => ({
      index: { byteStart, byteEnd },
      features: features.map((feature) =>
        AppBskyRichtextFacet.isMention(feature)
          ? { ...feature, did: dids.get(feature.did) ?? '' }
          : feature,
      ),
    }))
    .filter((facet) => AppBskyRichtextFacet.validateMain(facet).success);
}

// Posts that are published at any network, as far as the rows say, and the requests that change them.
import { connectPlatforms, createPlatforms } from '../../../activities/platforms/index.ts';
import { createSandboxPlatform } from '../../../activities/platforms/sandbox/index.ts';
import { readConfig } from '../../../schema/config/config.ts';
import type { PostResultRow, SocialAccountRow } from '../../../schema/database/tables.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import type { ResultStatus } from '../../../schema/posts/posts.ts';
import type { TestRest } from '../app/rest.ts';
import type { Author } from '../rows/posts.ts';
import { txtOf } from '../servers/bluesky-identity.ts';

const nowhere = 'https://network.invalid';

/** Every network, at an address that nobody reaches. */
export function createUnreachablePlatforms() {
  const networks = connectPlatforms(readConfig({}).platforms, {
    fetch,
    lookUpTxt: txtOf({}),
    withWebSocket: () => Promise.reject(new Error('No test here calls a network.')),
  });
  const sandbox = createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere });
  return createPlatforms([...networks, sandbox]);
}

export interface Published {
  status?: ResultStatus;
  account?: Partial<Pick<SocialAccountRow, 'status' | 'scope'>>;
  result?: Partial<Pick<PostResultRow, 'external_id' | 'published_at' | 'error_code'>>;
  options?: Record<string, unknown>;
  mediaCount?: number;
}

export type PublishedRow = Awaited<ReturnType<typeof publishRow>>;

/** A post whose only target is published at the network, as far as the rows say. */
export async function publishRow(
  rest: TestRest,
  author: Author,
  platform: PlatformName,
  { status = 'published', account = {}, result = {}, options = {}, mediaCount = 0 }: Published = {},
) {
  const { db } = rest.context;
  const [accountId] = author.accounts;
  // The sandbox takes every post.
  const accounts = db.updateTable('social_accounts').where('id', '=', accountId);
  await accounts.set({ platform: 'sandbox', status: 'active' }).execute();
  const post = await author.create({ account_ids: [accountId] });
  const [{ id: resultId } = { id: '' }] = post.results;
  const item = {
    id: 'med_1',
    url: null,
    alt_text: null,
    thumbnail_id: null,
    thumbnail_at_ms: null,
  };
  await accounts.set({ platform, ...account }).execute();
  await db
    .updateTable('post_results')
    .set({
      platform,
      status,
      external_id: '1',
      published_at: new Date(),
      platform_options: JSON.stringify(options),
      media: JSON.stringify(Array.from({ length: mediaCount }, () => item)),
      ...result,
    })
    .where('id', '=', resultId)
    .execute();
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', post.id).execute();
  const results = `/v1/posts/${post.id}/results`;
  const { key } = author;
  /** `id`: of the result, if it isn't that of the post. */
  const at = (id = resultId) => `${results}/${id}`;
  return {
    accountId,
    unpublish: (id?: string) => rest.call('POST', `${at(id)}/unpublish`, { key }),
    mark: (id?: string) => rest.call('POST', `${at(id)}/mark-unpublished`, { key }),
    edit: (body: object, id?: string) => rest.call('PATCH', at(id), { key, body }),
    retry: () => rest.call('POST', `${at()}/retry`, { key }),
    /** Deletes the record of the post. */
    remove: (query = '') => rest.call('DELETE', `/v1/posts/${post.id}${query}`, { key }),
  };
}

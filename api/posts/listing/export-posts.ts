// Exports posts as a CSV file, page by page: a slow client holds neither a connection nor more than a page.
import { asProject } from '../../../activities/current-project.ts';
import type { ExportPosts } from '../../../schema/posts/listing.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import { maxPageSize } from '../../../schema/wire/listing.ts';
import type { Caller, Context } from '../../http/context.ts';
import { writeCsvRow } from '../../http/csv.ts';
import { listPosts } from './list-posts.ts';

const columns: Readonly<Record<string, (post: Post) => string | null>> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  caption: ({ caption }) => caption,
  labels: ({ labels }) => labels.join(';'),
  account_ids: ({ results }) => results.map((result) => result.social_account_id).join(' '),
  platforms: ({ results }) => results.map(({ platform }) => platform).join(' '),
  scheduled_at: ({ scheduled_at }) => scheduled_at,
  publish_by: ({ publish_by }) => publish_by,
  published_at: ({ published_at }) => published_at,
  created_at: ({ created_at }) => created_at,
  created_by: ({ created_by: { type, id, name } }) => name ?? id ?? type,
  media_urls: ({ media_urls }) => media_urls.join(' '),
  urls: ({ results }) => results.flatMap(({ url }) => url ?? []).join(' '),
  error_codes: ({ results }) => results.flatMap(({ error_code }) => error_code ?? []).join(' '),
  metadata: ({ metadata }) => JSON.stringify(metadata),
};

export const exportedColumns = Object.keys(columns);

/** Reads the first page before it answers, so that a refusal has its status. */
export async function exportPosts(
  context: Context,
  caller: Caller,
  query: ExportPosts,
): Promise<AsyncIterable<string>> {
  // A later page is read for the client's stream, outside of the request.
  const readPage = (cursor?: string) =>
    asProject(caller.projectId, () =>
      listPosts(context, caller, { ...query, limit: maxPageSize, cursor }, true),
    );
  const first = await readPage();

  async function* write() {
    yield writeCsvRow(exportedColumns);
    for (let page = first; ;) {
      yield page.data.map(toRow).join('');
      const { next_cursor: cursor } = page.meta;
      if (cursor === null) return;
      page = await readPage(cursor);
    }
  }
  return write();
}

function toRow(post: Post): string {
  return writeCsvRow(Object.values(columns).map((read) => read(post) ?? ''));
}

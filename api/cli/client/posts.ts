// The command `posts`: lists posts, or shows one.
import type { Fanfare, Post } from '../../../clients/typescript/src/index.ts';
import { InvalidArgument } from '../invalid-argument.ts';
import { nameOf } from './accounts.ts';
import { shorten, toJson, toTable, type CommonArguments, type Terminal } from './client.ts';
import { describePost } from './post.ts';

export interface PostsArguments extends CommonArguments {
  status?: string | undefined;
  limit?: string | undefined;
}

const defaultLimit = 20;
const mostPosts = 1_000;

export async function showPosts(
  client: Fanfare,
  id: string,
  { json, status, limit = String(defaultLimit) }: PostsArguments,
  { print, signal }: Terminal,
): Promise<number> {
  if (id) {
    const post = await client.posts.get(id, { signal });
    print(json ? toJson(post) : describePost(post));
    return 0;
  }
  const wanted = Number(limit);
  if (!(Number.isInteger(wanted) && wanted > 0 && wanted <= mostPosts)) {
    throw new InvalidArgument(`--limit must be a number from 1 to ${mostPosts}.`);
  }
  const posts: Post[] = [];
  // The server checks the statuses.
  const filter = status === undefined ? {} : { status: status.split(',') as never };
  const query = { ...filter, limit: Math.min(wanted, 100) };
  for await (const post of client.posts.list(query, { signal })) {
    posts.push(post);
    if (posts.length === wanted) break;
  }
  if (json) print(toJson(posts));
  else if (posts.length === 0) print('No posts.');
  else print(toTable(['POST', 'STATUS', 'TIME', 'ACCOUNTS', 'TEXT'], posts.map(toRow)));
  return 0;
}

function toRow({ id, status, scheduled_at, created_at, results, caption }: Post): string[] {
  const accounts = [...new Set(results.map(nameOf))].join(',');
  return [id, status, scheduled_at ?? created_at, shorten(accounts), shorten(caption)];
}

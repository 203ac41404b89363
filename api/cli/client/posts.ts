// The command `posts`: lists posts, or shows one.
import type { Fanfare, Post } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { shorten, toTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { nameOf } from './accounts.ts';
import { describePost } from './post.ts';

export interface PostsArguments {
  status?: string | undefined;
  limit?: string | undefined;
}

const defaultLimit = 20;
const mostPosts = 1_000;

export async function showPosts(
  client: Fanfare,
  id: string,
  { status, limit = String(defaultLimit) }: PostsArguments,
  { signal }: Terminal,
): Promise<Answer> {
  if (id) {
    const post = await client.posts.get(id, { signal });
    return { text: describePost(post), data: post };
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
  const text = toTable(['POST', 'STATUS', 'TIME', 'ACCOUNTS', 'TEXT'], posts.map(toRow));
  return { text: posts.length === 0 ? 'No posts.' : text, data: posts };
}

function toRow({ id, status, scheduled_at, created_at, results, caption }: Post): string[] {
  const accounts = [...new Set(results.map(nameOf))].join(',');
  return [id, status, scheduled_at ?? created_at, shorten(accounts), shorten(caption)];
}

// The command `watch`: a table of posts that is redrawn with each change, or a line for each change.
import type { Fanfare, LivePost, PostUpdate } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import { shorten, toPlain, toTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';
import { nameOf } from './accounts.ts';
import { exitCodeOf } from './exit-codes.ts';

const shownPosts = 15;
const ended = ['published', 'partial', 'failed', 'canceled'];
/** Clears the screen, and moves the cursor to its beginning. */
const clear = '\u001B[2J\u001B[H';

/** Watches until a signal. With an ID, until the post has ended, for its exit code. */
export async function watch(
  client: Fanfare,
  id: string,
  { json }: { json?: boolean | undefined },
  { print, note, isScreen, signal }: Terminal,
): Promise<Partial<Answer>> {
  const posts = new Map<string, LivePost>();
  // An unknown post has no updates.
  if (id) await client.posts.get(id, { signal });
  if (!id && !json) note('Watching posts. Ctrl-C ends.');
  const onLost = (error: Error) => note(`${toPlain(error.message)} Resuming.`);
  const stream = client.live.posts({ ...(id ? { id } : {}), signal, onLost });
  for await (const update of stream) {
    if (json) print(JSON.stringify(update));
    else if (isScreen) {
      keep(posts, update);
      print(`${clear}${toScreen([...posts.values()])}`);
    } else print(toLine(update));
    const { post } = update;
    if (id && !post) break;
    if (id && post && ended.includes(post.status)) return { exitCode: exitCodeOf(post) };
  }
  return {};
}

/** Of two states of a post, the one with the higher revision is newer. */
function keep(posts: Map<string, LivePost>, { post, post_id }: PostUpdate): void {
  const known = posts.get(post_id);
  if (post && known && known.revision > post.revision) return;
  posts.delete(post_id);
  if (post) posts.set(post_id, post);
}

/** The posts that changed last, the newest first. */
function toScreen(posts: LivePost[]): string {
  const rows = posts
    .slice(-shownPosts)
    .toReversed()
    .flatMap(({ id, status, caption, results }) => [
      [id, '', status, shorten(caption)],
      ...results.map((result) => ['', nameOf(result), result.status, outcomeOf(result)]),
    ]);
  return toTable(['POST', 'ACCOUNT', 'STATUS', 'TEXT OR RESULT'], rows);
}

function outcomeOf({ url, error_code, waiting_for }: LivePost['results'][number]): string {
  return url ?? error_code ?? (waiting_for ? `waits for ${waiting_for}` : '');
}

function toLine({ change, post_id, result_id, post }: PostUpdate): string {
  const result = post?.results.find(({ id }) => id === result_id);
  const what = result ? `${nameOf(result)} ${outcomeOf(result)}` : (post?.status ?? '');
  return [post_id, change, toPlain(what)].join('  ').trimEnd();
}

// The live stream of posts, which resumes from its cursor after a lost connection.
import { sleep } from './durations.ts';
import { FanfareError, invalidAnswer, toGraphqlError } from './errors.ts';
import { openEventStream } from './event-stream.ts';
import { liveCursor, postUpdated } from './live-documents.ts';
import type { Schemas } from './operations.ts';
import { delayMs } from './retry.ts';
import type { Sender } from './send.ts';
import { toWireNames } from './wire-names.ts';

type Post = Schemas['Post'];
type Result = Schemas['PostResult'];

/** The members of a post that the stream shows. `posts.get` reads the others. */
export interface LivePost extends Pick<
  Post,
  | 'id'
  | 'revision'
  | 'caption'
  | 'status'
  | 'created_at'
  | 'updated_at'
  | 'scheduled_at'
  | 'published_at'
  | 'labels'
> {
  results: LiveResult[];
}

export type LiveResult = Pick<
  Result,
  | 'id'
  | 'social_account_id'
  | 'platform'
  | 'account_name'
  | 'status'
  | 'external_id'
  | 'url'
  | 'error_code'
  | 'error_message'
  | 'error_hint'
  | 'is_retriable'
  | 'next_action'
  | 'waiting_for'
  | 'next_attempt_at'
>;

export interface PostUpdate {
  /** Pass it as `after` to resume from here. */
  cursor: string;
  /** What changed, such as `result.published`. Later versions may add values. */
  change: string;
  post_id: string;
  /** The result that a `result.…` change is about. */
  result_id: string | null;
  /** The post as it was when the message was sent. Null: it was deleted. */
  post: LivePost | null;
}

export interface LiveOptions {
  /** Only this post. The first update is its current state. */
  id?: string;
  /** Cursor of an earlier update: starts with every change since then. */
  after?: string;
  /** Ends the stream, without an error. */
  signal?: AbortSignal;
  /** Called when the stream breaks, before it is resumed. */
  onLost?: (error: FanfareError) => void;
}

export function createLive(sender: Sender) {
  const { connection } = sender;

  async function readCursor(signal: AbortSignal | undefined): Promise<string> {
    const asked = { body: { query: liveCursor }, takesKey: false };
    const options = signal ? { signal } : {};
    const answer = await sender.json<{ data: { liveCursor: string } }>(
      'POST',
      '/graphql',
      asked,
      options,
    );
    const { liveCursor: cursor } = answer.data;
    if (typeof cursor !== 'string') throw invalidAnswer('The answer has no cursor.');
    return cursor;
  }

  /**
   * Yields each change of posts from now on, in order, until the signal ends it. After a lost connection, it resumes
   * where it was. Throws if the key is refused, or the cursor is too old.
   */
  async function* posts(options: LiveOptions = {}): AsyncGenerator<PostUpdate, void, undefined> {
    const { id, signal, onLost } = options;
    let { after } = options;
    let isReached = false;
    for (let failures = 0; ;) {
      try {
        if (!isReached) {
          // If the server can't be reached at all, this throws after its retries.
          const newest = await readCursor(signal);
          isReached = true;
          if (id === undefined) after ??= newest;
        }
        const request = { query: postUpdated, variables: { id, after } };
        for await (const message of openEventStream(connection, request, signal)) {
          const update = toUpdate(message.data?.['postUpdated']);
          if (!update) throw toGraphqlError(message) ?? streamEnded();
          after = update.cursor;
          failures = 0;
          // A bookmark has only a newer cursor.
          if (update.post_id !== null) yield update as PostUpdate;
        }
        throw streamEnded();
      } catch (error) {
        if (signal?.aborted) return;
        if (!isReached || !(error instanceof FanfareError) || !error.isRetriable) throw error;
        onLost?.(error);
        try {
          await sleep(delayMs(failures++, error.retryAfter), signal);
        } catch {
          return;
        }
      }
    }
  }

  return { posts };
}

function streamEnded(): FanfareError {
  const message = 'The server ended the stream.';
  return new FanfareError({ code: 'connection_failed', message, isRetriable: true });
}

type Update = Omit<PostUpdate, 'post_id'> & { post_id: string | null };

/** Converts the names and the enum values of GraphQL to those of REST. */
function toUpdate(update: unknown): Update | undefined {
  if (!update) return undefined;
  try {
    const { post, ...members } = toWireNames(update) as Update;
    if (typeof members.cursor === 'string') return { ...members, post: post && toPost(post) };
  } catch {
    // Reported below.
  }
  throw invalidAnswer('An update of the stream is not as documented.');
}

function toPost(post: LivePost): LivePost {
  const lower = (word: string) => word.toLowerCase();
  const results = post.results.map((result) => ({
    ...result,
    platform: lower(result.platform),
    status: lower(result.status),
    next_action: lower(result.next_action),
    waiting_for: result.waiting_for && lower(result.waiting_for),
  }));
  return { ...post, status: lower(post.status), results };
}

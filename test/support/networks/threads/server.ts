// Threads as its reference documents it: one profile, its containers and its posts.
// By https://developers.facebook.com/docs/threads (posts, reference/publishing, create-replies, create-posts/polls,
// retrieve-and-discover-posts, delete-posts, troubleshooting, overview), read on 2026-11-26, and by answers that its
// clients have published. Not documented: the answer to a second publish of a container, and to one beyond the quota.
import { randomInt } from 'node:crypto';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { Logins, type Parameters } from './logins.ts';
import { fetchMedia } from './media.ts';
import { readNewContainer, type NewContainer } from './parameters.ts';
import {
  apiError,
  invalidChildren,
  limited,
  noPermission,
  notDownloaded,
  notFound,
  refuse,
  ThreadsRefusal,
} from './refusals.ts';
import {
  pick,
  quotas,
  showPost,
  showProfile,
  showQuota,
  type Container,
  type StoredPost,
} from './shown.ts';

/** What the next publish does instead of publishing and saying so. */
export type PublishFault =
  /** Publishes, and answers as if it had not. */
  | 'lies'
  /** Doesn't find the container, although it is finished. */
  | 'loses';

type Status = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

const dayMs = 24 * 3_600_000;
const replyTo = (given: NewContainer) => given.reply_to_id;
const isReply = ({ container }: StoredPost) => replyTo(container.given) !== undefined;

export class ThreadsServer implements NetworkServer {
  readonly user = { id: '17841405793187218', username: 'ada', name: 'Ada Lovelace' };
  readonly logins = new Logins(this.user.id);
  readonly containers: Container[] = [];
  readonly posts: StoredPost[] = [];
  /** Posts of other profiles. */
  readonly foreignPosts = new Set(['18050206876707110']);
  /** Method and path of each call, in their order. */
  readonly calls: string[] = [];
  /** Given to the next calls instead of Threads' own. */
  readonly answers: Response[] = [];
  readonly publishFaults: PublishFault[] = [];
  /** `error_message` of the next media containers. */
  readonly failures: string[] = [];
  /** Fetches of images that fail from now on. */
  failedFetches = 0;
  readonly readsUntilFinished: Record<NewContainer['media_type'], number> = {
    TEXT: 0,
    IMAGE: 0,
    VIDEO: 0,
    CAROUSEL: 0,
  };
  /** Reads of a new container, of a new post and of the lists that don't find it yet. */
  lag = { container: 0, post: 0, list: 0 };
  quota = { posts: 0, replies: 0 };
  private nextId = 17_900_000_000_000_000n + BigInt(randomInt(1_000_000_000));

  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(`${request.method} ${pathname}`);
    const given = this.answers.shift();
    if (given) return given;
    try {
      return await this.take(request, pathname.replace(/\/$/, ''));
    } catch (error) {
      if (error instanceof ThreadsRefusal) return error.toResponse();
      throw error;
    }
  }

  refuse(kind: RefusalKind, request?: Request): Response {
    const path = request ? new URL(request.url).pathname : '';
    return refuse(kind, path === '/oauth/access_token');
  }

  revokeToken(): void {
    this.logins.revokeAll();
  }

  expireToken(): void {
    this.logins.expireAll();
  }

  listPosts(): PublicPost[] {
    return this.posts.map(({ id, container: { given, children, sha256 } }) => ({
      id,
      text: given.text ?? '',
      replyTo: given.reply_to_id ?? null,
      media: [sha256, ...children.map((child) => child.sha256)].filter(
        (hash) => hash !== undefined,
      ),
      options: {
        ...(given.reply_control && { reply_control: given.reply_control }),
        ...(given.topic_tag && { topic_tag: given.topic_tag }),
        ...(given.link_attachment && { link_attachment: given.link_attachment }),
        ...(given.poll_attachment && { poll_attachment: given.poll_attachment }),
        ...(given.quote_post_id && { quote_post_id: given.quote_post_id }),
      },
    }));
  }

  /** A post that a person wrote. */
  addPost(text: string, createdAt = this.logins.now()): string {
    const container = this.createContainer({ media_type: 'TEXT', text }, []);
    return this.makePublic(container, createdAt);
  }

  private async take(request: Request, path: string): Promise<Response> {
    const { method } = request;
    const given = await readParameters(request);
    if (path === '/oauth/authorize') return this.logins.authorize(method, given);
    if (path === '/oauth/access_token') return this.logins.giveToken(given);
    if (path === '/access_token' && method === 'GET') return this.logins.exchange(given);
    if (path === '/refresh_access_token' && method === 'GET') return this.logins.refresh(given);
    const { access_token: parameter, ...rest } = given;
    const token = readBearer(request) ?? parameter;
    const [node = '', ...edges] = path
      .replace(/^\/v1\.0(?=\/)/, '')
      .slice(1)
      .split('/');
    if (node === 'debug_token') return this.logins.inspect(token, rest);
    const isOwn = node === 'me' || node === this.user.id;
    const call = [method, [isOwn ? 'me' : 'ID', ...edges].join('/')].join(' ');
    switch (call) {
      case 'GET me':
        this.logins.check(token);
        return Response.json(pick(showProfile(this.user), rest, ['id']));
      case 'GET ID':
        this.logins.check(token);
        return Response.json(this.showObject(node, rest));
      case 'DELETE ID':
        this.logins.check(token, 'threads_delete');
        return this.delete(node);
      case 'GET ID/replies':
      case 'GET ID/conversation':
        this.logins.check(token, 'threads_read_replies');
        return this.listAnswers(node, rest);
      case 'POST me/threads':
        this.logins.check(token, 'threads_content_publish');
        return this.create(token, rest);
      case 'POST me/threads_publish':
        this.logins.check(token, 'threads_content_publish');
        return this.publish(rest);
      case 'GET me/threads':
        this.logins.check(token);
        return this.list(rest, (post) => !isReply(post));
      case 'GET me/replies':
        this.logins.check(token, 'threads_read_replies');
        return this.list(rest, isReply);
      case 'GET me/threads_publishing_limit':
        this.logins.check(token, 'threads_content_publish');
        return this.showQuota(token, rest);
      default:
        throw apiError(100, `Unknown path components: ${path}`);
    }
  }

  private showObject(id: string, given: Parameters) {
    const container = this.containers.find((each) => each.id === id);
    if (container) {
      if (container.hiddenReads-- > 0) throw notFound(id);
      return pick(this.showContainer(container), given, ['id', 'status']);
    }
    const post = this.posts.find((each) => each.id === id);
    if (!post || post.hiddenReads-- > 0) throw notFound(id);
    return pick(showPost(post, this.user, this.posts), given, ['id']);
  }

  private showContainer(container: Container) {
    const status = this.statusOf(container);
    if (container.readsLeft > 0) container.readsLeft--;
    const { id, failure } = container;
    return { id, status, error_message: status === 'ERROR' ? failure : undefined };
  }

  private statusOf({ postId, madeAt, readsLeft, failure }: Container): Status {
    if (postId !== undefined) return 'PUBLISHED';
    if (this.logins.now() - madeAt >= dayMs) return 'EXPIRED';
    if (readsLeft > 0) return 'IN_PROGRESS';
    return failure === undefined ? 'FINISHED' : 'ERROR';
  }

  private async create(token: string | undefined, given: Parameters): Promise<Response> {
    const data = readNewContainer(given);
    const { reply_to_id, quote_post_id, auto_publish_text } = data;
    if (reply_to_id !== undefined) {
      this.logins.check(token, 'threads_manage_replies');
      this.checkPost(reply_to_id, 'reply_to_id');
    }
    if (quote_post_id !== undefined) this.checkPost(quote_post_id, 'quote_post_id');
    const children = (data.children ?? []).map((id) => this.findChild(id, given['children']!));
    const container = this.createContainer(data, children);
    const { image_url, video_url } = data;
    if (image_url !== undefined) {
      if (this.failedFetches-- > 0) throw notDownloaded(image_url);
      container.sha256 = await fetchMedia(image_url, 'image');
    }
    if (video_url !== undefined) await this.takeVideo(container, video_url);
    if (image_url !== undefined || video_url !== undefined) {
      container.failure ??= this.failures.shift();
    }
    this.containers.push(container);
    if (auto_publish_text) this.makePublic(container);
    return Response.json({ id: container.id });
  }

  /** Threads fetches a video later, so its failure shows only in the status. */
  private async takeVideo(container: Container, url: string): Promise<void> {
    try {
      container.sha256 = await fetchMedia(url, 'video');
    } catch (error) {
      if (!(error instanceof ThreadsRefusal)) throw error;
      container.failure = 'FAILED_DOWNLOADING_VIDEO';
    }
  }

  private createContainer(given: NewContainer, children: Container[]): Container {
    return {
      id: String(this.nextId++),
      given,
      children,
      sha256: undefined,
      madeAt: this.logins.now(),
      readsLeft: this.readsUntilFinished[given.media_type],
      hiddenReads: this.lag.container,
      failure: undefined,
      postId: undefined,
    };
  }

  private findChild(id: string, all: string): Container {
    const found = this.containers.find((container) => container.id === id);
    if (!found?.given.is_carousel_item || this.statusOf(found) !== 'FINISHED') {
      throw invalidChildren(all);
    }
    return found;
  }

  private checkPost(id: string, parameter: string): void {
    const post = this.posts.find((each) => each.id === id);
    const isThere = post ? post.hiddenReads-- <= 0 : this.foreignPosts.has(id);
    if (!isThere) throw apiError(100, `Param ${parameter} is not a valid threads_media ID`);
  }

  private publish({ creation_id: id = '', ...others }: Parameters): Response {
    if (Object.keys(others).length > 0) throw apiError(100, 'Unknown parameters');
    const container = this.containers.find((each) => each.id === id);
    const fault = this.publishFaults.shift();
    const isReady = container && this.statusOf(container) === 'FINISHED';
    if (!isReady || container.given.is_carousel_item || fault === 'loses') throw notFound(id);
    const count = replyTo(container.given) === undefined ? 'posts' : 'replies';
    if (this.quota[count] >= quotas[count]) throw limited();
    const postId = this.makePublic(container);
    if (fault === 'lies') throw noPermission();
    return Response.json({ id: postId });
  }

  private makePublic(container: Container, createdAt = this.logins.now()): string {
    const id = String(this.nextId++);
    container.postId = id;
    this.quota[replyTo(container.given) === undefined ? 'posts' : 'replies']++;
    const hidden = { hiddenReads: this.lag.post, hiddenLists: this.lag.list };
    this.posts.push({ id, container, createdAt, ...hidden });
    return id;
  }

  private delete(id: string): Response {
    const at = this.posts.findIndex((each) => each.id === id);
    if (at === -1) throw notFound(id);
    this.posts.splice(at, 1);
    return Response.json({ success: true, deleted_id: id });
  }

  /** `reverse`: newest first, which is the default. */
  private listAnswers(id: string, { reverse = 'true', ...given }: Parameters): Response {
    if (!this.posts.some((post) => post.id === id)) throw notFound(id);
    if (reverse !== 'true' && reverse !== 'false') throw apiError(100, 'Invalid reverse');
    return this.list(given, (post) => replyTo(post.container.given) === id, reverse === 'true');
  }

  private list(
    given: Parameters,
    isListed: (post: StoredPost) => boolean,
    isNewestFirst = true,
  ): Response {
    const { since = '0', limit = '25', after, fields, ...others } = given;
    if (Object.keys(others).length > 0 || !(Number(limit) <= 100)) {
      throw apiError(100, 'Invalid parameters');
    }
    if (since !== '0' && !(Number(since) >= 1_688_540_400)) throw apiError(100, 'Invalid since');
    const listed = this.posts
      .filter(isListed)
      .filter(({ createdAt }) => createdAt >= Number(since) * 1_000)
      .filter((post) => post.hiddenLists-- <= 0);
    const all = isNewestFirst ? listed.toReversed() : listed;
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const data = all.slice(start, start + Number(limit));
    const cursors = data.length > 0 && { before: data[0]!.id, after: data.at(-1)!.id };
    const asked: Parameters = fields === undefined ? {} : { fields };
    return Response.json({
      data: data.map((post) => pick(showPost(post, this.user, this.posts), asked, ['id'])),
      ...(cursors && { paging: { cursors } }),
    });
  }

  private showQuota(token: string | undefined, given: Parameters): Response {
    if (given['fields']?.includes('reply_')) this.logins.check(token, 'threads_manage_replies');
    if (given['fields']?.includes('delete_')) this.logins.check(token, 'threads_delete');
    return Response.json({ data: [pick(showQuota(this.quota), given, ['quota_usage'])] });
  }
}

const readBearer = ({ headers }: Request) =>
  /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];

/** Of the query and of the body, in any mixture. */
async function readParameters(request: Request): Promise<Parameters> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const type = request.headers.get('content-type')?.split(';')[0];
  if (request.method === 'GET' || type === undefined) return query;
  if (type === 'application/x-www-form-urlencoded') {
    return { ...query, ...Object.fromEntries(new URLSearchParams(await request.text())) };
  }
  throw apiError(100, `Can't read ${type}`);
}

// Threads as its reference documents it: one profile, its containers and its posts.
// Sources: https://developers.facebook.com/docs/threads (posts, reference/publishing, create-replies, create-posts/polls,
// retrieve-and-discover-posts, delete-posts, troubleshooting, overview), read on 2026-11-26, and answers that its
// clients have published. Not documented: how Threads answers a second publish of a container, or a publish beyond
// the quota.
import { z } from 'zod';
import type { PublicPost } from '../contract/subject.ts';
import { ContainerServer } from '../meta/container-server.ts';
import { GraphRefusal } from '../meta/refusals.ts';
import {
  form,
  listPage,
  Listing,
  pick,
  read,
  readBearer,
  readGiven,
  Reading,
  type Parameters,
} from '../meta/requests.ts';
import { ThreadsLogins } from './logins.ts';
import { fetchMedia } from './media.ts';
import { readNewContainer, type Kind, type NewContainer } from './parameters.ts';
import {
  apiError,
  invalidChildren,
  limited,
  noPermission,
  notDownloaded,
  notFound,
} from './refusals.ts';
import {
  quotas,
  showPost,
  showProfile,
  showQuota,
  type ThreadsContainer,
  type ThreadsPost,
} from './shown.ts';

/** A fault of the next publish. */
type PublishFault =
  /** Threads publishes, but answers as if it had not. */
  | 'lies'
  /** Threads doesn't find the container, although the container is finished. */
  | 'loses';

const Publish = z.strictObject({ creation_id: z.string() });
const firstSecond = 1_688_540_400;
const isReply = ({ container }: ThreadsPost) => container.given.reply_to_id !== undefined;
const countOf = ({ reply_to_id }: NewContainer) =>
  reply_to_id === undefined ? 'posts' : 'replies';

export class ThreadsServer extends ContainerServer<Kind, NewContainer, PublishFault> {
  readonly logins = new ThreadsLogins(this.user.id);
  /** Posts of other profiles. */
  readonly foreignPosts = new Set(['18050206876707110']);
  /** How many of the next fetches of images fail. */
  failedFetches = 0;
  quota = { posts: 0, replies: 0 };

  protected limited() {
    return limited();
  }

  protected takesCodes(path: string): boolean {
    return path === '/oauth/access_token';
  }

  protected countPost(given: NewContainer): void {
    this.quota[countOf(given)]++;
  }

  listPosts(): PublicPost[] {
    return this.posts.map(({ id, container }) => {
      const { text = '', reply_to_id: replyTo = null, ...options } = container.given;
      return { id, text, replyTo, media: this.hashesOf(container), options };
    });
  }

  /** A post that a person wrote. */
  addPost(text: string, createdAt = this.logins.now()): string {
    const container = this.createContainer('TEXT', { media_type: 'TEXT', text });
    return this.makePublic(container, createdAt);
  }

  protected async take(request: Request, path: string): Promise<Response> {
    const { method } = request;
    const { parameters } = await readGiven(request, [form]);
    if (path === '/oauth/authorize') return this.logins.authorize(request, parameters);
    if (path === '/oauth/access_token') return this.logins.giveToken(parameters);
    if (path === '/access_token' && method === 'GET') return this.logins.exchange(parameters);
    if (path === '/refresh_access_token' && method === 'GET') {
      return this.logins.refresh(parameters);
    }
    const { access_token, ...given } = parameters;
    const token = readBearer(request) ?? (access_token as string | undefined);
    const [node = '', ...edges] = path
      .replace(/^\/v1\.0(?=\/)/, '')
      .slice(1)
      .split('/');
    if (node === 'debug_token') return this.logins.inspect(token, given);
    const isOwn = node === 'me' || node === this.user.id;
    const call = [method, [isOwn ? 'me' : 'ID', ...edges].join('/')].join(' ');
    switch (call) {
      case 'GET me':
        this.logins.check(token);
        return Response.json(pick(showProfile(this.user), read(Reading, given).fields, ['id']));
      case 'GET ID':
        this.logins.check(token);
        return this.showObject(node, given);
      case 'DELETE ID':
        this.logins.check(token, 'threads_delete');
        return this.delete(node);
      case 'GET ID/replies':
      case 'GET ID/conversation':
        this.logins.check(token, 'threads_read_replies');
        return this.listAnswers(node, given);
      case 'POST me/threads':
        this.logins.check(token, 'threads_content_publish');
        return this.create(token, given);
      case 'POST me/threads_publish':
        this.logins.check(token, 'threads_content_publish');
        return this.publish(given);
      case 'GET me/threads':
        this.logins.check(token);
        return this.list(given, (post) => !isReply(post));
      case 'GET me/replies':
        this.logins.check(token, 'threads_read_replies');
        return this.list(given, isReply);
      case 'GET me/threads_publishing_limit':
        this.logins.check(token, 'threads_content_publish');
        return this.showQuota(token, given);
      default:
        throw apiError(100, `Unknown path components: ${path}`);
    }
  }

  private showObject(id: string, given: Parameters): Response {
    const { fields } = read(Reading, given);
    const container = this.readContainer(id);
    if (container) {
      const status = this.readStatus(container);
      const error_message = status === 'ERROR' ? container.failure : undefined;
      return Response.json(pick({ id, status, error_message }, fields, ['id', 'status']));
    }
    const post = this.readPost(id);
    if (!post) throw notFound(id);
    return Response.json(pick(showPost(post, this.user, this.posts), fields, ['id']));
  }

  private async create(token: string | undefined, given: Parameters): Promise<Response> {
    const data = readNewContainer(given);
    const { reply_to_id, quote_post_id, auto_publish_text } = data;
    if (reply_to_id !== undefined) {
      this.logins.check(token, 'threads_manage_replies');
      this.checkPost(reply_to_id, 'reply_to_id');
    }
    if (quote_post_id !== undefined) this.checkPost(quote_post_id, 'quote_post_id');
    const children = (data.children ?? []).map((id, _, all) => this.findChild(id, all.join()));
    const container = this.createContainer(data.media_type, data, children);
    const { image_url, video_url } = data;
    if (image_url !== undefined) {
      if (this.failedFetches-- > 0) throw notDownloaded(image_url);
      container.sha256 = await fetchMedia(image_url, 'image');
    }
    if (video_url !== undefined) await this.takeVideo(container, video_url);
    if (image_url !== undefined || video_url !== undefined) {
      container.failure ??= this.failures.shift() || undefined;
    }
    this.containers.push(container);
    if (auto_publish_text) this.makePublic(container);
    return Response.json({ id: container.id });
  }

  /** Threads fetches a video later, so a failure of the fetch shows only in the status. */
  private async takeVideo(container: ThreadsContainer, url: string): Promise<void> {
    try {
      container.sha256 = await fetchMedia(url, 'video');
    } catch (error) {
      if (!(error instanceof GraphRefusal)) throw error;
      container.failure = 'FAILED_DOWNLOADING_VIDEO';
    }
  }

  private findChild(id: string, all: string): ThreadsContainer {
    const found = this.containers.find((container) => container.id === id);
    if (!found?.given.is_carousel_item || this.statusOf(found) !== 'FINISHED') {
      throw invalidChildren(all);
    }
    return found;
  }

  private checkPost(id: string, parameter: string): void {
    if (this.readPost(id) || this.foreignPosts.has(id)) return;
    throw apiError(100, `Param ${parameter} is not a valid threads_media ID`);
  }

  private publish(given: Parameters): Response {
    const { creation_id: id } = read(Publish, given);
    const container = this.containers.find((each) => each.id === id);
    const fault = this.publishFaults.shift();
    const isReady = container && this.statusOf(container) === 'FINISHED';
    if (!isReady || container.given.is_carousel_item || fault === 'loses') throw notFound(id);
    const count = countOf(container.given);
    if (this.quota[count] >= quotas[count]) throw limited();
    const postId = this.makePublic(container);
    if (fault === 'lies') throw noPermission();
    return Response.json({ id: postId });
  }

  private delete(id: string): Response {
    const at = this.posts.findIndex((each) => each.id === id);
    if (at === -1) throw notFound(id);
    this.posts.splice(at, 1);
    return Response.json({ success: true, deleted_id: id });
  }

  /** `reverse`: the newest answer is first, which is the default. */
  private listAnswers(id: string, { reverse = 'true', ...given }: Parameters): Response {
    if (!this.posts.some((post) => post.id === id)) throw notFound(id);
    if (reverse !== 'true' && reverse !== 'false') throw apiError(100, 'Invalid reverse');
    const isAnswer = ({ container }: ThreadsPost) => container.given.reply_to_id === id;
    return this.list(given, isAnswer, reverse === 'true');
  }

  private list(
    given: Parameters,
    isListed: (post: ThreadsPost) => boolean,
    isNewestFirst = true,
  ): Response {
    const listing = read(Listing, given);
    const { since } = listing;
    if (since !== 0 && since < firstSecond) throw apiError(100, 'Invalid since');
    const newest = this.listSince(since, isListed);
    const posts = isNewestFirst ? newest : newest.toReversed();
    const rows = posts.map((post) => showPost(post, this.user, this.posts));
    return listPage(rows, listing, ['id']);
  }

  private showQuota(token: string | undefined, given: Parameters): Response {
    const { fields } = read(Reading, given);
    if (String(fields).includes('reply_')) this.logins.check(token, 'threads_manage_replies');
    if (String(fields).includes('delete_')) this.logins.check(token, 'threads_delete');
    return Response.json({ data: [pick(showQuota(this.quota), fields, ['quota_usage'])] });
  }
}

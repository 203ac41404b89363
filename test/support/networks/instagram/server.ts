// Instagram as its reference documents it: one account, its containers, its posts and their comments, at both hosts.
// By https://developers.facebook.com/docs/instagram-platform (content-publishing, and the references of ig-user/media,
// ig-user/media_publish, ig-user/content_publishing_limit, ig-container, ig-media and ig-media/comments), read on
// 2026-11-26, and by answers that clients have published. Not documented: the answer to a second publish of a
// container, to the 401st container of a day, and whether stories count toward the quota.
import { randomInt } from 'node:crypto';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { GraphRefusal } from '../facebook/refusals.ts';
import { FacebookSide, pageOf } from './facebook-side.ts';
import { InstagramLogins } from './logins.ts';
import { fetchImage, fetchVideo } from './media.ts';
import {
  readNewContainer,
  type ContainerKind,
  type NewContainer,
  type Parameters,
} from './parameters.ts';
import {
  badParameter,
  blocked,
  containerGone,
  graphError,
  InstagramRefusal,
  noPermission,
  notFound,
  notReady,
  outOfQuota,
  refuse,
} from './refusals.ts';
import { listPage, pick, readBearer, readParameters } from './requests.ts';

interface Container {
  id: string;
  kind: ContainerKind;
  given: NewContainer;
  children: Container[];
  /** SHA-256 of its file. */
  sha256: string | undefined;
  madeAt: number;
  /** Reads until it is finished. */
  readsLeft: number;
  /** Reads until it is known. */
  hiddenReads: number;
  /** Subcode in its status. */
  failure: number | undefined;
  mediaId: string | undefined;
}

interface StoredMedia {
  id: string;
  container: Container;
  createdAt: number;
  /** Reads of the post, and of the lists, until it is there. */
  hiddenReads: number;
  hiddenLists: number;
}

interface StoredComment {
  id: string;
  mediaId: string;
  text: string;
  createdAt: number;
  /** The author: the account, or somebody else. */
  by: string;
}

/** What the next publish does instead of publishing and saying so. */
export type PublishFault =
  /** Blocks the account: 403 with 4/2207051. */
  | 'blocks'
  /** Publishes, and answers as if it had blocked the account. */
  | 'lies'
  /** Says that the container is not ready, although it is finished. */
  | 'waits'
  /** Doesn't know the container, although it is finished. */
  | 'loses';

type Status = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';
type Right = 'read' | 'publish' | 'comment';

const scopes: Record<Right, { instagram: string; facebook: string }> = {
  read: { instagram: 'instagram_business_basic', facebook: 'instagram_basic' },
  publish: {
    instagram: 'instagram_business_content_publish',
    facebook: 'instagram_content_publish',
  },
  comment: {
    instagram: 'instagram_business_manage_comments',
    facebook: 'instagram_manage_comments',
  },
};

const dayMs = 24 * 3_600_000;
const productTypes: Partial<Record<ContainerKind, string>> = { REELS: 'REELS', STORIES: 'STORY' };

export class InstagramServer implements NetworkServer {
  readonly user = { id: '17841405793187218', username: 'ada', name: 'Ada Lovelace' };
  /** Of the account, for this app alone. */
  readonly scopedId = '25912345678901237';
  accountType = 'BUSINESS';
  readonly logins = new InstagramLogins(this.user.id);
  readonly facebook = new FacebookSide([pageOf(this.user.id)]);
  readonly containers: Container[] = [];
  readonly posts: StoredMedia[] = [];
  readonly comments: StoredComment[] = [];
  /** Pages that are places. */
  readonly places = new Set(['110774245616525']);
  /** Method and path of each call, in their order. The path begins with the host. */
  readonly calls: string[] = [];
  /** Given to the next calls instead of Instagram's own. */
  readonly answers: Response[] = [];
  readonly publishFaults: PublishFault[] = [];
  /** Subcodes of the next containers that fail. 0: it doesn't. */
  readonly failures: number[] = [];
  readonly readsUntilFinished: Record<ContainerKind, number> = {
    IMAGE: 0,
    VIDEO: 0,
    REELS: 0,
    STORIES: 0,
    CAROUSEL: 0,
  };
  /** Reads of a new container, of a new post and of the lists that don't find it yet. */
  lag = { container: 0, post: 0, list: 0 };
  quota = { used: 0, total: 50 };
  /** Of the video files, in milliseconds. */
  videoMs = 60_000;
  private nextId = 17_900_000_000_000_000n + BigInt(randomInt(1_000_000_000));

  async answer(request: Request): Promise<Response> {
    const [, host = '', ...rest] = new URL(request.url).pathname.split('/');
    const path = `/${rest.join('/')}`.replace(/(?<=.)\/$/, '');
    this.calls.push(`${request.method} ${host}${path}`);
    const given = this.answers.shift();
    if (given) return given;
    try {
      return await this.take(request, host, path);
    } catch (error) {
      if (error instanceof GraphRefusal) return error.toResponse();
      if (!(error instanceof InstagramRefusal)) throw error;
      return error.toResponse(host === 'graph.instagram.com' ? 'IGApiException' : undefined);
    }
  }

  refuse(kind: RefusalKind, request?: Request): Response {
    const path = request ? new URL(request.url).pathname : '';
    return refuse(kind, path.startsWith('/api.instagram.com/'));
  }

  revokeToken(): void {
    this.logins.revokeAll();
    this.facebook.revokeAll();
  }

  expireToken(): void {
    this.logins.expireAll();
    this.facebook.expireAll();
  }

  listPosts(): PublicPost[] {
    const posts = this.posts.map(({ id, container: { kind, given, children, sha256 } }) => ({
      id,
      text: given.caption ?? '',
      replyTo: null,
      media: [sha256, ...children.map((child) => child.sha256)].filter(
        (hash) => hash !== undefined,
      ),
      options: {
        ...given,
        ...(kind !== 'IMAGE' && { media_type: kind }),
        ...(kind === 'CAROUSEL' && { children: children.map((child) => child.given) }),
      },
    }));
    const own = this.comments.filter(({ by }) => by === this.user.id);
    const comments = own.map(({ id, text, mediaId }) => ({ id, text, replyTo: mediaId }));
    return [...posts, ...comments];
  }

  /** A post that a person published. */
  addPost(caption: string, createdAt = this.logins.now()): string {
    const container = this.createContainer(
      { image_url: 'https://example.com/1.jpg', caption },
      'IMAGE',
    );
    return this.makePublic(container, createdAt);
  }

  addComment(
    mediaId: string,
    text: string,
    by = '17841400000000002',
    createdAt = this.logins.now(),
  ): string {
    const id = String(this.nextId++);
    this.comments.push({ id, mediaId, text, createdAt, by });
    return id;
  }

  private async take(request: Request, host: string, path: string): Promise<Response> {
    const { method } = request;
    const given = await readParameters(request);
    switch (host) {
      case 'www.instagram.com':
        if (path === '/oauth/authorize') return this.logins.authorize(method, given);
        break;
      case 'api.instagram.com':
        if (path === '/oauth/access_token' && method === 'POST')
          return this.logins.giveToken(given);
        break;
      case 'graph.instagram.com':
        if (method === 'GET' && path === '/access_token') return this.logins.exchange(given);
        if (method === 'GET' && path === '/refresh_access_token') return this.logins.refresh(given);
        return this.takeCall(request, host, path, given);
      case 'www.facebook.com':
      case 'graph.facebook.com': {
        const answer = this.facebook.answer(host, request, path, given);
        if (answer) return answer;
        if (host === 'graph.facebook.com') return this.takeCall(request, host, path, given);
        break;
      }
    }
    throw badParameter(`Unknown path ${host}${path}`);
  }

  private takeCall(
    request: Request,
    host: string,
    path: string,
    { access_token: parameter, ...given }: Parameters,
  ): Promise<Response> | Response {
    const token = readBearer(request) ?? (parameter as string | undefined);
    const [, version, rest = ''] = /^\/(v\d+\.\d+)?\/?(.*)$/.exec(path) ?? [];
    if (version !== undefined && Number(version.slice(1)) < 22) {
      throw graphError(2635, '(#2635) You are calling a deprecated version of the Ads API.');
    }
    const [node = '', edge, ...others] = rest.split('/');
    if (others.length > 0) throw badParameter(`Unknown path components: ${path}`);
    // Meta's own client repeats the object of the path.
    if (given['id'] === node) delete given['id'];
    const allow = (right: Right) => this.allow(host, token, right);
    const isOwn = node === this.user.id || (node === 'me' && host === 'graph.instagram.com');
    switch (`${request.method} ${isOwn ? 'user' : 'object'} ${edge ?? ''}`) {
      case 'GET user ':
        allow('read');
        return Response.json(this.showUser(host, given));
      case 'POST user media':
        allow('publish');
        return this.create(given);
      case 'POST user media_publish':
        allow('publish');
        return this.publish(given);
      case 'GET user media':
        allow('read');
        return this.list(given, false);
      case 'GET user stories':
        allow('read');
        return this.list(given, true);
      case 'GET user content_publishing_limit':
        allow('publish');
        return this.showQuota(given);
      case 'GET object ':
        allow('read');
        return Response.json(this.showObject(node, given));
      case 'POST object comments':
        allow('comment');
        return this.comment(node, given);
      case 'GET object comments':
        allow('read');
        return this.listComments(node, given);
      default:
        throw notFound(node);
    }
  }

  private allow(host: string, token: string | undefined, right: Right): void {
    const scope = scopes[right];
    if (host === 'graph.instagram.com') return this.logins.check(token, scope.instagram);
    const account = this.facebook.accountOf(token, scope.facebook);
    if (account !== this.user.id) throw noPermission();
  }

  /** The hosts have other fields. */
  private showUser(host: string, given: Parameters) {
    const { id, username, name } = this.user;
    const profile_picture_url = 'https://example.com/ada.jpg';
    const shared = { id, username, name, profile_picture_url };
    if (host === 'graph.facebook.com') return pick(shared, given, ['id']);
    const own = { id: this.scopedId, user_id: id, account_type: this.accountType };
    const body = pick({ ...shared, ...own }, given, ['id']);
    return this.logins.answers === 'wrapped' ? { data: [body] } : body;
  }

  private showObject(id: string, given: Parameters) {
    const container = this.containers.find((each) => each.id === id);
    if (container) {
      if (container.hiddenReads-- > 0) throw notFound(id);
      return pick(this.showContainer(container), given, ['id']);
    }
    const post = this.posts.find((each) => each.id === id);
    if (!post || post.hiddenReads-- > 0) throw notFound(id);
    return pick(this.showPost(post), given, ['id']);
  }

  private showContainer(container: Container) {
    const status_code = this.statusOf(container);
    if (container.readsLeft > 0) container.readsLeft--;
    const { id, failure } = container;
    const words: Record<Status, string> = {
      IN_PROGRESS: 'In Progress: Media is still being processed.',
      FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
      PUBLISHED: 'Published: Media has been published.',
      ERROR: `Error: Media upload has failed with error code ${failure}`,
      EXPIRED: 'Expired: Media was not published in 24 hours.',
    };
    return { id, status_code, status: words[status_code] };
  }

  private statusOf({ mediaId, madeAt, readsLeft, failure }: Container): Status {
    if (mediaId !== undefined) return 'PUBLISHED';
    if (this.logins.now() - madeAt >= dayMs) return 'EXPIRED';
    if (readsLeft > 0) return 'IN_PROGRESS';
    return failure === undefined ? 'FINISHED' : 'ERROR';
  }

  private showPost({ id, createdAt, container: { kind, given, children } }: StoredMedia) {
    const { caption, video_url, alt_text } = given;
    const isVideo = video_url !== undefined;
    return {
      id,
      media_type: kind === 'CAROUSEL' ? 'CAROUSEL_ALBUM' : isVideo ? 'VIDEO' : 'IMAGE',
      media_product_type: productTypes[kind] ?? 'FEED',
      caption,
      alt_text,
      permalink: `https://www.instagram.com/${kind === 'REELS' ? 'reel' : 'p'}/${BigInt(id).toString(36)}/`,
      shortcode: BigInt(id).toString(36),
      timestamp: toTimestamp(createdAt),
      username: this.user.username,
      children:
        children.length > 0 ? { data: children.map((child) => ({ id: child.id })) } : undefined,
    };
  }

  private async create(given: Parameters): Promise<Response> {
    const { data, kind } = readNewContainer(given);
    const { location_id, image_url, video_url, cover_url, thumb_offset = 0 } = data;
    if (location_id !== undefined && !this.places.has(location_id)) {
      throw graphError('INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID', 'Invalid location ID');
    }
    const children = (data.children ?? []).map((id) => this.findChild(id));
    const container = this.createContainer(data, kind, children);
    if (image_url !== undefined) {
      container.sha256 = await fetchImage(image_url, kind !== 'STORIES');
    }
    if (cover_url !== undefined) await fetchImage(cover_url, false);
    if (thumb_offset > this.videoMs) {
      throw graphError(1, 'An unknown error occurred', {
        subcode: 2207057,
        shown: `The thumbnail offset must be between 0 and ${this.videoMs}.`,
      });
    }
    if (video_url !== undefined) {
      const fetched = await fetchVideo(video_url);
      if ('failure' in fetched) container.failure = fetched.failure;
      else container.sha256 = fetched.sha256;
    }
    container.failure ??= this.failures.shift() || undefined;
    this.containers.push(container);
    return Response.json({ id: container.id });
  }

  private createContainer(
    given: NewContainer,
    kind: ContainerKind,
    children: Container[] = [],
  ): Container {
    return {
      id: String(this.nextId++),
      kind,
      given,
      children,
      sha256: undefined,
      madeAt: this.logins.now(),
      readsLeft: this.readsUntilFinished[kind],
      hiddenReads: this.lag.container,
      failure: undefined,
      mediaId: undefined,
    };
  }

  private findChild(id: string): Container {
    const found = this.containers.find((container) => container.id === id);
    if (!found) throw containerGone(id);
    const status = this.statusOf(found);
    if (status === 'EXPIRED') throw containerGone(id);
    if (!found.given.is_carousel_item || status !== 'FINISHED') {
      throw badParameter(`The container ${id} is no finished item of a carousel.`);
    }
    return found;
  }

  private publish(given: Parameters): Response {
    const { creation_id: id, fields: _, ...others } = given;
    if (Object.keys(others).length > 0) throw badParameter('Unknown parameters');
    if (typeof id !== 'string') throw badParameter('The parameter creation_id is required.');
    const container = this.containers.find((each) => each.id === id);
    const fault = this.publishFaults.shift();
    if (!container || fault === 'loses') throw containerGone(id);
    const status = this.statusOf(container);
    if (status === 'EXPIRED') throw containerGone(id);
    if (container.given.is_carousel_item) throw badParameter('It is an item of a carousel.');
    if (status !== 'FINISHED' || fault === 'waits') throw notReady();
    if (fault === 'blocks') throw blocked();
    if (this.quota.used >= this.quota.total) throw outOfQuota();
    const mediaId = this.makePublic(container);
    if (fault === 'lies') throw blocked();
    return Response.json({ id: mediaId });
  }

  private makePublic(container: Container, createdAt = this.logins.now()): string {
    const id = String(this.nextId++);
    container.mediaId = id;
    this.quota.used++;
    const hidden = { hiddenReads: this.lag.post, hiddenLists: this.lag.list };
    this.posts.push({ id, container, createdAt, ...hidden });
    return id;
  }

  /** Newest first. Stories are in a list of their own. */
  private list(given: Parameters, areStories: boolean): Response {
    const { fields, since = '0', until: _, ...paging } = given;
    const all = this.posts
      .filter(({ container: { kind } }) => (kind === 'STORIES') === areStories)
      .filter(({ createdAt }) => createdAt >= Number(since) * 1_000)
      .filter((post) => post.hiddenLists-- <= 0)
      .toReversed();
    return listPage(all, paging, (post) => pick(this.showPost(post), fieldsOf(fields), ['id']));
  }

  private comment(mediaId: string, given: Parameters): Response {
    const { message, fields: _, ...others } = given;
    if (Object.keys(others).length > 0) throw badParameter('Unknown parameters');
    if (typeof message !== 'string' || message.trim() === '') {
      throw badParameter('The parameter message is required.');
    }
    this.requirePost(mediaId);
    return Response.json({ id: this.addComment(mediaId, message, this.user.id) });
  }

  private listComments(mediaId: string, { fields, ...paging }: Parameters): Response {
    this.requirePost(mediaId);
    const all = this.comments.filter((each) => each.mediaId === mediaId).toReversed();
    return listPage(all, paging, ({ id, text, createdAt, by }) => {
      const from = { id: by, username: by === this.user.id ? this.user.username : 'somebody' };
      const shown = { id, text, timestamp: toTimestamp(createdAt), from, username: from.username };
      return pick(shown, fieldsOf(fields), ['id', 'text', 'timestamp']);
    });
  }

  private requirePost(id: string): void {
    const post = this.posts.find((each) => each.id === id);
    if (!post || post.hiddenReads-- > 0) throw notFound(id);
  }

  private showQuota({ fields, ...others }: Parameters): Response {
    if (Object.keys(others).length > 0) throw badParameter('Unknown parameters');
    const { used: quota_usage, total: quota_total } = this.quota;
    const all = { quota_usage, config: { quota_total, quota_duration: 86_400 } };
    return Response.json({ data: [pick(all, fieldsOf(fields), ['quota_usage'])] });
  }
}

const toTimestamp = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000');

const fieldsOf = (fields: unknown): Parameters => (fields === undefined ? {} : { fields });

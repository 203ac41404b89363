// Instagram as its reference documents it: one account, its containers, its posts and their comments, at both hosts.
// Sources: https://developers.facebook.com/docs/instagram-platform (content-publishing, and the references of ig-user/media,
// ig-user/media_publish, ig-user/content_publishing_limit, ig-container, ig-media and ig-media/comments), read on
// 2026-11-26, and answers that clients have published. Not documented: the answer to a second publish of a
// container, to the 401st container of a day, and whether stories count toward the quota.
import { z } from 'zod';
import type { PublicPost } from '../contract/subject.ts';
import { ContainerServer, type Container, type StoredPost } from '../meta/container-server.ts';
import { GraphRefusal, invalid, missing } from '../meta/refusals.ts';
import {
  fields,
  form,
  json,
  listPage,
  Listing,
  Paging,
  pick,
  read,
  readBearer,
  readGiven,
  Reading,
  withoutVersion,
  writeTime,
  type Parameters,
} from '../meta/requests.ts';
import { FacebookSide, pageOf } from './facebook-side.ts';
import { InstagramLogins } from './logins.ts';
import { fetchImage, fetchVideo } from './media.ts';
import { readNewContainer, type ContainerKind, type NewContainer } from './parameters.ts';
import { blocked, containerGone, limited, noPermission, notReady, outOfQuota } from './refusals.ts';

type InstagramContainer = Container<ContainerKind, NewContainer>;
type InstagramPost = StoredPost<ContainerKind, NewContainer>;

interface StoredComment {
  id: string;
  mediaId: string;
  text: string;
  createdAt: number;
  /** The author: the account, or somebody else. */
  by: string;
}

/** A fault of the next publish. */
type PublishFault =
  /** The account is blocked: 403 with 4/2207051. */
  | 'blocks'
  /** Instagram publishes, but answers as if it had blocked the account. */
  | 'lies'
  /** Instagram says that the container is not ready, although the container is finished. */
  | 'waits'
  /** Instagram says that it doesn't know the container, although the container is finished. */
  | 'loses';

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

const Publish = z.strictObject({ creation_id: z.string(), fields });
const NewComment = z.strictObject({ message: z.string().regex(/\S/), fields });
const productTypes: Partial<Record<ContainerKind, string>> = { REELS: 'REELS', STORIES: 'STORY' };

/** The path of each call begins with the host. */
export class InstagramServer extends ContainerServer<ContainerKind, NewContainer, PublishFault> {
  /** The account's ID for this app alone. */
  readonly scopedId = '25912345678901237';
  accountType = 'BUSINESS';
  readonly logins = new InstagramLogins(this.user.id);
  readonly facebook = new FacebookSide([pageOf(this.user.id)]);
  readonly comments: StoredComment[] = [];
  /** IDs of pages that are places. */
  readonly places = new Set(['110774245616525']);
  quota = { used: 0, total: 50 };
  /** Duration of the video files. */
  videoMs = 60_000;

  protected limited() {
    return limited();
  }

  protected takesCodes(path: string): boolean {
    return path.startsWith('/api.instagram.com/');
  }

  protected override toResponse(refusal: GraphRefusal, path: string): Response {
    return refusal.toResponse(
      path.startsWith('/graph.instagram.com/') ? { type: 'IGApiException' } : {},
    );
  }

  protected countPost(): void {
    this.quota.used++;
  }

  override revokeToken(): void {
    super.revokeToken();
    this.facebook.logins.revokeAll();
  }

  override expireToken(): void {
    super.expireToken();
    this.facebook.logins.expireAll();
  }

  listPosts(): PublicPost[] {
    const posts = this.posts.map(({ id, container }) => {
      const { kind, given, children } = container;
      const options = {
        ...given,
        ...(kind !== 'IMAGE' && { media_type: kind }),
        ...(kind === 'CAROUSEL' && { children: children.map((child) => child.given) }),
      };
      const media = this.hashesOf(container);
      return { id, text: given.caption ?? '', replyTo: null, media, options };
    });
    const own = this.comments.filter(({ by }) => by === this.user.id);
    const comments = own.map(({ id, text, mediaId }) => ({ id, text, replyTo: mediaId }));
    return [...posts, ...comments];
  }

  /** A post that a person published. */
  addPost(caption: string, createdAt = this.logins.now()): string {
    const given = { image_url: 'https://example.com/1.jpg', caption };
    return this.makePublic(this.createContainer('IMAGE', given), createdAt);
  }

  addComment(
    mediaId: string,
    text: string,
    by = '17841400000000002',
    createdAt = this.logins.now(),
  ): string {
    const id = this.newId();
    this.comments.push({ id, mediaId, text, createdAt, by });
    return id;
  }

  protected async take(request: Request, path: string): Promise<Response> {
    const [, host = ''] = path.split('/');
    const rest = path.slice(host.length + 1);
    const { parameters } = await readGiven(request, [form, json]);
    const { logins } = this.facebook;
    switch (`${host} ${request.method} ${rest}`) {
      case 'www.instagram.com GET /oauth/authorize':
      case 'www.instagram.com POST /oauth/authorize':
        return this.logins.authorize(request, parameters);
      case 'api.instagram.com POST /oauth/access_token':
        return this.logins.giveToken(parameters);
      case 'graph.instagram.com GET /access_token':
        return this.logins.exchange(parameters);
      case 'graph.instagram.com GET /refresh_access_token':
        return this.logins.refresh(parameters);
    }
    const own = withoutVersion(rest);
    const isOfFacebook =
      host === (own === '/dialog/oauth' ? 'www.facebook.com' : 'graph.facebook.com');
    const answer = isOfFacebook ? logins.answer(request, own, parameters) : undefined;
    if (answer) return answer;
    if (host === 'graph.instagram.com' || host === 'graph.facebook.com') {
      return this.takeCall(request, host, own, parameters);
    }
    throw invalid(`Unknown path ${path}`);
  }

  private takeCall(
    request: Request,
    host: string,
    path: string,
    { access_token, ...given }: Parameters,
  ): Promise<Response> | Response {
    const token = readBearer(request) ?? (access_token as string | undefined);
    const [node = '', edge, ...others] = path.slice(1).split('/');
    if (others.length > 0) throw invalid(`Unknown path components: ${path}`);
    const allow = (right: Right) => this.allow(host, token, right);
    const isOwn = node === this.user.id || (node === 'me' && host === 'graph.instagram.com');
    switch (`${request.method} ${isOwn ? 'user' : 'object'} ${edge ?? ''}`) {
      case 'GET user ':
        allow('read');
        return this.showUser(host, given);
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
        return this.showObject(node, given);
      case 'POST object comments':
        allow('comment');
        return this.comment(node, given);
      case 'GET object comments':
        allow('read');
        return this.listComments(node, given);
      default:
        throw missing(node, request.method);
    }
  }

  private allow(host: string, token: string | undefined, right: Right): void {
    const scope = scopes[right];
    if (host === 'graph.instagram.com') return this.logins.check(token, scope.instagram);
    const account = this.facebook.accountOf(token, scope.facebook);
    if (account !== this.user.id) throw noPermission();
  }

  /** Each host has its own fields. */
  private showUser(host: string, given: Parameters): Response {
    const { fields } = read(Reading, given);
    const { id, username, name } = this.user;
    const profile_picture_url = 'https://example.com/ada.jpg';
    const shared = { id, username, name, profile_picture_url };
    if (host === 'graph.facebook.com') return Response.json(pick(shared, fields, ['id']));
    const own = { id: this.scopedId, user_id: id, account_type: this.accountType };
    const body = pick({ ...shared, ...own }, fields, ['id']);
    return Response.json(this.logins.answers === 'wrapped' ? { data: [body] } : body);
  }

  private showObject(id: string, given: Parameters): Response {
    const { fields } = read(Reading, given);
    const container = this.readContainer(id);
    const post = container ? undefined : this.readPost(id);
    if (container) return Response.json(pick(this.showContainer(container), fields, ['id']));
    if (post) return Response.json(pick(this.showPost(post), fields, ['id']));
    throw missing(id);
  }

  private showContainer(container: InstagramContainer) {
    const status_code = this.readStatus(container);
    const words = {
      IN_PROGRESS: 'In Progress: Media is still being processed.',
      FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
      PUBLISHED: 'Published: Media has been published.',
      ERROR: `Error: Media upload has failed with error code ${container.failure}`,
      EXPIRED: 'Expired: Media was not published in 24 hours.',
    };
    return { id: container.id, status_code, status: words[status_code] };
  }

  private showPost({ id, createdAt, container: { kind, given, children } }: InstagramPost) {
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
      timestamp: writeTime(createdAt),
      username: this.user.username,
      children:
        children.length > 0 ? { data: children.map((child) => ({ id: child.id })) } : undefined,
    };
  }

  private async create(given: Parameters): Promise<Response> {
    const { data, kind } = readNewContainer(given);
    const { location_id, image_url, video_url, cover_url, thumb_offset = 0 } = data;
    if (location_id !== undefined && !this.places.has(location_id)) {
      throw new GraphRefusal('INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID', 'Invalid location ID');
    }
    const children = (data.children ?? []).map((id) => this.findChild(id));
    const container = this.createContainer(kind, data, children);
    if (image_url !== undefined) {
      container.sha256 = await fetchImage(image_url, kind !== 'STORIES');
    }
    if (cover_url !== undefined) await fetchImage(cover_url, false);
    if (thumb_offset > this.videoMs) {
      throw new GraphRefusal(1, 'An unknown error occurred', {
        subcode: 2207057,
        shown: `The thumbnail offset must be between 0 and ${this.videoMs}.`,
      });
    }
    if (video_url !== undefined) {
      const fetched = await fetchVideo(video_url);
      if ('failure' in fetched) container.failure = fetched.failure;
      else container.sha256 = fetched.sha256;
    }
    if (image_url !== undefined || video_url !== undefined) {
      container.failure ??= this.failures.shift() || undefined;
    }
    this.containers.push(container);
    return Response.json({ id: container.id });
  }

  private findChild(id: string): InstagramContainer {
    const found = this.containers.find((container) => container.id === id);
    if (!found) throw containerGone(id);
    const status = this.statusOf(found);
    if (status === 'EXPIRED') throw containerGone(id);
    if (!found.given.is_carousel_item || status !== 'FINISHED') {
      throw invalid(`The container ${id} is no finished item of a carousel.`);
    }
    return found;
  }

  private publish(given: Parameters): Response {
    const { creation_id: id } = read(Publish, given);
    const container = this.containers.find((each) => each.id === id);
    const fault = this.publishFaults.shift();
    if (!container || fault === 'loses') throw containerGone(id);
    const status = this.statusOf(container);
    if (status === 'EXPIRED') throw containerGone(id);
    if (container.given.is_carousel_item) throw invalid('It is an item of a carousel.');
    if (status !== 'FINISHED' || fault === 'waits') throw notReady();
    if (fault === 'blocks') throw blocked();
    if (this.quota.used >= this.quota.total) throw outOfQuota();
    const postId = this.makePublic(container);
    if (fault === 'lies') throw blocked();
    return Response.json({ id: postId });
  }

  /** Lists the newest post first. Stories are in a separate list. */
  private list(given: Parameters, areStories: boolean): Response {
    const listing = read(Listing, given);
    const isListed = ({ container: { kind } }: InstagramPost) =>
      (kind === 'STORIES') === areStories;
    const posts = this.listSince(listing.since, isListed);
    const rows = posts.map((post) => this.showPost(post));
    return listPage(rows, listing, ['id'], nextPage);
  }

  private comment(mediaId: string, given: Parameters): Response {
    const { message } = read(NewComment, given);
    if (!this.readPost(mediaId)) throw missing(mediaId, 'POST');
    return Response.json({ id: this.addComment(mediaId, message, this.user.id) });
  }

  private listComments(mediaId: string, given: Parameters): Response {
    const listing = read(Paging, given);
    if (!this.readPost(mediaId)) throw missing(mediaId);
    const all = this.comments.filter((each) => each.mediaId === mediaId).toReversed();
    const rows = all.map(({ id, text, createdAt, by }) => {
      const username = by === this.user.id ? this.user.username : 'somebody';
      return { id, text, timestamp: writeTime(createdAt), from: { id: by, username }, username };
    });
    return listPage(rows, listing, ['id', 'text', 'timestamp'], nextPage);
  }

  private showQuota(given: Parameters): Response {
    const { fields } = read(Reading, given);
    const { used: quota_usage, total: quota_total } = this.quota;
    const all = { quota_usage, config: { quota_total, quota_duration: 86_400 } };
    return Response.json({ data: [pick(all, fields, ['quota_usage'])] });
  }
}

const nextPage = new URL('https://graph.instagram.com/next');

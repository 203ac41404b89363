// Facebook as its documents describe it: one user, the user's pages, their posts, photos, videos, stories and comments.
// Sources: https://developers.facebook.com/docs/pages-api/posts, …/pages-api/comments-mentions, …/page-stories-api and
// …/video-api/guides/reels-publishing, read on 2026-11-26, and answers that clients have published. Not documented:
// the answer to a second finish of a video, and whether the post of a reel is listed with its video's ID.
import { randomInt } from 'node:crypto';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { formatOf, shaOf } from '../meta/media.ts';
import { GraphRefusal, invalid, missing, refusalOf } from '../meta/refusals.ts';
import {
  form,
  json,
  multipart,
  pick,
  read,
  readBearer,
  readGiven,
  Reading,
  withoutVersion,
  writeTime,
  type Given,
  type Parameters,
} from '../meta/requests.ts';
import { Logins, type SimulatedPage } from './logins.ts';
import {
  FeedVideo,
  NewComment,
  NewPhoto,
  NewPost,
  PageListing,
  PostEdit,
  PhotoStory,
  Reel,
  Thumbnail,
  VideoStory,
  WholeVideo,
} from './parameters.ts';
import {
  duplicate,
  limited,
  needsPageToken,
  noCommentPermission,
  noPostPermission,
  noReadPermission,
  unknownPath,
} from './refusals.ts';
import {
  showPost,
  showPostOfVideo,
  showStoryRow,
  type Comment,
  type Photo,
  type Post,
  type Story,
} from './shown.ts';
import { Videos, type StoredVideo, type VideoEdge } from './videos.ts';

/** What a call of an account needs. */
interface Call {
  url: URL;
  method: string;
  given: Given;
  token: string | undefined;
  parameters: Parameters;
}

const defaultPage: SimulatedPage = {
  id: '102030405060708',
  name: 'Ada’s Bakery',
  tasks: ['ANALYZE', 'ADVERTISE', 'MODERATE', 'CREATE_CONTENT', 'MANAGE'],
};

export class FacebookServer implements NetworkServer {
  readonly logins: Logins;
  readonly photos: Photo[] = [];
  readonly posts: Post[] = [];
  readonly comments: Comment[] = [];
  readonly stories: Story[] = [];
  readonly videos: Videos;
  /** Method, path and upload phase of each call, in their order. */
  readonly calls: string[] = [];
  /** Answers to the next calls, instead of Facebook's own. */
  readonly answers: Response[] = [];
  /** Errors come with the status 200. */
  hasErrorsIn200 = false;
  private origin = '';
  private nextId = 122_100_000_000_000_000n + BigInt(randomInt(1_000_000_000));

  constructor(pages: SimulatedPage[] = [{ ...defaultPage }]) {
    this.logins = new Logins(pages);
    this.videos = new Videos(() => this.newId());
  }

  private newId = () => String(this.nextId++);

  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    this.origin = `http://${request.headers.get('host')}`;
    const path = url.pathname.replace(/\/$/, '');
    try {
      if (path.startsWith('/video-upload/')) return await this.takeUpload(request, path);
      const given = await readGiven(request, [form, json, multipart]);
      const phase = given.parameters['upload_phase'];
      this.calls.push(`${request.method} ${path}${typeof phase === 'string' ? ` ${phase}` : ''}`);
      const scripted = this.answers.shift();
      if (scripted) return scripted;
      return await this.take(request, url, path, given);
    } catch (error) {
      if (!(error instanceof GraphRefusal)) throw error;
      return error.toResponse(this.hasErrorsIn200 ? { status: 200 } : {});
    }
  }

  refuse(kind: RefusalKind): Response {
    return refusalOf(kind, limited()).toResponse();
  }

  revokeToken(): void {
    this.logins.revokeAll();
  }

  expireToken(): void {
    this.logins.expireAll();
  }

  listPosts(): PublicPost[] {
    const feed = this.posts.map(({ id, message, link, photos }) => ({
      id,
      text: message,
      replyTo: null,
      media: photos.map(({ bytes }) => shaOf(bytes)),
      options: { placement: 'feed', ...(link !== undefined && { link }) },
    }));
    const videos = this.videos.all
      .filter(({ isFinished, failure }) => isFinished && !failure)
      .map((video) => this.showVideoPost(video));
    const photoStories = this.stories
      .filter(({ media }) => media === 'photo')
      .map(({ postId, mediaId }) => ({
        id: postId,
        text: '',
        replyTo: null,
        media: [shaOf(this.photos.find(({ id }) => id === mediaId)!.bytes)],
        options: { placement: 'story' },
      }));
    const comments = this.comments.map(({ id, message, parent }) => ({
      id,
      text: message,
      replyTo: parent,
      media: [],
      options: {},
    }));
    return [...feed, ...videos, ...photoStories, ...comments];
  }

  private showVideoPost({ id, edge, description, bytes }: StoredVideo): PublicPost {
    const story = this.stories.find(({ mediaId }) => mediaId === id);
    const placement = { videos: 'feed', video_reels: 'reel', video_stories: 'story' }[edge];
    const postId = story?.postId ?? id;
    const rest = { replyTo: null, media: [shaOf(bytes)], options: { placement } };
    return { id: postId, text: description, ...rest };
  }

  /** A post that a person wrote. */
  addPost(message: string, createdAt = Date.now(), page = this.logins.pages[0]!.id): string {
    return this.makePost({ page, message, link: undefined, photos: [], createdAt });
  }

  /** A story that a person made. */
  addStory(mediaId: string, media: Story['media'] = 'photo', page = this.logins.pages[0]!.id) {
    const postId = this.newId();
    this.stories.push({ postId, page, mediaId, media, createdAt: Date.now() });
    return postId;
  }

  private async take(request: Request, url: URL, path: string, given: Given): Promise<Response> {
    const { method } = request;
    const plain = withoutVersion(path);
    const answer = this.logins.answer(request, plain, given.parameters);
    if (answer) return answer;
    const [node = '', edge, ...others] = plain.slice(1).split('/');
    if (others.length > 0) throw unknownPath(path);
    const { access_token, appsecret_proof: _, ...parameters } = given.parameters;
    const token = readBearer(request) ?? (access_token as string | undefined);
    const call = { url, method, given, token, parameters };
    return edge === undefined ? this.takeNode(node, call) : this.takeEdge(node, edge, call);
  }

  private takeNode(node: string, { method, token, parameters }: Call): Response {
    if (method !== 'GET') return this.changeNode(node, { method, token, parameters });
    const good = this.logins.findGood(token);
    const { fields } = read(Reading, parameters);
    const page = this.logins.pages.find(({ id }) => id === (node === 'me' ? good.page : node));
    if (page) {
      const { id, name, tasks } = page;
      const text = good.page === undefined ? this.logins.createToken(id, good.scopes) : token;
      const all = { id, name, category: 'Bakery', tasks, access_token: text };
      return Response.json(pick(all, fields, ['id', 'name']));
    }
    if (good.page === undefined) throw needsPageToken();
    const found = this.showObject(node, good.page, fields);
    if (!found) throw missing(node, method);
    return Response.json(pick(found, fields, ['id']));
  }

  /** https://developers.facebook.com/docs/pages-api/posts */
  private changeNode(
    node: string,
    { method, token, parameters }: Pick<Call, 'method' | 'token' | 'parameters'>,
  ): Response {
    const good = this.logins.findGood(token);
    if (good.page === undefined) throw needsPageToken();
    if (!good.scopes.includes('pages_manage_posts')) throw noPostPermission();
    const isIt = (each: { id: string; page: string }) =>
      each.id === node && each.page === good.page;
    const post = this.posts.find(isIt);
    if (method === 'POST' && post) {
      post.message = read(PostEdit, parameters).message;
      return Response.json({ success: true });
    }
    const comment = this.comments.find(isIt);
    const video = this.videos.find(node, good.page);
    if (method !== 'DELETE' || !(post ?? comment ?? video)) throw missing(node, method);
    if (post) this.posts.splice(this.posts.indexOf(post), 1);
    if (comment) this.comments.splice(this.comments.indexOf(comment), 1);
    if (video) this.videos.all.splice(this.videos.all.indexOf(video), 1);
    return Response.json({ success: true });
  }

  /** Undefined: the page doesn't have this object. */
  private showObject(id: string, page: string, fields = ''): object | undefined {
    const video = this.videos.find(id, page);
    if (video) {
      const status = fields.includes('status') ? this.videos.showStatus(video) : undefined;
      const { description } = video;
      return { id, description, status, permalink_url: `/reel/${id}/`, post_id: undefined };
    }
    const post = this.posts.find((each) => each.id === id && each.page === page);
    if (post) return showPost(post);
    const comment = this.comments.find((each) => each.id === id && each.page === page);
    return comment && this.showComment(comment);
  }

  private takeEdge(node: string, edge: string, call: Call): Response | Promise<Response> {
    switch (`${call.method} ${edge}`) {
      case 'POST comments':
        return this.createComment(node, call);
      case 'GET comments':
        return this.listComments(node, call);
      case 'POST thumbnails':
        return this.setCover(node, call);
      default:
        return this.takeEdgeOfPage(node, edge, call);
    }
  }

  private takeEdgeOfPage(node: string, edge: string, call: Call): Response | Promise<Response> {
    const { method, token } = call;
    const page = node === 'me' ? (this.logins.findGood(token).page ?? node) : node;
    const { scopes } = this.logins.check(token, page);
    const known = this.logins.pages.find(({ id }) => id === page);
    if (!known) throw missing(page, method);
    if (method === 'GET') {
      if (!scopes.includes('pages_read_engagement')) throw noReadPermission();
      return this.listOfPage(page, edge, call);
    }
    const mayPost = ['pages_read_engagement', 'pages_manage_posts'].every((scope) =>
      scopes.includes(scope),
    );
    const isAllowed = this.logins.postablePages?.includes(page) ?? true;
    if (!mayPost || !isAllowed || known.tasks?.includes('CREATE_CONTENT') === false) {
      throw noPostPermission();
    }
    switch (edge) {
      case 'feed':
        return this.createPost(page, call);
      case 'photos':
        return this.createPhoto(page, call);
      case 'videos':
        return this.takeFeedVideo(page, call);
      case 'video_reels':
        return this.takeReel(page, call);
      case 'video_stories':
        return this.takeVideoStory(page, call);
      case 'photo_stories':
        return this.createPhotoStory(page, call);
      default:
        throw unknownPath(`/${node}/${edge}`);
    }
  }

  private createPost(page: string, { parameters }: Call): Response {
    const {
      message = '',
      link,
      attached_media = [],
      published,
      fields,
    } = read(NewPost, parameters);
    if (!published) throw invalid('Fanfare publishes at once');
    const photos = attached_media.map(({ media_fbid }) => this.takePhoto(media_fbid, page));
    const last = this.posts.findLast((post) => post.page === page);
    const isSame = photos.length === 0 && message !== '' && last?.message === message;
    if (isSame && last.link === link) throw duplicate();
    for (const photo of photos) photo.isPublished = true;
    const id = this.makePost({ page, message, link, photos, createdAt: Date.now() });
    const post = this.posts.find((each) => each.id === id)!;
    return Response.json(pick(showPost(post), fields, ['id']));
  }

  private makePost(post: Omit<Post, 'id'>): string {
    const id = `${post.page}_${this.newId()}`;
    this.posts.push({ ...post, id });
    return id;
  }

  /** Takes a photo for a post. Throws unless the photo is unpublished. */
  private takePhoto(id: string, page: string): Photo {
    const found = this.photos.find((photo) => photo.id === id && photo.page === page);
    if (!found || found.isPublished) throw invalid(`Invalid photo ${id}`);
    return found;
  }

  private async createPhoto(page: string, { parameters, given }: Call): Promise<Response> {
    const { url, published, alt_text_custom, fields, ...text } = read(NewPhoto, parameters);
    const source = given.files.get('source');
    if ((url === undefined) === (source === undefined)) {
      throw new GraphRefusal(324, '(#324) Requires upload file');
    }
    const bytes = source ?? Buffer.from(await (await fetch(url!)).arrayBuffer());
    const format = formatOf(bytes);
    if (format !== 'jpeg' && format !== 'png') {
      const shown =
        "Your photos couldn't be uploaded. Photos should be smaller than 4 MB and saved as JPG or PNG.";
      throw new GraphRefusal(100, 'Invalid parameter', { subcode: 1366046, shown });
    }
    const id = this.newId();
    const photo = { id, page, bytes, altText: alt_text_custom, isPublished: published };
    this.photos.push(photo);
    if (!published) return Response.json(pick({ id }, fields, ['id']));
    const message = text.message ?? text.caption ?? '';
    const post = { page, message, link: undefined, photos: [photo], createdAt: Date.now() };
    const post_id = this.makePost(post);
    return Response.json(pick({ id, post_id }, fields, ['id', 'post_id']));
  }

  /** Takes a video in three phases, or as a whole. */
  private takeFeedVideo(page: string, { parameters, given }: Call): Response {
    if (!('upload_phase' in parameters)) return this.createWholeVideo(page, parameters, given);
    const data = read(FeedVideo, parameters);
    switch (data.upload_phase) {
      case 'start': {
        const video = this.videos.start(page, 'videos', data.file_size);
        const { start, end } = this.videos.rangeOf(video);
        return Response.json({
          video_id: video.id,
          upload_session_id: video.session,
          start_offset: String(start),
          end_offset: String(end),
        });
      }
      case 'transfer': {
        const video = this.videos.findSession(data.upload_session_id, page);
        this.videos.takeRange(video, data.start_offset, given.files.get('video_file_chunk'));
        const { start, end } = this.videos.rangeOf(video);
        return Response.json({ start_offset: String(start), end_offset: String(end) });
      }
      case 'finish':
        this.videos.finish(this.videos.findSession(data.upload_session_id, page), data.description);
        return Response.json({ success: true });
    }
  }

  private createWholeVideo(page: string, parameters: Parameters, { files }: Given): Response {
    const { file_url, description, fields } = read(WholeVideo, parameters);
    const bytes =
      files.get('source') ?? (file_url === undefined ? undefined : Buffer.from(file_url));
    if (!bytes) throw new GraphRefusal(389, '(#389) Unable to fetch video file from URL.');
    const video = this.videos.start(page, 'videos', bytes.length);
    Object.assign(video, { bytes, isUploaded: true });
    this.videos.finish(video, description);
    return Response.json(
      pick({ id: video.id, permalink_url: `/reel/${video.id}/` }, fields, ['id']),
    );
  }

  private takeReel(page: string, { parameters }: Call): Response {
    const data = read(Reel, parameters);
    if (data.upload_phase === 'start') return this.startUpload(page, 'video_reels');
    if (data.video_state !== 'PUBLISHED') throw invalid('Fanfare publishes at once');
    this.videos.finish(this.findVideo(data.video_id, page, 'video_reels'), data.description);
    return Response.json({ success: true });
  }

  /** Answers with a bare number as the ID of the post, as documented. */
  private takeVideoStory(page: string, { parameters }: Call): Response {
    const data = read(VideoStory, parameters);
    if (data.upload_phase === 'start') return this.startUpload(page, 'video_stories');
    this.videos.finish(this.findVideo(data.video_id, page, 'video_stories'));
    return this.showStory(this.addStory(data.video_id, 'video', page));
  }

  private createPhotoStory(page: string, { parameters }: Call): Response {
    const { photo_id } = read(PhotoStory, parameters);
    this.takePhoto(photo_id, page).isPublished = true;
    return this.showStory(this.addStory(photo_id, 'photo', page));
  }

  private showStory = (postId: string) =>
    new Response(`{"success":true,"post_id":${postId}}`, {
      headers: { 'content-type': 'application/json' },
    });

  private startUpload(page: string, edge: VideoEdge): Response {
    const { id } = this.videos.start(page, edge);
    const upload_url = `${this.origin}/video-upload/v25.0/${id}`;
    return Response.json({ video_id: id, upload_url });
  }

  private findVideo(id: string, page: string, edge: VideoEdge): StoredVideo {
    const found = this.videos.find(id, page);
    if (found?.edge !== edge) throw missing(id, 'POST');
    return found;
  }

  private async takeUpload(request: Request, path: string): Promise<Response> {
    this.calls.push(`${request.method} ${path}`);
    const scripted = this.answers.shift();
    if (scripted) return scripted;
    const id = path.split('/').at(-1)!;
    const { page } = this.logins.findGood(readBearer(request, '(?:Bearer|OAuth)'));
    const video = page === undefined ? undefined : this.videos.find(id, page);
    if (!video || request.method !== 'POST') throw missing(id, request.method);
    return this.videos.takeRest(request, video, Buffer.from(await request.arrayBuffer()));
  }

  private setCover(node: string, { token, parameters, given }: Call): Response {
    const { page } = this.logins.findGood(token);
    const video = this.videos.find(node, page ?? '');
    if (!video) throw missing(node, 'POST');
    read(Thumbnail, parameters);
    const source = given.files.get('source');
    if (!source) throw new GraphRefusal(324, '(#324) Requires upload file');
    video.cover = source;
    return Response.json({ success: true });
  }

  private createComment(node: string, { token, parameters }: Call): Response {
    const { page, scopes } = this.logins.findGood(token);
    if (page === undefined) throw needsPageToken();
    if (!scopes.includes('pages_manage_engagement')) throw noCommentPermission();
    if (!this.showObject(node, page)) throw missing(node, 'POST');
    const { message = '', fields } = read(NewComment, parameters);
    if (message === '') throw invalid('A comment needs a message');
    const id = `${node.split('_').at(-1)}_${this.newId()}`;
    const comment = { id, parent: node, page, message, createdAt: Date.now() };
    this.comments.push(comment);
    return Response.json(pick(this.showComment(comment), fields, ['id']));
  }

  private showComment({ id, page, message, createdAt }: Comment) {
    const name = this.logins.pages.find((each) => each.id === page)!.name;
    return {
      id,
      message,
      created_time: writeTime(createdAt),
      from: { id: page, name },
      permalink_url: `https://www.facebook.com/${id}`,
    };
  }

  private listComments(node: string, { token, url, parameters }: Call): Response {
    const { page, scopes } = this.logins.findGood(token);
    if (page === undefined) throw needsPageToken();
    if (!scopes.includes('pages_read_engagement')) throw noReadPermission();
    if (!this.showObject(node, page)) throw missing(node, 'GET');
    const listing = read(PageListing, parameters);
    const { since, order } = listing;
    const found = this.comments.filter(
      ({ parent, createdAt }) => parent === node && createdAt >= since * 1_000,
    );
    const rows = order === 'reverse_chronological' ? found.toReversed() : found;
    const shown = rows.map((comment) => this.showComment(comment));
    return this.logins.list(url, listing, shown, ['id', 'message', 'created_time', 'from']);
  }

  /** Newest first. */
  private listOfPage(page: string, edge: string, { url, parameters }: Call): Response {
    const listing = read(PageListing, parameters);
    const { since, until } = listing;
    const isWithin = (each: { page: string; createdAt: number }) =>
      each.page === page && each.createdAt >= since * 1_000 && each.createdAt <= until * 1_000;
    const videos = this.videos.all.filter(
      (video) => isWithin(video) && this.videos.isPublic(video),
    );
    switch (edge) {
      case 'published_posts': {
        const ofVideos = videos
          .filter(({ edge: of }) => of === 'videos')
          .map((video) => showPostOfVideo(page, video));
        const rows = [...this.posts.filter(isWithin).map(showPost), ...ofVideos]
          .toReversed()
          .toSorted((a, b) => Date.parse(b.created_time) - Date.parse(a.created_time));
        return this.logins.list(url, listing, rows, ['id', 'message', 'created_time']);
      }
      case 'video_reels': {
        const rows = videos
          .filter(({ edge: of }) => of === 'video_reels')
          .map(({ id, description, createdAt }) => ({
            id,
            description: description === '' ? undefined : description,
            updated_time: writeTime(createdAt),
          }));
        return this.logins.list(url, listing, rows.toReversed(), ['id', 'description']);
      }
      case 'stories': {
        const all = ['post_id', 'status', 'creation_time', 'media_type', 'media_id', 'url'];
        const rows = this.stories.filter(isWithin).map(showStoryRow).toReversed();
        return this.logins.list(url, listing, rows, all);
      }
      default:
        throw unknownPath(`/${page}/${edge}`);
    }
  }
}

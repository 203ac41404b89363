// LinkedIn as its reference documents it: one member, the pages of the member, and their posts.
// Sources: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares (posts-api, images-api,
// videos-api, documents-api, comments-api, multiimage-post-api, poll-post-api, little-text-format) and
// .../organizations/organization-access-control-by-role, read in part, and by public clients of these APIs.
// Codes of refusals other than DUPLICATE_POST and ACCESS_DENIED are not confirmed by real answers.
// Stricter than LinkedIn: it refuses a field that it doesn't know.
import { createHash, randomInt } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { Logins } from './logins.ts';
import { renderLittleText } from './little-text.ts';
import {
  invalid,
  LinkedInRefusal,
  noPermission,
  refuse,
  throttled,
  unprocessable,
} from './refusals.ts';

interface Organization {
  id: string;
  name: string;
  /** Roles of the member at the page. */
  roles: string[];
}

interface Upload {
  urn: string;
  owner: string;
  ticket: string;
  /** Size of each part. An image has one part. */
  sizes: number[];
  parts: (Buffer | undefined)[];
  /** How many reads pass until a video is processed. */
  readsLeft: number;
  isFinal: boolean;
}

type NewPost = z.infer<typeof NewPost>;
interface StoredPost {
  id: string;
  createdAt: number;
  given: NewPost;
  /** The text as readers see it. */
  text: string;
}

const urnOf = (type: string) => z.string().regex(new RegExp(`^urn:li:${type}:[\\w-]+$`));
const Author = urnOf('(person|organization)');
const MediaItem = z
  .strictObject({
    id: urnOf('(image|video|document)'),
    altText: z.string().min(1).max(4_086).optional(),
    title: z.string().min(1).max(400).optional(),
  })
  .refine(({ id, altText, title }) =>
    id.includes(':document:') ? title !== undefined && altText === undefined : title === undefined,
  );
const NewPost = z.strictObject({
  author: Author,
  commentary: z.string(),
  visibility: z.enum(['PUBLIC', 'LOGGED_IN', 'CONNECTIONS']),
  distribution: z.strictObject({
    feedDistribution: z.enum(['MAIN_FEED', 'NONE']),
    targetEntities: z.array(z.never()),
    thirdPartyDistributionChannels: z.array(z.never()),
  }),
  content: z
    .union([
      z.strictObject({ media: MediaItem }),
      z.strictObject({
        multiImage: z.strictObject({
          images: z
            .array(MediaItem.refine(({ id }) => id.includes(':image:')))
            .min(2)
            .max(20),
        }),
      }),
      z.strictObject({
        article: z.strictObject({
          source: z.url(),
          title: z.string().min(1).max(400),
          description: z.string().max(4_086).optional(),
          thumbnail: urnOf('image').optional(),
        }),
      }),
      z.strictObject({
        poll: z.strictObject({
          question: z.string().min(1).max(140),
          options: z
            .array(z.strictObject({ text: z.string().min(1).max(30) }))
            .min(2)
            .max(4),
          settings: z.strictObject({
            duration: z.enum(['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS']),
          }),
        }),
      }),
    ])
    .optional(),
  lifecycleState: z.literal('PUBLISHED'),
  isReshareDisabledByAuthor: z.boolean(),
});
const PostPatch = z.strictObject({
  patch: z.strictObject({ $set: z.strictObject({ commentary: z.string() }) }),
});
const StartWhole = z.strictObject({ initializeUploadRequest: z.strictObject({ owner: Author }) });
const StartVideo = z.strictObject({
  initializeUploadRequest: z.strictObject({
    owner: Author,
    fileSizeBytes: z.int().min(1),
    uploadCaptions: z.literal(false),
    uploadThumbnail: z.literal(false),
  }),
});
const FinishVideo = z.strictObject({
  finalizeUploadRequest: z.strictObject({
    video: urnOf('video'),
    uploadToken: z.string(),
    uploadedPartIds: z.array(z.string()).min(1),
  }),
});

const NewComment = z.strictObject({
  actor: Author,
  object: urnOf('(share|ugcPost)'),
  message: z.strictObject({ text: z.string().min(1).max(1_250) }),
});
type StoredComment = z.infer<typeof NewComment> & {
  id: string;
  commentUrn: string;
  created: { actor: string; time: number };
};

const maxText = 3_000;

export class LinkedInServer implements NetworkServer {
  readonly logins = new Logins();
  readonly member = { id: '782bbtaQ', name: 'Ada Lovelace' };
  readonly organizations: Organization[] = [
    { id: '5515715', name: 'Acme', roles: ['ADMINISTRATOR'] },
    { id: '2414183', name: 'Devtestco', roles: ['ANALYST'] },
  ];
  /** The member with which rows of the list of roles name their page. */
  organizationMember: 'organization' | 'organizationTarget' = 'organization';
  /** Further rows of the list of roles, after its first row. */
  readonly oddRoles: Record<string, string>[] = [];
  readonly posts: StoredPost[] = [];
  readonly comments: StoredComment[] = [];
  readonly uploads: Upload[] = [];
  /** Method and path of each call, in their order. */
  readonly calls: string[] = [];
  /** Versions that are still served. */
  versions = ['202608', '202609', '202610'];
  /** Answers to the next calls, instead of LinkedIn's own. */
  readonly answers: Response[] = [];
  partBytes = 4_194_304;
  readsUntilProcessed = 1;
  /** How long an upload may take. */
  urlsLastMs = 86_400_000;
  failsProcessing = false;
  private origin = '';

  async answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    this.origin = `http://${request.headers.get('host')}`;
    const action = searchParams.get('action');
    this.calls.push(`${request.method} ${pathname}${action === null ? '' : `?${action}`}`);
    const given = this.answers.shift();
    if (given) return given;
    if (pathname.startsWith('/oauth/v2/')) return this.logins.answer(request, pathname.slice(10));
    try {
      return await this.take(request, pathname, searchParams);
    } catch (error) {
      if (error instanceof LinkedInRefusal) return error.toResponse();
      throw error;
    }
  }

  refuse(kind: RefusalKind): Response {
    return refuse(kind);
  }

  throttle(whose: string): Response {
    return throttled(`${whose} `).toResponse();
  }

  revokeToken(): void {
    this.logins.revokeAll();
  }

  expireToken(): void {
    this.logins.expireAll();
  }

  listPosts(): PublicPost[] {
    const comments = this.comments.map(({ commentUrn: id, object, message: { text } }) => ({
      id,
      text,
      replyTo: object,
      media: [],
    }));
    const posts = this.posts.map(({ id, text, given: { content, ...given } }) => ({
      id,
      text,
      replyTo: null,
      media: imagesOf(content).map((urn) => sha256(this.findUpload(urn))),
      options: {
        visibility: given.visibility,
        isReshareDisabledByAuthor: given.isReshareDisabledByAuthor,
        ...(content && { content }),
      },
    }));
    return [...posts, ...comments];
  }

  /** Adds a post of another author, or a post that the author did not publish with Fanfare. */
  addPost(given: Partial<NewPost>, createdAt = Date.now()): string {
    const post = {
      author: 'urn:li:organization:5515715',
      commentary: 'Hello',
      visibility: 'PUBLIC' as const,
      distribution: {
        feedDistribution: 'MAIN_FEED' as const,
        targetEntities: [],
        thirdPartyDistributionChannels: [],
      },
      lifecycleState: 'PUBLISHED' as const,
      isReshareDisabledByAuthor: false,
      ...given,
    };
    // LinkedIn's IDs contain the time.
    const id = `urn:li:share:${(BigInt(createdAt) << 22n) + BigInt(randomInt(1 << 22))}`;
    this.posts.push({ id, createdAt, given: post, text: renderLittleText(post.commentary) });
    return id;
  }

  private async take(
    request: Request,
    pathname: string,
    query: URLSearchParams,
  ): Promise<Response> {
    if (pathname.startsWith('/dms-uploads/')) return this.takeBytes(request, pathname);
    if (pathname === '/v2/userinfo' || pathname === '/v2/me')
      return this.showMember(request, pathname);
    if (!pathname.startsWith('/rest/')) throw new LinkedInRefusal(404, 'No virtual resource found');
    this.checkHeaders(request);
    const [resource = '', key] = pathname.slice(6).split('/');
    const method = `${request.method} ${resource}`;
    switch (method) {
      case 'GET organizationAcls':
        return this.listAccess(request, query);
      case 'GET organizations':
        return this.showOrganizations(request, query);
      case 'DELETE posts':
        return this.deletePost(request, decodeURIComponent(key ?? ''));
      case 'POST posts':
        return key === undefined
          ? this.createPost(request)
          : this.updatePost(request, decodeURIComponent(key));
      case 'GET posts':
        return this.findPosts(request, query);
      case 'POST socialActions':
        return this.createComment(request, decodeURIComponent(key ?? ''), pathname);
      case 'GET socialActions':
        return this.listComments(request, decodeURIComponent(key ?? ''), query);
      case 'POST images':
      case 'POST videos':
      case 'POST documents':
        return this.startOrFinish(request, resource, query);
      case 'GET videos':
      case 'GET documents':
        return this.showVideo(request, decodeURIComponent(key ?? ''));
      default:
        throw new LinkedInRefusal(404, `No root resource defined for path '/${resource}'`);
    }
  }

  private checkHeaders({ headers, method }: Request): void {
    const version = headers.get('linkedin-version');
    if (version === null) {
      const message =
        'A version must be present. Please specify a version by adding the LinkedIn-Version header.';
      throw new LinkedInRefusal(400, message, { code: 'VERSION_MISSING' });
    }
    if (!this.versions.includes(version)) {
      const message = `Requested version ${version}01 is not active`;
      throw new LinkedInRefusal(426, message, { code: 'NONEXISTENT_VERSION' });
    }
    if (headers.get('x-restli-protocol-version') !== '2.0.0') {
      throw invalid('X-RestLi-Protocol-Version must be 2.0.0');
    }
    if (method === 'POST' && headers.get('content-type') !== 'application/json') {
      throw new LinkedInRefusal(415, 'Unsupported Media Type');
    }
  }

  private showMember(request: Request, pathname: string): Response {
    const { id, name } = this.member;
    if (pathname === '/v2/userinfo') {
      this.logins.check(request, 'userinfo.GET', 'openid');
      return Response.json({ sub: id, name, given_name: 'Ada', family_name: 'Lovelace' });
    }
    this.logins.check(request, 'me.GET.NO_VERSION', 'r_basicprofile');
    const [localizedFirstName, localizedLastName] = name.split(' ');
    return Response.json({ id, localizedFirstName, localizedLastName });
  }

  private listAccess(request: Request, query: URLSearchParams): Response {
    const scopes = ['r_organization_admin', 'rw_organization_admin'];
    this.logins.check(request, 'organizationAcls.FINDER-roleAssignee', ...scopes);
    if (query.get('q') !== 'roleAssignee') throw invalid('q must be roleAssignee');
    const [start, count] = [Number(query.get('start') ?? 0), Number(query.get('count') ?? 10)];
    if (!(count <= 100)) throw invalid('count must be at most 100');
    const all: Record<string, string>[] = this.organizations.flatMap(({ id, roles }) =>
      roles.map((role) => ({
        role,
        [this.organizationMember]: `urn:li:organization:${id}`,
        roleAssignee: `urn:li:person:${this.member.id}`,
        state: 'APPROVED',
      })),
    );
    all.splice(1, 0, ...this.oddRoles);
    return Response.json({
      elements: all.slice(start, start + count),
      paging: { start, count, links: [] },
    });
  }

  /** Rest.li reads a list only if its parentheses and commas are not encoded. */
  private showOrganizations(request: Request, query: URLSearchParams): Response {
    const scopes = ['r_organization_admin', 'rw_organization_admin'];
    this.logins.check(request, 'organizations.BATCH_GET', ...scopes);
    const ids = /^\?ids=List\((\d+(?:,\d+)*)\)$/.exec(new URL(request.url).search)?.[1]?.split(',');
    if (!ids) throw invalid(`Invalid query parameters: ${query.toString()}`);
    const found = this.organizations.filter(({ id }) => ids.includes(id));
    return Response.json({
      results: Object.fromEntries(
        found.map(({ id, name }) => [id, { id: Number(id), localizedName: name }]),
      ),
      statuses: Object.fromEntries(found.map(({ id }) => [id, 200])),
      errors: {},
    });
  }

  /** Throws unless the login may read the author's posts or comments, or write them. */
  private checkAuthor(
    request: Request,
    author: string,
    call: string,
    verb: 'r' | 'w',
    of: '' | '_feed' = '',
  ): void {
    const [, , type, id] = author.split(':');
    const scope = `${verb}_${type === 'person' ? 'member' : type}_social${of}`;
    this.logins.check(request, call, scope);
    const roles = this.organizations.find((each) => each.id === id)?.roles ?? [];
    const isOwn = type === 'person' ? id === this.member.id : roles.includes('ADMINISTRATOR');
    if (!isOwn) throw noPermission(call);
  }

  private async createPost(request: Request): Promise<Response> {
    const given = await readBody(request, NewPost);
    this.checkAuthor(request, given.author, 'posts.CREATE', 'w');
    if (renderLittleText(given.commentary).length > maxText) {
      throw invalid('commentary is too long', 'FIELD_LENGTH_TOO_LONG');
    }
    if (given.visibility === 'CONNECTIONS' && given.author.includes(':organization:')) {
      throw invalid('Organizations have no connections');
    }
    for (const urn of mediaOf(given.content)) this.checkMedia(urn, given.author);
    const same = this.posts.find((post) => isDuplicate(post.given, given));
    if (same) {
      const message = `Content is a duplicate of ${same.id}`;
      throw unprocessable(message, 'DUPLICATE_POST', 'Duplicate post is detected');
    }
    const id = this.addPost(given);
    return new Response('', { status: 201, headers: { 'x-restli-id': id } });
  }

  /** Deletions are idempotent, so a post that is gone answers 204, too. */
  private deletePost(request: Request, id: string): Response {
    const post = this.posts.find((each) => each.id === id);
    this.checkAuthor(
      request,
      post?.given.author ?? `urn:li:person:${this.member.id}`,
      'posts.DELETE',
      'w',
    );
    if (post) this.posts.splice(this.posts.indexOf(post), 1);
    return new Response(null, { status: 204 });
  }

  private async updatePost(request: Request, id: string): Promise<Response> {
    if (request.headers.get('x-restli-method') !== 'PARTIAL_UPDATE') throw invalid('Not an update');
    const { commentary } = (await readBody(request, PostPatch)).patch.$set;
    const post = this.posts.find((each) => each.id === id);
    if (!post) throw new LinkedInRefusal(404, `Could not find entity ${id}`);
    this.checkAuthor(request, post.given.author, 'posts.PARTIAL_UPDATE', 'w');
    if (renderLittleText(commentary).length > maxText) {
      throw invalid('commentary is too long', 'FIELD_LENGTH_TOO_LONG');
    }
    post.given = { ...post.given, commentary };
    post.text = renderLittleText(commentary);
    return new Response(null, { status: 204 });
  }

  private findPosts(request: Request, query: URLSearchParams): Response {
    const author = query.get('author') ?? '';
    this.checkAuthor(request, author, 'posts.FINDER-author', 'r');
    if (query.get('q') !== 'author' || request.headers.get('x-restli-method') !== 'FINDER') {
      throw invalid('Not a finder');
    }
    const count = Number(query.get('count') ?? 10);
    if (!(count <= 100)) throw invalid('count must be at most 100');
    const own = this.posts.filter(({ given }) => given.author === author).toReversed();
    return Response.json({
      elements: own.slice(0, count).map(({ id, createdAt, given }) => ({
        ...given,
        id,
        createdAt,
        publishedAt: createdAt,
        lastModifiedAt: createdAt,
      })),
      paging: { start: 0, count, links: [] },
    });
  }

  private async createComment(request: Request, urn: string, path: string): Promise<Response> {
    const { actor, object, message } = await readBody(request, NewComment);
    if (!path.endsWith('/comments')) throw new LinkedInRefusal(404, 'No virtual resource found');
    this.checkAuthor(request, actor, 'socialActions.comments.CREATE', 'w', '_feed');
    const post = this.posts.find(({ id }) => id === urn);
    if (!post || object !== urn) throw new LinkedInRefusal(404, `Could not find entity ${urn}`);
    const id = `${7_000_000_000_000_000_000n + BigInt(this.comments.length)}`;
    const activity = `urn:li:activity:${urn.split(':').at(-1)}`;
    const comment = {
      id,
      commentUrn: `urn:li:comment:(${activity},${id})`,
      actor,
      object,
      message,
      created: { actor, time: Date.now() },
    };
    this.comments.push(comment);
    const headers = { 'x-restli-id': id };
    return Response.json(comment, { status: 201, headers });
  }

  private listComments(request: Request, urn: string, query: URLSearchParams): Response {
    const post = this.posts.find(({ id }) => id === urn);
    if (!post) throw new LinkedInRefusal(404, `Could not find entity ${urn}`);
    this.checkAuthor(request, post.given.author, 'socialActions.comments.GET_ALL', 'r', '_feed');
    const [start, count] = [Number(query.get('start') ?? 0), Number(query.get('count') ?? 10)];
    const found = this.comments.filter(({ object }) => object === urn);
    return Response.json({
      elements: found.slice(start, start + count),
      paging: { start, count, links: [] },
    });
  }

  private checkMedia(urn: string, author: string): void {
    const { owner, readsLeft, isFinal, parts } = this.findUpload(urn);
    if (owner !== author)
      throw invalid('The author does not own the media', 'INVALID_CONTENT_OWNERSHIP');
    const isUploaded = !urn.includes(':video:') ? !parts.includes(undefined) : isFinal;
    if (!isUploaded) throw invalid('The media are not uploaded', 'MEDIA_ASSET_WAITING_UPLOAD');
    if (readsLeft > 0) throw invalid('The media are not processed', 'MEDIA_ASSET_PROCESSING');
  }

  private findUpload(urn: string): Upload {
    const found = this.uploads.find((upload) => upload.urn === urn);
    if (!found) throw new LinkedInRefusal(404, `Could not find entity ${urn}`);
    return found;
  }

  private async startOrFinish(
    request: Request,
    resource: string,
    query: URLSearchParams,
  ): Promise<Response> {
    const action = query.get('action');
    if (resource !== 'videos' && action === 'initializeUpload') {
      const type = resource === 'images' ? 'image' : 'document';
      const { owner } = (await readBody(request, StartWhole)).initializeUploadRequest;
      this.checkAuthor(request, owner, `${resource}.ACTION-initializeUpload`, 'w');
      const { urn, ticket } = this.addUpload(type, owner, [0]);
      const uploadUrl = `${this.origin}/dms-uploads/${ticket}/0`;
      return Response.json({
        value: { uploadUrlExpiresAt: Date.now() + this.urlsLastMs, uploadUrl, [type]: urn },
      });
    }
    if (resource === 'videos' && action === 'initializeUpload') {
      const { owner, fileSizeBytes } = (await readBody(request, StartVideo))
        .initializeUploadRequest;
      this.checkAuthor(request, owner, 'videos.ACTION-initializeUpload', 'w');
      const starts = Array.from(
        { length: Math.ceil(fileSizeBytes / this.partBytes) },
        (_, i) => i * this.partBytes,
      );
      const ends = starts.map((start) => Math.min(start + this.partBytes, fileSizeBytes) - 1);
      const { urn, ticket } = this.addUpload(
        'video',
        owner,
        starts.map((start, i) => ends[i]! - start + 1),
      );
      const uploadInstructions = starts.map((firstByte, i) => ({
        uploadUrl: `${this.origin}/dms-uploads/${ticket}/${i}`,
        firstByte,
        lastByte: ends[i],
      }));
      return Response.json({
        value: {
          uploadUrlsExpireAt: Date.now() + this.urlsLastMs,
          video: urn,
          uploadInstructions,
          uploadToken: '',
        },
      });
    }
    if (resource === 'videos' && action === 'finalizeUpload') return this.finishVideo(request);
    throw invalid(`Unknown action ${action}`);
  }

  private addUpload(type: 'image' | 'video' | 'document', owner: string, sizes: number[]): Upload {
    const upload = {
      urn: `urn:li:${type}:C4D10AQ${this.uploads.length}x`,
      owner,
      ticket: crypto.randomUUID(),
      sizes,
      parts: sizes.map(() => undefined),
      readsLeft: type === 'image' ? 0 : this.readsUntilProcessed,
      isFinal: false,
    };
    this.uploads.push(upload);
    return upload;
  }

  /** An image or a document needs the token. A part of a video needs only its URL. */
  private async takeBytes(request: Request, pathname: string): Promise<Response> {
    const [, , ticket, part] = pathname.split('/');
    const upload = this.uploads.find((each) => each.ticket === ticket);
    if (!upload || request.method !== 'PUT') return new Response('', { status: 404 });
    const isWhole = !upload.urn.includes(':video:');
    if (isWhole) this.logins.check(request, 'upload', 'w_member_social', 'w_organization_social');
    const bytes = Buffer.from(await request.arrayBuffer());
    const at = Number(part);
    if (!isWhole && bytes.length !== upload.sizes[at]) return new Response('', { status: 400 });
    if (!isWhole && request.headers.has('authorization')) return new Response('', { status: 400 });
    upload.parts[at] = bytes;
    if (isWhole) upload.isFinal = true;
    const headers = { etag: `/ambry-video/signedId/${ticket}-${at}` };
    return new Response('', { status: isWhole ? 201 : 200, headers: isWhole ? {} : headers });
  }

  private async finishVideo(request: Request): Promise<Response> {
    const { video, uploadedPartIds } = (await readBody(request, FinishVideo)).finalizeUploadRequest;
    const upload = this.findUpload(video);
    this.checkAuthor(request, upload.owner, 'videos.ACTION-finalizeUpload', 'w');
    const ids = upload.parts.map((_, i) => `/ambry-video/signedId/${upload.ticket}-${i}`);
    if (upload.parts.includes(undefined) || ids.join() !== uploadedPartIds.join()) {
      throw invalid('The parts are incomplete');
    }
    upload.isFinal = true;
    return new Response('', { status: 200 });
  }

  private showVideo(request: Request, urn: string): Response {
    const upload = this.findUpload(urn);
    this.checkAuthor(request, upload.owner, `${urn.split(':')[2]}s.GET`, 'w');
    const isRead = upload.readsLeft > 0;
    if (isRead && upload.isFinal) upload.readsLeft--;
    const status = !upload.isFinal ? 'WAITING_UPLOAD' : isRead ? 'PROCESSING' : 'AVAILABLE';
    const { id, owner } = { id: urn, owner: upload.owner };
    return this.failsProcessing && status === 'AVAILABLE'
      ? Response.json({
          id,
          owner,
          status: 'PROCESSING_FAILED',
          processingFailureReason: 'The codec is unknown.',
        })
      : Response.json({ id, owner, status });
  }
}

async function readBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const { data, error } = schema.safeParse(await request.json().catch(() => undefined));
  if (error) throw invalid(z.prettifyError(error));
  return data;
}

const isDuplicate = (a: NewPost, b: NewPost) =>
  a.author === b.author &&
  a.commentary === b.commentary &&
  JSON.stringify(a.content) === JSON.stringify(b.content);

function imagesOf(content: NewPost['content']): string[] {
  if (!content) return [];
  if ('media' in content) return [content.media.id];
  return 'multiImage' in content ? content.multiImage.images.map(({ id }) => id) : [];
}

function mediaOf(content: NewPost['content']): string[] {
  const thumbnail = content && 'article' in content ? content.article.thumbnail : undefined;
  return thumbnail ? [thumbnail] : imagesOf(content);
}

const sha256 = ({ parts }: Upload) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => part ?? Buffer.alloc(0))))
    .digest('hex');

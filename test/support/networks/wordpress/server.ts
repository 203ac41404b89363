// A simulated WordPress site. It answers as a running WordPress 6.5.5 did on 2026-11-22, and by
// https://developer.wordpress.org/rest-api/reference/ of that day. Stricter in one thing: WordPress ignores
// fields that it doesn't know, and this site refuses them.
import { createHash, randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { z } from 'zod';
import type { NetworkServer, RefusalKind } from '../contract/subject.ts';

export interface SiteSettings {
  /** Where the site is at its host: `/blog`. */
  folder?: string;
  /** `plain`: the web server has no rewrite rules, and shows its front page for any path. */
  permalinks?: 'pretty' | 'plain';
  /** PHP's setting `upload_max_filesize`. */
  maxUploadBytes?: number;
  /** A plugin reads the user before WordPress does, so that WordPress says why it refuses the login. */
  readsLoginEarly?: boolean;
}

export interface SiteUser {
  readonly id: number;
  readonly login: string;
  readonly password: string;
}

export interface StoredPost {
  id: number;
  authorId: number;
  date: Date;
  fields: z.infer<typeof NewPost> & { slug: string; tags: number[]; categories: number[] };
}

/** A file in the media library. */
export interface StoredFile {
  readonly id: number;
  readonly authorId: number;
  readonly filename: string;
  readonly type: string;
  readonly sha256: string;
  readonly altText: string;
}

export interface WordPressSite extends NetworkServer {
  /** Each request as `POST wp/v2/posts`. */
  readonly calls: string[];
  readonly posts: StoredPost[];
  readonly files: StoredFile[];
  readonly tags: string[];
  readonly categories: string[];
  /** IDs of categories, with the IDs of their parents. */
  readonly parents: Map<number, number>;
  addUser(login: string, role: keyof typeof capabilities): SiteUser;
  /** Ends the application passwords of all users. */
  revokeToken(): void;
  hasPassword(user: SiteUser): boolean;
}

const capabilities = {
  author: { edit_posts: true, publish_posts: true, upload_files: true, read: true, author: true },
  /** A role that can be made with a plugin for roles. */
  writer: { edit_posts: true, publish_posts: true, read: true, writer: true },
  contributor: { edit_posts: true, read: true, contributor: true },
  /** PHP writes an empty set of capabilities as a list. */
  nobody: [],
};

const Flag = z.strictObject({ _fields: z.string() });
const NewPost = z.strictObject({
  content: z.string().default(''),
  title: z.string().optional(),
  excerpt: z.string().optional(),
  slug: z.string().optional(),
  status: z.enum(['publish', 'future', 'draft', 'pending', 'private']).default('draft'),
  format: z.enum(['standard', 'aside', 'link', 'quote', 'status', 'video']).optional(),
  categories: z.array(z.int()).optional(),
  tags: z.array(z.int()).optional(),
  featured_media: z.int().optional(),
});
const PostEdit = z.strictObject({
  content: z.string(),
  title: z.string(),
  excerpt: z.string(),
});
const NewFile = z.strictObject({ file: z.instanceof(File), alt_text: z.string().default('') });
const perPage = z.string().regex(/^([1-9]\d?|100)$/);
const TermQuery = Flag.extend({
  orderby: z.enum(['name', 'count']),
  order: z.enum(['asc', 'desc']),
  per_page: perPage,
  page: z.string().regex(/^[1-9]\d*$/),
});
const PostQuery = Flag.extend({
  context: z.literal('edit'),
  author: z.string().regex(/^\d+$/),
  status: z.literal('any,trash'),
  after: z.iso.datetime(),
  orderby: z.literal('date'),
  order: z.literal('asc'),
  per_page: perPage,
});

/** Routes of one application password, or of one post. */
const withId = /^(.*\/application-passwords|wp\/v2\/posts)\/([0-9a-f-]{36}|\d+)$/;

/** Thrown by a route. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly response: Response;
  constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}) {
    super(message);
    this.response = Response.json({ code, message, data: { status, ...data } }, { status });
  }
}

interface Asked {
  user: SiteUser | undefined;
  query: Record<string, string>;
  body: unknown;
}

export function createSite(settings: SiteSettings = {}): WordPressSite {
  const { folder = '', permalinks = 'pretty', readsLoginEarly = false } = settings;
  const { maxUploadBytes = 2_097_152 } = settings;
  const users: (SiteUser & { role: keyof typeof capabilities; uuid: string | null })[] = [];
  const posts: StoredPost[] = [];
  const files: StoredFile[] = [];
  let lastFileId = 100;
  const tags: string[] = [];
  const categories = ['Uncategorized'];
  const parents = new Map<number, number>();
  const calls: string[] = [];

  const routes: Record<string, (asked: Asked, id: string) => object | Promise<object>> = {
    'GET ': ({ query }) => {
      check(Flag, query);
      return { name: 'A blog', home: `http://site.test${folder}`, namespaces: ['wp/v2'] };
    },
    'GET wp/v2/users/me': ({ user: asking, query }) => {
      check(Flag.extend({ context: z.literal('edit') }), query);
      const { id, login, role } = known(asking, 'rest_not_logged_in');
      return { id, username: login, capabilities: capabilities[role], roles: [role] };
    },
    'POST wp/v2/posts': ({ user: asking, query, body }) => {
      check(Flag, query);
      const fields = check(NewPost, body ?? {});
      const { id: authorId, role } = known(asking, 'rest_cannot_create');
      if (role === 'contributor' && ['publish', 'private'].includes(fields.status)) {
        const words = 'Sorry, you are not allowed to publish posts in this post type.';
        throw new Refusal(403, 'rest_cannot_publish', words);
      }
      if (`${fields.content}${fields.title ?? ''}${fields.excerpt ?? ''}` === '') {
        throw new Refusal(400, 'empty_content', 'Content, title, and excerpt are empty.');
      }
      const id = posts.length + 5;
      const slug = toUniqueSlug(fields.slug ?? fields.title ?? String(id));
      const terms = { categories: fields.categories ?? [1], tags: fields.tags ?? [] };
      const post = { id, authorId, date: new Date(), fields: { ...fields, slug, ...terms } };
      posts.push(post);
      return toRest(post);
    },
    'POST wp/v2/media': async ({ user: asking, query, body }) => {
      check(Flag, query);
      const { id: authorId, role } = known(asking, 'rest_cannot_create');
      if (role !== 'author') {
        const words = 'Sorry, you are not allowed to create posts as this user.';
        throw new Refusal(403, 'rest_cannot_create', words);
      }
      const { file, alt_text } = check(NewFile, body);
      const bytes = Buffer.from(await file.arrayBuffer());
      if (bytes.length > maxUploadBytes) {
        const words = 'The uploaded file exceeds the upload_max_filesize directive in php.ini.';
        throw new Refusal(500, 'rest_upload_unknown_error', words);
      }
      if (extensions.get(extname(file.name)) !== file.type) {
        const words = 'Sorry, you are not allowed to upload this file type.';
        throw new Refusal(500, 'rest_upload_unknown_error', words);
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const altText = alt_text.replaceAll(/\s+/g, ' ').trim();
      const stored = { authorId, filename: file.name, type: file.type, sha256, altText };
      files.push({ id: ++lastFileId, ...stored });
      const source_url = `http://site.test${folder}/wp-content/uploads/${file.name}`;
      return { id: lastFileId, source_url };
    },
    'GET wp/v2/posts': ({ user: asking, query }) => {
      // Parameters are checked before the permission.
      if (asking === undefined) {
        const details = { status: { code: 'rest_forbidden_status', data: { status: 401 } } };
        const params = { status: 'Status is forbidden.' };
        const words = 'Invalid parameter(s): status';
        throw new Refusal(400, 'rest_invalid_param', words, { params, details });
      }
      const { author, after, per_page } = check(PostQuery, query);
      return posts
        .filter(({ authorId, date }) => authorId === Number(author) && date > new Date(after))
        .slice(0, Number(per_page))
        .map(toRest);
    },
    'GET wp/v2/posts/:id': ({ user: asking, query }, id) => {
      check(Flag.extend({ context: z.literal('edit').optional() }), query);
      const post = posts.find((each) => String(each.id) === id);
      if (!post) throw new Refusal(404, 'rest_post_invalid_id', 'Invalid post ID.');
      if (post.authorId !== asking?.id && post.fields.status !== 'publish') {
        throw new Refusal(403, 'rest_forbidden', 'Sorry, you are not allowed to do that.');
      }
      return toRest(post);
    },
    'POST wp/v2/posts/:id': ({ user: asking, query, body }, id) => {
      check(Flag, query);
      const fields = check(PostEdit, body ?? {});
      const { id: userId } = known(asking, 'rest_cannot_edit');
      const post = posts.find((each) => String(each.id) === id);
      if (!post) throw new Refusal(404, 'rest_post_invalid_id', 'Invalid post ID.');
      if (post.authorId !== userId) {
        const words = 'Sorry, you are not allowed to edit this post.';
        throw new Refusal(403, 'rest_cannot_edit', words);
      }
      Object.assign(post.fields, fields);
      return toRest(post);
    },
    'DELETE wp/v2/posts/:id': ({ user: asking, query }, id) => {
      check(Flag.extend({ force: z.literal('true') }), query);
      const { id: userId } = known(asking, 'rest_cannot_delete');
      const at = posts.findIndex((post) => String(post.id) === id);
      if (at === -1) throw new Refusal(404, 'rest_post_invalid_id', 'Invalid post ID.');
      if (posts[at]!.authorId !== userId) {
        const words = 'Sorry, you are not allowed to delete this post.';
        throw new Refusal(403, 'rest_cannot_delete', words);
      }
      const [previous] = posts.splice(at, 1);
      return { deleted: true, previous: toRest(previous!) };
    },
    'GET wp/v2/categories': ({ query }) => {
      if (!('search' in query)) return listTerms('categories', check(TermQuery, query));
      const Query = Flag.extend({ search: z.string(), per_page: z.literal('100') });
      const search = check(Query, query).search.toLowerCase();
      return categories
        .map((name, index) => ({ id: index + 1, name }))
        .filter(({ name }) => name.toLowerCase().includes(search));
    },
    'GET wp/v2/tags': ({ query }) => listTerms('tags', check(TermQuery, query)),
    'POST wp/v2/tags': ({ user: asking, body }) => {
      const name = toName(check(z.strictObject({ name: z.string() }), body).name);
      known(asking, 'rest_cannot_create');
      const index = tags.findIndex((tag) => tag.toLowerCase() === name.toLowerCase());
      if (index >= 0) {
        const words = 'A term with the name provided already exists in this taxonomy.';
        throw new Refusal(400, 'term_exists', words, { term_id: index + 1 });
      }
      return { id: tags.push(name), name };
    },
    'GET wp/v2/users/me/application-passwords/introspect': ({ user: asking }) => {
      return { uuid: known(asking, 'rest_not_logged_in').uuid, name: 'Fanfare' };
    },
    'DELETE wp/v2/users/me/application-passwords/:id': ({ user: asking }, uuid) => {
      const user = known(asking, 'rest_not_logged_in');
      if (user.uuid !== uuid) {
        const words = 'Application password not found.';
        throw new Refusal(404, 'rest_application_password_not_found', words);
      }
      user.uuid = null;
      return { deleted: true, previous: { uuid } };
    },
  };

  /** A page after the last page is empty. Only categories can have parents. */
  function listTerms(
    taxonomy: 'categories' | 'tags',
    { orderby, order, per_page, page }: z.infer<typeof TermQuery>,
  ): object[] {
    const terms = { categories, tags }[taxonomy].map((name, index) => ({
      id: index + 1,
      name,
      description: '',
      link: `http://site.test${folder}/${taxonomy}/${index + 1}/`,
      count: posts.filter(({ fields }) => fields[taxonomy].includes(index + 1)).length,
      ...(taxonomy === 'categories' && { parent: parents.get(index + 1) ?? 0 }),
    }));
    const sorted = terms.toSorted((a, b) =>
      orderby === 'count' ? a.count - b.count : a.name.localeCompare(b.name),
    );
    const start = (Number(page) - 1) * Number(per_page);
    return (order === 'asc' ? sorted : sorted.toReversed()).slice(start, start + Number(per_page));
  }

  function known(user: SiteUser | undefined, code: string) {
    const found = users.find(({ id }) => id === user?.id);
    if (found) return found;
    const words = 'You are not currently logged in.';
    throw new Refusal(401, code, words);
  }

  function readUser(request: Request): SiteUser | undefined {
    const basic = /^Basic (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    if (basic === undefined) return undefined;
    const [name = '', ...rest] = Buffer.from(basic, 'base64').toString().split(':');
    const user = users.find(({ login }) => [login, `${login}@example.com`].includes(name));
    const given = rest.join(':').replaceAll(/[^a-z\d]/gi, '');
    const isRight = user?.uuid && given === user.password.replaceAll(' ', '');
    if (isRight) return user;
    if (!readsLoginEarly) return undefined;
    if (user) {
      const words = 'The provided password is an invalid application password.';
      throw new Refusal(401, 'incorrect_password', words);
    }
    const words =
      '<strong>Error:</strong> Unknown username. Check again or try your email address.';
    throw new Refusal(401, 'invalid_username', words);
  }

  function toUniqueSlug(wanted: string): string {
    const plain = wanted.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const isTaken = (slug: string) => posts.some(({ fields }) => fields.slug === slug);
    let slug = plain;
    for (let suffix = 2; isTaken(slug); suffix++) slug = `${plain}-${suffix}`;
    return slug;
  }

  const toRest = ({ id, fields }: StoredPost) => ({
    id,
    link: `http://site.test${folder}/${fields.slug}/`,
    content: { raw: fields.content },
    title: { raw: fields.title ?? '' },
    excerpt: { raw: fields.excerpt ?? '' },
    status: fields.status,
  });

  /** Returns the path below the root of the API; undefined: the request asks for a page. */
  function readRoute({ pathname, searchParams }: URL): string | undefined {
    const plain = searchParams.get('rest_route');
    // The site answers at every path below its folder, and at no other path.
    if (!pathname.startsWith(`${folder}/`)) return undefined;
    if (plain !== null) return plain.replace(/^\//, '');
    const root = `${folder}/wp-json/`;
    if (permalinks === 'plain' || !pathname.startsWith(root)) return undefined;
    return pathname.slice(root.length);
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = readRoute(url);
    if (path === undefined) {
      const isSite = permalinks === 'plain' && url.pathname.startsWith(`${folder}/`);
      return page(isSite ? 200 : 404, 'A blog');
    }
    const { rest_route: _, ...query } = Object.fromEntries(url.searchParams);
    const [, base, id = ''] = withId.exec(path) ?? [];
    const name = `${request.method} ${base ? `${base}/:id` : path}`;
    const route = routes[name];
    calls.push(name);
    try {
      const user = readUser(request);
      if (!route) {
        const words = 'No route was found matching the URL and request method.';
        throw new Refusal(404, 'rest_no_route', words);
      }
      const body = await readBody(request);
      const result = await route({ user, query, body }, id);
      return Response.json(pick(result, query['_fields']), {
        status: request.method === 'POST' ? 201 : 200,
      });
    } catch (error) {
      if (error instanceof Refusal) return error.response;
      throw error;
    }
  }

  return {
    posts,
    files,
    tags,
    categories,
    parents,
    calls,
    answer,
    refuse: (kind) => refusals[kind](),
    addUser(login, role) {
      const password = Array.from({ length: 6 }, () => randomUUID().slice(0, 4)).join(' ');
      const user = { id: users.length + 2, login, password, role, uuid: randomUUID() };
      users.push(user);
      return user;
    },
    revokeToken: () => users.forEach((user) => (user.uuid = null)),
    hasPassword: ({ id }) => users.find((user) => user.id === id)!.uuid !== null,
  };
}

const extensions = new Map([
  ['.jpg', 'image/jpeg'],
  ['.png', 'image/png'],
  ['.webp', 'image/webp'],
  ['.gif', 'image/gif'],
  ['.mp4', 'video/mp4'],
  ['.mov', 'video/quicktime'],
  ['.webm', 'video/webm'],
]);

async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0];
  if (type === 'application/json') return request.json();
  return type === 'multipart/form-data' ? Object.fromEntries(await request.formData()) : undefined;
}

const refusals: Record<RefusalKind, () => Response> = {
  // The answer of a web server or a firewall, because WordPress itself has no rate limits.
  limited: () => page(429, 'Too Many Requests'),
  limited_with_retry_after: () => page(429, 'Too Many Requests', { 'retry-after': '1' }),
  unavailable: () =>
    died(503, 'wp_die', 'Briefly unavailable for scheduled maintenance. Check back in a minute.'),
  error: () =>
    died(500, 'internal_server_error', '<p>There has been a critical error on this website.</p>'),
  rejected: () => died(400, 'not_welcome', 'This is <em>not</em> welcome here.'),
};

function died(status: number, code: string, message: string): Response {
  return Response.json({ code, message, data: { status }, additional_errors: [] }, { status });
}

function page(status: number, title: string, headers: Record<string, string> = {}): Response {
  const html = `<!DOCTYPE html>\n<html lang="en-US"><title>${title}</title></html>`;
  return new Response(html, { status, headers: { 'content-type': 'text/html', ...headers } });
}

/** Writes the name of a term as WordPress stores it. */
const toName = (name: string) =>
  name.trim().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function check<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const params = Object.fromEntries(
    parsed.error.issues.map(({ path, message, ...issue }) => [
      'keys' in issue ? issue.keys.join() : path.join('.'),
      message,
    ]),
  );
  const words = `Invalid parameter(s): ${Object.keys(params).join(', ')}`;
  throw new Refusal(400, 'rest_invalid_param', words, { params });
}

/** Picks the members that `_fields` names, such as `content.raw` for a member of `content`. */
function pick(result: object, fields: string | undefined): object {
  if (fields === undefined) return result;
  if (Array.isArray(result)) return result.map((each: object) => pick(each, fields));
  const names = fields.split(',').map((field) => field.split('.')[0]);
  return Object.fromEntries(Object.entries(result).filter(([name]) => names.includes(name)));
}

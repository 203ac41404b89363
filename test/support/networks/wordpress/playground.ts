// A real WordPress on loopback for tests, with users made on demand.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import type { PublicPost } from '../contract/subject.ts';
import { installOnce } from '../../servers/npm-installation.ts';
import { startServerProcess, type ServerProcess } from '../../servers/server-process.ts';
import { toCaption } from './caption.ts';

export interface WordPress {
  readonly url: string;
  /** Creates a user with an application password. Returns the credentials that a connector gets. */
  createUser(role: 'author' | 'contributor' | 'editor'): Promise<Credentials>;
  /** Calls the REST API as the user. `path`: below the root of the API. */
  call(user: Credentials, method: string, path: string, json?: unknown): Promise<unknown>;
  /** The user's posts, as WordPress keeps them. */
  listPosts(user: Credentials): Promise<PublicPost[]>;
  stop(): Promise<void>;
}

/** The newest release in the package of builds. */
const version = '6.5';
const startTimeoutMs = 180_000;
const source = fileURLToPath(new URL('playground', import.meta.url));
const Password = z.object({ password: z.string() });
const Term = z.object({ id: z.int(), name: z.string() });
const Raw = z.object({ raw: z.string() });
const Posts = z.array(
  z.object({
    id: z.int(),
    title: Raw,
    content: Raw,
    excerpt: Raw,
    slug: z.string(),
    status: z.string(),
    format: z.string(),
    categories: z.array(z.int()),
    tags: z.array(z.int()),
  }),
);

/** `skipped` says why WordPress can't run on this machine. */
export async function startWordPress(): Promise<WordPress | { skipped: string }> {
  let installation: string;
  try {
    installation = await installOnce({ name: 'wordpress', source, finish: removeUnused });
  } catch (error) {
    return { skipped: error instanceof Error ? error.message : String(error) };
  }
  const data = await mkdtemp(join(tmpdir(), 'fanfare-wordpress-'));
  let server: ServerProcess | undefined;
  async function stop(): Promise<void> {
    await server?.stop();
    await rm(data, { recursive: true, force: true });
  }
  try {
    server = await startServerProcess({
      title: 'WordPress',
      executable: process.execPath,
      parameters: [join(source, 'server.mjs'), installation, data, version],
      // The playground keeps its unpacked files in HOME, and the site in TMPDIR.
      env: { HOME: data, TMPDIR: data },
      startTimeoutMs,
    });
    const { url } = server.line as { url: string };
    let users = 0;
    const call: WordPress['call'] = (user, method, path, json) =>
      callApi(`${url}/wp-json/wp/v2/${path}`, method, json, user);
    return {
      url,
      createUser: (role) => createUser(url, `${role}-${++users}`, role),
      call,
      listPosts: (user) => listPosts((path) => call(user, 'GET', path)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Removes the other versions of PHP, and the unpacked files of WordPress. These are two thirds of a gigabyte.
 */
async function removeUnused(folder: string): Promise<void> {
  const packages = join(folder, 'node_modules');
  const php = (await readdir(join(packages, '@php-wasm'))).filter(
    (name) => /^node-\d/.test(name) && name !== 'node-8-3',
  );
  const unused = [
    ...php.map((name) => join('@php-wasm', name)),
    join('@wp-playground', 'wordpress-builds', 'public'),
  ];
  for (const name of unused) await rm(join(packages, name), { recursive: true, force: true });
}

async function createUser(url: string, login: string, role: string): Promise<Credentials> {
  const api = `${url}/wp-json/fanfare-test/v1/users`;
  const { password } = Password.parse(await callApi(api, 'POST', { login, role }));
  return { site: url, username: login, application_password: password };
}

async function callApi(url: string, method: string, json?: unknown, user?: Credentials) {
  const login = `${user?.['username']}:${user?.['application_password']}`;
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(user && { authorization: `Basic ${Buffer.from(login).toString('base64')}` }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function listPosts(get: (path: string) => Promise<unknown>): Promise<PublicPost[]> {
  const { id } = Term.parse(await get('users/me'));
  const query = `context=edit&status=any&per_page=100&author=${id}`;
  const posts = Posts.parse(await get(`posts?${query}`));
  const nameOf = async (taxonomy: string, term: number) =>
    Term.parse(await get(`${taxonomy}/${term}`)).name;
  return Promise.all(
    posts.map(async ({ id, title, content, excerpt, categories, tags, ...options }) => ({
      id: String(id),
      text: toCaption(content.raw),
      replyTo: null,
      options: {
        ...options,
        title: title.raw,
        excerpt: excerpt.raw,
        categories: await Promise.all(categories.map((term) => nameOf('categories', term))),
        tags: await Promise.all(tags.map((term) => nameOf('tags', term))),
      },
    })),
  );
}

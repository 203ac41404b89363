// The pages that a user shares with the app at Facebook: pages of the user, and pages of the user's
// businesses.
import { z } from 'zod';
import type { Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import { findMissingScopes, lacksPermissions } from '../wrong-credential.ts';
import type { FacebookUser } from './facebook-login.ts';
import { GraphId } from './ids.ts';
import { readList } from './lists.ts';

/** https://developers.facebook.com/docs/pages-api/manage-pages */
const Page = z.object({
  id: GraphId,
  name: z.string().default(''),
  /** Absent: the user has no role at the page. */
  access_token: z.string().min(1).optional(),
  tasks: z.array(z.string()).optional(),
  instagram_business_account: z
    .object({ id: GraphId, username: z.string().optional(), name: z.string().optional() })
    .optional(),
  connected_instagram_account: z
    .object({ id: GraphId, username: z.string().optional() })
    .optional(),
});
export interface Page extends z.infer<typeof Page> {
  /** Name of the business in whose list the page was found. */
  business?: string;
}

const User = z.object({ id: GraphId });
const Business = z.object({ id: GraphId, name: z.string().default('') });

/** A login has at most 100 accounts. */
const maxRead = 101;
const maxBusinesses = 25;

/**
 * The user of a login at Facebook, and the pages that the login reaches. Throws if the login lacks a needed
 * scope, or reaches no page.
 */
export async function readUserPages(
  { ask, granted, productName }: FacebookUser,
  needed: readonly string[],
  fields: readonly string[] = [],
): Promise<{ userId: string; pages: Page[] }> {
  const missing = findMissingScopes(needed, granted);
  // Without these scopes, Facebook lists no pages, or leaves out their tokens.
  if (missing.length > 0) throw lacksPermissions(missing);
  const { id: userId } = (await ask('/me', User, { query: { fields: 'id' } })).body;
  const pages = await listPages(ask, granted, fields);
  if (pages.length > 0) return { userId, pages };
  const message = describeNoPage(granted, productName);
  throw new PlatformError('rejected', message, { platformCode: 'no_page' });
}

/**
 * `granted`: scopes of the login; null if unknown. `fields`: fields to read in addition to the usual ones.
 */
async function listPages(
  ask: Ask,
  granted: readonly string[] | null,
  fields: readonly string[],
): Promise<Page[]> {
  const query = { fields: ['id', 'name', 'access_token', 'tasks', ...fields].join(',') };
  const own: Page[] = await listAll(ask, '/me/accounts', Page, query);
  const ofBusinesses = seesBusinesses(granted) ? await listOfBusinesses(ask, query) : [];
  const pages = [...own, ...ofBusinesses];
  const byId = new Map<string, Page>();
  for (const page of pages) {
    const known = byId.get(page.id);
    // A page may be in several lists, but have its token in only one of them.
    if (!known?.access_token) byId.set(page.id, { ...known, ...page });
  }
  return [...byId.values()].slice(0, maxRead);
}

const seesBusinesses = (granted: readonly string[] | null) =>
  granted?.includes('business_management') ?? true;

/** A user may have no business, or no access to its pages. */
async function listOfBusinesses(ask: Ask, query: { fields: string }): Promise<Page[]> {
  const businesses = await listAll(ask, '/me/businesses', Business, { fields: 'id,name' }).catch(
    withoutAccess,
  );
  const lists = businesses.slice(0, maxBusinesses).flatMap(({ id, name }) => [
    { path: `/${id}/owned_pages`, business: name },
    { path: `/${id}/client_pages`, business: name },
  ]);
  const found = await Promise.all(
    lists.map(async ({ path, business }) => {
      const pages = await listAll(ask, path, Page, query).catch(withoutAccess);
      return pages.map((page) => ({ ...page, business }));
    }),
  );
  return found.flat();
}

function withoutAccess(error: unknown): never[] {
  if (error instanceof PlatformError && error.kind === 'rejected') return [];
  throw error;
}

async function listAll<T>(
  ask: Ask,
  path: string,
  item: z.ZodType<T>,
  query: { fields: string },
): Promise<T[]> {
  const limits = { maxPages: maxRead, maxItems: maxRead };
  return (await readList(ask, path, item, { query, ...limits })).items;
}

/** https://developers.facebook.com/docs/pages-api/overview#tasks. Newer pages have other names for the tasks. */
const creatingTasks = new Set([
  'CREATE_CONTENT',
  'MANAGE',
  'PROFILE_PLUS_CREATE_CONTENT',
  'PROFILE_PLUS_FULL_CONTROL',
]);

/**
 * Why a login reaches nothing, as a sentence. `granted`: null if unknown. `productName`: absent for a token
 * that was imported.
 */
function describeNoPage(granted: readonly string[] | null, productName?: string): string {
  const begin =
    productName === undefined
      ? 'Facebook shared no page with the app. Log in again'
      : `Facebook shared no page with ${productName}. Open the link again`;
  const ofBusiness = ' If the page belongs to a business, allow access to the business too.';
  return `${begin}, choose 'Edit settings', and select every page.${seesBusinesses(granted) ? '' : ofBusiness}`;
}

/** Why the user can't publish for the page, as a sentence. Null: the user can. */
export function problemOf({ name, access_token, tasks, business }: Page): string | null {
  const mayCreate = tasks?.some((task) => creatingTasks.has(task)) ?? true;
  if (access_token !== undefined && mayCreate) return null;
  if (business === undefined) {
    return `Your role at the page ${name} lacks the task 'Create content'. Ask an administrator of the page for it.`;
  }
  const owner = business === '' ? 'a business' : `the business ${business}`;
  return `The page ${name} belongs to ${owner}, where you lack the task 'Create content'. Ask an administrator of the business to assign you the page with this task.`;
}

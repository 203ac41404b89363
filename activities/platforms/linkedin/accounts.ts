// The accounts that a login reaches: the member, and the pages that the member may post to.
import { z } from 'zod';
import { pasted } from '../credential-fields.ts';
import type { Ask } from '../network-api.ts';
import { hasCode } from '../platform-error.ts';
import type { Credentials, Grant, GrantedAccount } from '../platform.ts';
import { wrongCredential } from '../wrong-credential.ts';
import type { LinkedInApi } from './client.ts';

export const ConsentInput = z.strictObject({}).meta({
  description:
    'You log in at LinkedIn, and allow posts to your profile or to pages that you administer.',
});

export const TokenInput = z
  .strictObject({
    access_token: pasted(/^[\w.~+/=-]{10,2000}$/, 'must be an access token').meta({
      title: 'Access token',
      'x-secret': true,
      description: 'From the token generator of your app, with the scopes of your account.',
    }),
    organization: pasted(/^\d{0,20}$/, 'must be the number of a page')
      .default('')
      .meta({
        title: 'Page ID',
        description:
          'The number in the address of the page, for its administrators. Empty: your own profile.',
      }),
  })
  .meta({
    description:
      "Create an app at https://www.linkedin.com/developers/apps, and a token with LinkedIn's token generator at https://www.linkedin.com/developers/tools/oauth/token-generator. The token expires after 60 days.",
  });

/** @see https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2 */
const UserInfo = z.object({ sub: z.string().regex(/^[\w-]+$/), name: z.string().optional() });
/** @see https://learn.microsoft.com/en-us/linkedin/shared/integrations/people/profile-api */
const Profile = z.object({
  id: z.string().regex(/^[\w-]+$/),
  localizedFirstName: z.string().optional(),
  localizedLastName: z.string().optional(),
});

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/organizations/organization-access-control-by-role */
const AccessPage = z.object({ elements: z.array(z.unknown()) });
/** LinkedIn's documents show both names for the organization. */
const Access = z.union([
  z.object({ role: z.string(), organization: z.string() }),
  z
    .object({ role: z.string(), organizationTarget: z.string() })
    .transform(({ role, organizationTarget: organization }) => ({ role, organization })),
]);
const Organizations = z.object({
  results: z.record(z.string(), z.object({ localizedName: z.string().optional() })).default({}),
});

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#permissions */
const postingRoles = new Set([
  'ADMINISTRATOR',
  'CONTENT_ADMINISTRATOR',
  'CONTENT_ADMIN',
  'DIRECT_SPONSORED_CONTENT_POSTER',
]);
const pageSize = 100;
const maxPages = 5;
export const organizationUrn = /^urn:li:organization:(\d+)$/;

/** `scope`: null if unknown. An unknown scope counts as the scope of this installation. */
export async function listAccounts(
  api: LinkedInApi,
  scope: readonly string[] | null,
  assumed: readonly string[],
): Promise<GrantedAccount[]> {
  const has = (...any: string[]) => any.some((each) => (scope ?? assumed).includes(each));
  const member = {
    ...(await readMember(api, has('openid'))),
    ...(has('w_member_social') ? { problem: null } : lacks('w_member_social')),
    ...commentsIf(has(commentScopes.member)),
  };
  if (!has('r_organization_admin', 'rw_organization_admin')) return [member];
  const organizations = await listOrganizations(api.rest).catch((error: unknown) => {
    if (scope === null && hasCode(error, 'ACCESS_DENIED')) return [];
    throw error;
  });
  const fault = {
    ...(has('w_organization_social') ? {} : lacks('w_organization_social')),
    ...commentsIf(has(commentScopes.organization)),
  };
  return [member, ...organizations.map((account) => ({ ...account, ...fault }))];
}

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api#permissions */
const commentScopes = {
  member: 'w_member_social_feed',
  organization: 'w_organization_social_feed',
};

const commentsIf = (isAllowed: boolean) => (isAllowed ? { traits: { comments: true } } : {});

const lacks = (scope: string) =>
  ({ problem: `The login lacks the scope ${scope}.`, lacksScope: true }) as const;

/**
 * Connects with a token that the user made. LinkedIn doesn't report such a token's scopes, or when it ends.
 * `assumed`: the scopes of this installation, which decide whether the account can comment.
 */
export async function connectToken(
  api: LinkedInApi,
  { access_token, organization }: Credentials,
  assumed: readonly string[],
): Promise<Grant> {
  const account = organization
    ? await findOrganization(api.rest, organization)
    : { ...(await readMember(api, true)), problem: null };
  const scope = commentScopes[organization ? 'organization' : 'member'];
  return {
    credentials: { access_token: access_token! },
    scope: [],
    tokenExpiresAt: null,
    accounts: [{ ...account, ...commentsIf(assumed.includes(scope)) }],
  };
}

/** `hasOpenId`: whether the app has OpenID Connect. Other apps have `r_basicprofile`. */
async function readMember(
  { v2 }: LinkedInApi,
  hasOpenId: boolean,
): Promise<Omit<GrantedAccount, 'problem'>> {
  if (hasOpenId) {
    const { sub, name } = (await v2('/userinfo', UserInfo)).body;
    return toMember(sub, name);
  }
  const { id, localizedFirstName, localizedLastName } = (await v2('/me', Profile)).body;
  return toMember(id, [localizedFirstName, localizedLastName].filter(Boolean).join(' '));
}

const toMember = (id: string, name = '') => ({
  externalAccountId: `urn:li:person:${id}`,
  accountName: name.trim() || 'LinkedIn member',
  kind: 'Profile',
});

async function findOrganization(rest: Ask, id: string): Promise<GrantedAccount> {
  const all = await listOrganizations(rest);
  const found = all.find(({ externalAccountId }) => externalAccountId.endsWith(`:${id}`));
  if (found) return found;
  throw wrongCredential('organization', 'You have no role at this page.', 'no_role');
}

/** The login may have several roles at a page. */
async function listOrganizations(rest: Ask): Promise<GrantedAccount[]> {
  const roles = new Map<string, string[]>();
  for (const { organization, role } of await listAccess(rest)) {
    const id = organizationUrn.exec(organization)?.[1];
    if (id !== undefined) roles.set(id, [...(roles.get(id) ?? []), role]);
  }
  if (roles.size === 0) return [];
  const ids = [...roles.keys()].join(',');
  const { results } = (await rest(`/organizations?ids=List(${ids})`, Organizations)).body;
  return [...roles].map(([id, held]) => ({
    externalAccountId: `urn:li:organization:${id}`,
    accountName: results[id]?.localizedName ?? `Page ${id}`,
    kind: 'Page',
    problem: held.some((role) => postingRoles.has(role))
      ? null
      : `Your role at this page, ${held.join(' and ')}, can't post.`,
  }));
}

/** Leaves out rows that can't be read, so that one such row doesn't hide the other pages. */
async function listAccess(rest: Ask): Promise<z.infer<typeof Access>[]> {
  const listed: unknown[] = [];
  for (let page = 0; page < maxPages; page++) {
    const query = { q: 'roleAssignee', state: 'APPROVED', count: pageSize, start: listed.length };
    const { elements } = (await rest('/organizationAcls', AccessPage, { query })).body;
    listed.push(...elements);
    if (elements.length < pageSize) break;
  }
  return listed.flatMap((row) => Access.safeParse(row).data ?? []);
}

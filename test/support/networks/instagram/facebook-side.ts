// The login at the simulated Facebook as Instagram has it: pages, and the accounts that are linked to them.
import { Logins, type SimulatedPage } from '../facebook/logins.ts';
import { needsPageToken } from '../facebook/refusals.ts';
import type { Parameters } from './parameters.ts';
import { noPermission, notFound } from './refusals.ts';
import { readBearer } from './requests.ts';

/** A page of the user, linked to the account unless `change` says otherwise. */
export const pageOf = (account: string, change: Partial<SimulatedPage> = {}): SimulatedPage => ({
  id: '102030405060708',
  name: 'Brass Bakery',
  tasks: ['ADVERTISE', 'ANALYZE', 'CREATE_CONTENT', 'MANAGE', 'MESSAGING', 'MODERATE'],
  ...change,
  more: {
    instagram_business_account: { id: account, username: 'ada', name: 'Ada Lovelace' },
    connected_instagram_account: undefined,
    ...change.more,
  },
});

export class FacebookSide {
  readonly logins: Logins;

  constructor(pages: SimulatedPage[]) {
    this.logins = new Logins(pages);
  }

  /** Undefined: the path is none of the login's. */
  answer(
    host: string,
    request: Request,
    path: string,
    { access_token: parameter, ...given }: Parameters,
  ): Response | undefined {
    const { logins } = this;
    const url = new URL(request.url);
    const token = readBearer(request) ?? (parameter as string | undefined);
    const short = path.replace(/^\/v\d+\.\d+/, '');
    if (host === 'www.facebook.com') {
      return short === '/dialog/oauth'
        ? logins.authorize(request.method, url.pathname, given)
        : undefined;
    }
    const [, business, edge] = /^\/(\d+)\/(owned_pages|client_pages)$/.exec(short) ?? [];
    if (business !== undefined && edge !== undefined) {
      return logins.listPagesOf(token, url, { business, edge }, given);
    }
    switch (short) {
      case '/oauth/access_token':
        return logins.giveToken(given);
      case '/debug_token':
        return logins.inspect(token, given);
      case '/me':
        logins.check(token, undefined);
        return Response.json({ id: logins.user.id });
      case '/me/permissions':
        return logins.listPermissions(token);
      case '/me/accounts':
        return logins.listPages(token, url, given);
      case '/me/businesses':
        return logins.listBusinesses(token, url, given);
      default:
        return undefined;
    }
  }

  accountOf(token: string | undefined, scope: string): string {
    const { page: id, scopes } = this.logins.findGood(token);
    if (id === undefined) throw needsPageToken();
    const page = this.logins.pages.find((each) => each.id === id);
    const { instagram_business_account: linked } = page?.more ?? {};
    if (!linked) throw notFound(id);
    if (!scopes.includes(scope)) throw noPermission();
    return (linked as { id: string }).id;
  }

  revokeAll = () => this.logins.revokeAll();
  expireAll = () => this.logins.expireAll();
}

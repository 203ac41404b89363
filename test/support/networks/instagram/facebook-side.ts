// The simulated Facebook where users of Instagram log in: its pages, and the accounts that are linked to
// them.
import { Logins, type SimulatedPage } from '../facebook/logins.ts';
import { needsPageToken } from '../facebook/refusals.ts';
import { missing } from '../meta/refusals.ts';
import { noPermission } from './refusals.ts';

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

  /** The account that is linked to the token's page. Throws unless the token is good and has the scope. */
  accountOf(token: string | undefined, scope: string): string {
    const { page: id, scopes } = this.logins.findGood(token);
    if (id === undefined) throw needsPageToken();
    const page = this.logins.pages.find((each) => each.id === id);
    const { instagram_business_account: linked } = page?.more ?? {};
    if (!linked) throw missing(id);
    if (!scopes.includes(scope)) throw noPermission();
    return (linked as { id: string }).id;
  }
}

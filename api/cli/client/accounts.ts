// The command `accounts`, and accounts by the names that users give them, such as `bluesky:@ada`.
import type { Fanfare, Schemas } from '../../../clients/typescript/src/index.ts';
import type { Answer } from '../output/answer.ts';
import { InvalidArgument } from '../output/invalid-argument.ts';
import { toPlain, toTable } from '../output/table.ts';
import type { Terminal } from '../output/terminal.ts';

type Account = Schemas['Account'];
type Stop = Pick<Terminal, 'signal'>;

export async function showAccounts(client: Fanfare, { signal }: Stop): Promise<Answer> {
  const data = await readAccounts(client, signal);
  const rows = data.map((account) => [nameOf(account), account.status, account.id]);
  const text = toTable(['ACCOUNT', 'STATUS', 'ID'], rows);
  return { text: data.length === 0 ? 'No account is connected.' : text, data };
}

/** The accounts, in the order of the names. Throws an InvalidArgument with the candidates. */
export async function findAccounts(
  client: Fanfare,
  names: string[],
  { signal }: Stop,
): Promise<Account[]> {
  const accounts = await readAccounts(client, signal);
  const found = names.map((name) => findAccount(accounts, name));
  const twice = found.find((account, index) => found.indexOf(account) !== index);
  if (twice) throw new InvalidArgument(`--to names ${nameOf(twice)} twice.`);
  return found;
}

function findAccount(accounts: Account[], name: string): Account {
  const matches = matching(accounts, name);
  if (matches.length === 1) return matches[0]!;
  const candidates = matches.length > 0 ? matches : accounts;
  const list = candidates
    .map((account) => `\n  ${nameOf(account)}  ${account.id}`)
    .sort()
    .join('');
  const reason = matches.length > 0 ? 'matches several accounts' : 'matches no account';
  throw new InvalidArgument(
    `--to: ${name} ${reason}. Name one by its network and name, or by its ID:${list || ' none is connected.'}`,
  );
}

/** By ID, by the whole name, or by its first part: `@ada` for `ada.bsky.social`. The network may stand before it. */
function matching(accounts: Account[], wanted: string): Account[] {
  const byId = accounts.filter(({ id }) => id === wanted);
  if (byId.length > 0) return byId;
  const [, platform, name = ''] = /^(?:([a-z_]+):)?@?(.*)$/i.exec(wanted) ?? [];
  const reached = accounts.filter((account) => !platform || account.platform === platform);
  const bare = name.toLowerCase();
  const nameIn = ({ account_name }: Account) => account_name.toLowerCase().replace(/^@/, '');
  const whole = reached.filter((account) => nameIn(account) === bare);
  return whole.length > 0
    ? whole
    : reached.filter((each) => nameIn(each).split(/[.@]/)[0] === bare);
}

export const nameOf = ({ platform, account_name }: Pick<Account, 'platform' | 'account_name'>) =>
  toPlain(`${platform}:@${account_name.replace(/^@/, '')}`);

async function readAccounts(client: Fanfare, signal: AbortSignal): Promise<Account[]> {
  const accounts: Account[] = [];
  for await (const account of client.accounts.list({}, { signal })) {
    if (account.status !== 'disconnected') accounts.push(account);
  }
  return accounts;
}

// Which versions of networks' APIs the configuration names, and when the networks end them.
import type { Config } from '../../../schema/config/config.ts';
import { listNetworksOfOwnApps } from '../../../schema/database/accounts/apps.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { ok, warning } from './finding.ts';

const dayMs = 86_400_000;
const versionDays = 60;

/**
 * The last days of versions of the Graph API. Meta ends a version two years after the release of the next one.
 * @see https://developers.facebook.com/docs/graph-api/changelog/versions
 */
const graphEnds: Readonly<Record<string, string>> = {
  'v21.0': '2027-01-21',
  'v22.0': '2027-05-20',
  'v23.0': '2027-10-08',
  'v24.0': '2028-02-18',
  'v25.0': '2028-07-29',
};
/** The last day of v20.0. All older versions ended before. */
const olderGraphEnd = '2026-09-24';
const oldestGraph = 21;

interface Versioned {
  title: string;
  /** The last day, or the month if the day isn't known. Undefined: not announced when this Fanfare was released. */
  endOf: (version: string) => string | undefined;
}

const networks = {
  facebook: { title: 'Facebook', endOf: endOfGraph },
  instagram: { title: 'Instagram', endOf: endOfGraph },
  linkedin: { title: 'LinkedIn', endOf: endOfLinkedIn },
} satisfies Partial<Record<keyof Config['platforms'], Versioned>>;

type Network = keyof typeof networks;

/** Checks the networks for which the operator or a project has an app. */
export async function checkVersions({ platforms }: Pick<Config, 'platforms'>, now: Date, db?: Db) {
  // A database that doesn't answer is a finding of its own.
  const own = db ? await listNetworksOfOwnApps(db).catch(() => []) : [];
  const names = Object.keys(networks) as Network[];
  const used = names.filter((name) => platforms[name].clientId !== undefined || own.includes(name));
  if (used.length === 0) return undefined;
  const found = used.map((name) => describe(name, platforms[name].version, now));
  const message = found.map(({ line }) => line).join('\n');
  return found.some(({ isNear }) => isNear) ? warning(message) : ok(message);
}

function describe(name: Network, version: string, now: Date) {
  const { title, endOf } = networks[name];
  const end = endOf(version);
  if (end === undefined) {
    return { line: `${title} has not announced the end of version ${version}.`, isNear: false };
  }
  const leftMs = Date.parse(end) - now.getTime();
  const isNear = leftMs < versionDays * dayMs;
  const line =
    leftMs < 0
      ? `${title} has ended version ${version} of its API.`
      : `${title} ends version ${version} of its API around ${end}.`;
  return { line: isNear ? `${line} Set FANFARE_${name.toUpperCase()}_VERSION.` : line, isNear };
}

function endOfGraph(version: string): string | undefined {
  const major = Number(/\d+/.exec(version)![0]);
  return major < oldestGraph ? olderGraphEnd : graphEnds[version];
}

/** LinkedIn names its versions for the month of their publication, and ends them about a year later. */
function endOfLinkedIn(version: string): string {
  const [, year, month] = /^(\d{4})(\d\d)$/.exec(version)!;
  return `${Number(year) + 1}-${month}`;
}

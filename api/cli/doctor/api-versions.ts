// Which versions of networks' APIs the configuration names, and when the networks retire them.
import type { Config } from '../../../schema/config/config.ts';
import { listNetworksOfOwnApps } from '../../../schema/database/accounts/apps.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { ok, warning } from './finding.ts';

const dayMs = 86_400_000;
const versionDays = 60;

/**
 * The last days of versions of the Graph API. Meta retires a version two years after the release of the next one.
 * @see https://developers.facebook.com/docs/graph-api/changelog/versions
 */
const graphRetirements: Readonly<Record<string, string>> = {
  'v21.0': '2027-01-21',
  'v22.0': '2027-05-20',
  'v23.0': '2027-10-08',
  'v24.0': '2028-02-18',
  'v25.0': '2028-07-29',
};
/** The last day of v20.0. All older versions were retired before. */
const olderGraphRetirement = '2026-09-24';
const oldestGraph = 21;

interface Versioned {
  title: string;
  /** The last day, or the month if the day isn't known. Undefined: not announced when this Fanfare was released. */
  retirementOf: (version: string) => string | undefined;
}

const networks = {
  facebook: { title: 'Facebook', retirementOf: retirementOfGraph },
  instagram: { title: 'Instagram', retirementOf: retirementOfGraph },
  linkedin: { title: 'LinkedIn', retirementOf: retirementOfLinkedIn },
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
  const { title, retirementOf } = networks[name];
  const day = retirementOf(version);
  if (day === undefined) {
    return {
      line: `${title} has not announced when it retires version ${version}.`,
      isNear: false,
    };
  }
  const leftMs = Date.parse(day) - now.getTime();
  const isNear = leftMs < versionDays * dayMs;
  const line =
    leftMs < 0
      ? `${title} has retired version ${version} of its API.`
      : `${title} retires version ${version} of its API around ${day}.`;
  return { line: isNear ? `${line} Set FANFARE_${name.toUpperCase()}_VERSION.` : line, isNear };
}

function retirementOfGraph(version: string): string | undefined {
  const major = Number(/\d+/.exec(version)![0]);
  return major < oldestGraph ? olderGraphRetirement : graphRetirements[version];
}

/** LinkedIn names its versions for the month of their publication, and retires them about a year later. */
function retirementOfLinkedIn(version: string): string {
  const [, year, month] = /^(\d{4})(\d\d)$/.exec(version)!;
  return `${Number(year) + 1}-${month}`;
}

// FANFARE_MEDIA_URL: where the bytes of media are stored.
import { fileURLToPath } from 'node:url';

interface FolderLocation {
  kind: 'file';
  folder: string;
}

export interface BucketLocation {
  kind: 's3';
  bucket: string;
  /** Without slashes at its ends. Empty: none. */
  prefix: string;
  /** Undefined: the endpoint of AWS. */
  endpoint: string | undefined;
  region: string;
  /** The bucket is part of the path, instead of the host. */
  hasPathStyle: boolean;
}

const parameters = ['endpoint', 'region', 'path_style'];

/** Returns what is wrong as a text if the URL is malformed. */
export function parseMediaUrl(text: string): FolderLocation | BucketLocation | string {
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return parseFolder(url);
  if (url?.protocol === 's3:') return parseBucket(url);
  return 'must be file:///<folder> or s3://<bucket>[/<prefix>]?region=<region>';
}

function parseFolder(url: URL): FolderLocation | string {
  if (url.host !== '') return 'must have three slashes, as in file:///var/lib/fanfare/media';
  if (url.search !== '' || url.hash !== '') return 'must have no parameters after the folder';
  try {
    const folder = fileURLToPath(url).replace(/(?<=.)[/\\]+$/, '');
    if (folder === '/') return 'must name a folder, as in file:///var/lib/fanfare/media';
    return { kind: 'file', folder };
  } catch {
    return 'must be the URL of an absolute path, as in file:///var/lib/fanfare/media';
  }
}

function parseBucket(url: URL): BucketLocation | string {
  const { searchParams } = url;
  const unknown = [...searchParams.keys()].find((name) => !parameters.includes(name));
  const endpoint = searchParams.get('endpoint') ?? undefined;
  const region = searchParams.get('region');
  const pathStyle = searchParams.get('path_style') ?? 'false';
  if (url.username !== '' || url.password !== '') {
    return 'must have no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  }
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
    return 'must name a bucket, as in s3://media?region=us-east-1';
  }
  if (unknown !== undefined) {
    return `has the unknown parameter "${unknown}"; it takes ${parameters.join(', ')}`;
  }
  if (!region) return 'must have a region, as in s3://media?region=us-east-1';
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    return 'must have an http:// or https:// URL without a path as its endpoint';
  }
  if (pathStyle !== 'true' && pathStyle !== 'false') return 'path_style must be true or false';
  return {
    kind: 's3',
    bucket: url.host,
    prefix: decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, ''),
    endpoint,
    region,
    hasPathStyle: pathStyle === 'true',
  };
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.pathname === '/' &&
    url.search === '' &&
    url.username === ''
  );
}

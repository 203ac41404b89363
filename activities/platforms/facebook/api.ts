// The Graph API of Facebook for one page, with the page's own token.
import { facebook } from '../../../schema/platforms/facebook.ts';
import { createGraphApi } from '../meta/graph.ts';
import { pageTokenOf } from '../meta/page-tokens.ts';
import type { Ask } from '../network-api.ts';
import type { Fetch, Target } from '../platform.ts';
import { facebookErrors } from './errors.ts';

export const network = facebook.title;

export interface FacebookSettings {
  fetch: Fetch;
  apiUrl: string;
  videoUrl: string;
  loginUrl: string;
  version: string;
  scopes: string[];
  configId?: string | undefined;
}

/** The API for one target. */
export interface PageApi {
  page: string;
  token: string;
  graph: Ask;
  /** Calls the host that takes videos for the feed. */
  videos: Ask;
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

type OpenPage = (
  target: Pick<Target, 'externalAccountId' | 'credentials'>,
  signal: AbortSignal,
) => PageApi;

export function createFacebookApi({ fetch, apiUrl, videoUrl, version }: FacebookSettings) {
  const openAt = (url: string) =>
    createGraphApi(fetch, { network, errors: facebookErrors, url: `${url}/${version}` });
  const [graph, videos] = [openAt(apiUrl), openAt(videoUrl)];
  const openPage: OpenPage = ({ externalAccountId: page, credentials }, signal) => {
    const token = pageTokenOf(credentials, page);
    const login = { access_token: token };
    const asks = { graph: graph(login, signal), videos: videos(login, signal) };
    return { page, token, ...asks, fetch, apiUrl, signal };
  };
  return { graph, openPage };
}

// The Threads API: its settings, with and without a version.
import { threads } from '../../../schema/platforms/threads.ts';
import { createGraphApi } from '../meta/graph.ts';
import type { OpenApi } from '../network-api.ts';
import type { Fetch } from '../platform.ts';
import { threadsErrors } from './errors.ts';

export const network = threads.title;

export interface ThreadsSettings {
  fetch: Fetch;
  apiUrl: string;
  consentUrl: string;
  version: string;
  scopes: string[];
}

/** `root`: for tokens, whose calls have no version. */
export function createThreadsApi({
  fetch,
  apiUrl,
  version,
}: Pick<ThreadsSettings, 'fetch' | 'apiUrl' | 'version'>): { open: OpenApi; root: OpenApi } {
  const shared = { network, errors: threadsErrors };
  return {
    open: createGraphApi(fetch, { ...shared, url: `${apiUrl}/${version}` }),
    root: createGraphApi(fetch, { ...shared, url: apiUrl }),
  };
}

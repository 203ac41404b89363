// A worker process of the upload run. It waits for a message of its parent, then advances one target to its end.
import { once } from 'node:events';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import type { Fetch, Platform } from '../../../activities/platforms/platform.ts';
import { createTikTok } from '../../../activities/platforms/tiktok/index.ts';
import { createYouTube } from '../../../activities/platforms/youtube/index.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { findTarget } from '../../../schema/database/posts/targets.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { fileMedia } from '../../support/media/target-media.ts';
import { createSend } from '../../support/networks/caller.ts';
import { connectContainers } from '../../support/networks/container-then-publish.ts';
import { advanceToEnd, dependenciesOf } from '../../support/networks/posting.ts';
import { connectUploads } from '../../support/networks/upload-session.ts';
import { youtubeVariables } from '../../support/networks/youtube/connected.ts';
import { pidHeader, type WorkerInput } from './workers.ts';

/** The checks after a lost commit wait for a network that takes a call late, which this one doesn't. */
const clock = { ...defaultTargetClock, reconcileDelaysMs: [0, 1_000, 5_000] };

async function work({ databaseUrl, networkUrl, resultId, network }: WorkerInput): Promise<void> {
  const database = connectDatabase({
    url: databaseUrl,
    maxConnections: 4,
    applicationName: 'upload',
  });
  const guard = createUrlGuard({ allowPrivateCidrs: ['127.0.0.0/8'] });
  const safeFetch = createSafeFetch({ guard, fetchDeadlineMs: 30_000 });
  const fetch: Fetch = (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set(pidHeader, String(process.pid));
    return safeFetch.fetch(url, { ...init, headers });
  };
  const isUpload = 'file' in network;
  const platform = connect(network, fetch, networkUrl);
  const dependencies = {
    ...dependenciesOf(database.db, { platform }, clock),
    ...(isUpload && { loadMedia: () => Promise.resolve([fileMedia(network.file)]) }),
  };
  await findTarget(database.db, resultId);
  process.send!('ready');
  await once(process, 'message');
  await advanceToEnd(dependencies, resultId);
  await Promise.all([safeFetch.close(), database.close()]);
  process.disconnect();
}

function connect(network: WorkerInput['network'], fetch: Fetch, url: string): Platform {
  const send = createSend(fetch, url);
  if ('pollMs' in network) return connectContainers(send, network.pollMs);
  if ('chunkBytes' in network) return connectUploads(send, network.chunkBytes);
  if (network.name === 'tiktok') {
    return createTikTok({ fetch, apiUrl: url, consentUrl: url, scopes: [] });
  }
  const { youtube } = readConfig(youtubeVariables(url)).platforms;
  return createYouTube({ ...youtube, fetch });
}

await work(JSON.parse(process.argv[2]!) as WorkerInput);

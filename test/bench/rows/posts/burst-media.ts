// Two thousand posts with a picture that are due at the same second, at a network that fetches it and has to be polled.
import { createMedia, putBytes } from '../../../support/media/uploads.ts';
import { importAccounts } from '../../endpoints.ts';
import { startInstallation } from '../../installation.ts';
import { createPhoto } from '../../photo.ts';
import { publishDuePosts } from '../../posts.ts';
import { median, percentile, type Row } from '../../result.ts';
import { startServerProcess } from '../../server-process.ts';

const count = 2_000;
const accounts = 100;
/** Long enough to create all of them through the API. */
const aheadMs = 60_000;
const side = 720;

export const burstMedia: Row = {
  id: 'burst_media',
  title:
    `${count} posts with one picture to ${accounts} accounts of a simulated Threads, all due at the same ` +
    'second, with a container that is finished at the second read: posts per second from then to the ' +
    'last, and how much later each is published',
  async run(progress) {
    await using network = await startServerProcess('containers-process');
    await using installation = await startInstallation({ FANFARE_THREADS_API_URL: network.url });
    const { api } = installation;
    const accountIds = await importAccounts(installation, 'threads', accounts);
    const photo = await createPhoto(side, side);
    const input = { filename: 'photo.jpg', content_type: 'image/jpeg' };
    const { id: mediaId, upload_url } = await createMedia(api, input);
    await putBytes(upload_url, photo);

    const posts = { count, targets: 1, accountIds, aheadMs, mediaId };
    const own = await publishDuePosts(installation, posts);
    const rate = count / Math.max(...own);
    const [p50, p99] = [median(own), percentile(own, 99)];
    progress(`${rate.toFixed(0)}/s, p50 ${p50.toFixed(2)} s, p99 ${p99.toFixed(2)} s`);
    return {
      id: 'burst_media',
      value: rate,
      unit: '/s',
      baseline: null,
      ratio: null,
      samples: [rate],
      details: { p50_s: p50, p99_s: p99, photo_kb: photo.length / 1_000 },
    };
  },
};

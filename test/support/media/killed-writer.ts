// A process that writes media, and is killed once the object after `received` bytes is stored.
import { openStore } from '../../../activities/media/store/open.ts';
import { writeSegments } from '../../../activities/media/segments.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { claimWriter } from '../../../schema/database/media/segments.ts';

const [databaseUrl, storeUrl, mediaId, bytes, received] = process.argv.slice(2);
const { db } = connectDatabase({ url: databaseUrl!, maxConnections: 2, applicationName: 'test' });
const store = await openStore(storeUrl!);
const writer = { mediaId: mediaId!, writerId: 'killed' };
await claimWriter(db, writer);
await writeSegments(
  {
    db,
    store: {
      ...store,
      async put(key, part) {
        await store.put(key, part);
        if (key.includes(`/${received}-`)) process.kill(process.pid, 'SIGKILL');
      },
    },
  },
  {
    ...writer,
    signal: new AbortController().signal,
    from: 0,
    stream: new Blob([Buffer.alloc(Number(bytes), 1)]).stream(),
    maxBytes: Number(bytes),
  },
);

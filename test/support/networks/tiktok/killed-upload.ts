// The upload of a video to the simulated TikTok, for runs that kill its worker. Only a chunk that TikTok doesn't expect
// makes a worker ask how much has arrived, so a chunk whose answer is lost is sent again.
import { nextStart, toSource } from '../../../../activities/platforms/tiktok/upload.ts';
import type { UploadNetwork } from '../../../chaos/upload/killed-upload.ts';
import { createTikTokServer } from './server.ts';
import { startNetwork, tiktok } from './subject.ts';

export function createTikTokUpload(): UploadNetwork {
  const server = createTikTokServer();
  return {
    name: 'tiktok',
    subject: { ...tiktok, start: (switchboard) => startNetwork(switchboard, server) },
    server,
    setUrl: (url) => void (server.origin = url),
    countChunks: (bytes) => toSource(bytes).total_chunk_count,
    chunkAt: (start) => start / nextStart(0),
    moments: ['begun', 'stored'],
    costly: ['begun', 'stored'],
    countHeld: () => server.publishings.at(-1)!.upload!.held,
    listVideos: () => server.publishings.flatMap(({ media }) => media ?? []),
    countUploads: () => server.publishings.length,
  };
}

// The upload of a video to the simulated YouTube, for runs that kill its worker. Each worker asks how much has arrived.
import { chunkBytes } from '../../../../activities/platforms/youtube/session.ts';
import type { UploadNetwork } from '../../../chaos/upload/killed-upload.ts';
import { createYouTubeServer } from './server.ts';
import { startNetwork, youtube } from './subject.ts';

export function createYouTubeUpload(): UploadNetwork {
  const server = createYouTubeServer();
  server.readsUntilProcessed = 0;
  return {
    name: 'youtube',
    subject: { ...youtube, start: (switchboard) => startNetwork(switchboard, server) },
    server,
    countChunks: (bytes) => Math.ceil(bytes / chunkBytes),
    chunkAt: (start) => Math.floor(start / chunkBytes),
    moments: ['asked', 'begun', 'stored'],
    costly: ['begun'],
    countHeld: () => [...server.uploads.sessions.values()].at(-1)!.held,
    listVideos: () => server.videos.map(({ sha256 }) => sha256),
    countUploads: () => server.uploads.sessions.size,
  };
}

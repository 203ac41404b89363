// The containers of Threads, from their making to a lost answer, at its simulator.
import { hostMedia } from '../../../support/media/hosted-media.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { describeContainers } from '../../../support/networks/meta/container-cases.ts';
import { describeLostAnswers } from '../../../support/networks/meta/lost-answer-cases.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';
import { notFound } from '../../../support/networks/threads/refusals.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

const facts = {
  title: 'Threads',
  start: startThreads,
  hostImage: async () => hostMedia(await createImage()),
  unknownContainer: notFound,
  codes: {
    imageNotFetched: '1/2207052',
    videoNotFetched: 'FAILED_DOWNLOADING_VIDEO',
    failed: 'UNKNOWN',
    limited: '613/4279002',
    denied: '10',
  },
  quota: 250,
  use: ({ server }: Network, posts: number) => void (server.quota.posts = posts),
  // Threads names no next page, so an empty one is the last.
  listCalls: 4,
  readCall: (id: string) => `GET /v1.0/${id}`,
  publishCall: 'POST /v1.0/me/threads_publish',
  postPath: '/post/',
};

describeContainers(facts);
describeLostAnswers(facts);

// The containers of Instagram, from their making to a lost answer, at its simulator.
import { hostJpeg, startInstagram } from '../../../support/networks/instagram/connected.ts';
import { containerGone } from '../../../support/networks/instagram/refusals.ts';
import { describeContainers } from '../../../support/networks/meta/container-cases.ts';
import { describeLostAnswers } from '../../../support/networks/meta/lost-answer-cases.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

const facts = {
  title: 'Instagram',
  start: startInstagram,
  hostImage: () => hostJpeg(),
  unknownContainer: containerGone,
  codes: {
    imageNotFetched: '9004/2207052',
    videoNotFetched: '2207077',
    failed: '2207076',
    limited: '80002',
    denied: '4/2207051',
  },
  quota: 50,
  use: ({ server }: Network, posts: number) => void (server.quota.used = posts),
  listCalls: 3,
  readCall: (id: string) => `GET /graph.instagram.com/v25.0/${id}`,
  publishCall: 'POST /graph.instagram.com/v25.0/17841405793187218/media_publish',
  postPath: '/p/',
};

describeContainers(facts);
describeLostAnswers(facts);

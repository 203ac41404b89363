// Accounts at the simulated Facebook, Instagram and Threads. Each account has its own simulator, so a test can count the
// effects of an account's calls, and hold any of the calls. One address for each network leads to all of its accounts.
import type { NetworkServer, PublicPost } from '../contract/subject.ts';
import { FacebookServer } from '../facebook/server.ts';
import { startNetwork as startFacebook } from '../facebook/subject.ts';
import { createSwitchboard } from '../faults.ts';
import { InstagramServer } from '../instagram/server.ts';
import { startNetwork as startInstagram } from '../instagram/subject.ts';
import { ThreadsServer } from '../threads/server.ts';
import { startNetwork as startThreads } from '../threads/subject.ts';
import { form, json, multipart, readGiven } from './requests.ts';

export type MetaName = 'facebook' | 'instagram' | 'threads';

/**
 * `before`: the network has not acted on the call. `after`: it has acted on the call, but has not answered.
 */
export type Moment = 'before' | 'after';

export interface Hold {
  /** The call has arrived and waits. */
  readonly isReached: boolean;
  /** The call continues. */
  resume(): void;
  /** The call is never answered. At the moment `before`, the network never acts on it. */
  drop(): void;
}

export interface SimulatedAccount {
  readonly token: string;
  /** Names of the account's calls, in the order of their arrival. */
  readonly calls: readonly string[];
  /** Names of the calls that the network acted on. */
  readonly taken: readonly string[];
  forgetCalls(): void;
  /** `index`: position of the call, in the order of arrival. */
  hold(index: number, moment: Moment): Hold;
  listPosts(): PublicPost[];
  /** Counts containers, photos and videos, whether used or not. */
  countContainers(): number;
}

export interface MetaNetworks extends AsyncDisposable {
  /** Settings of the installation. */
  readonly env: Record<string, string>;
  createAccount(platform: MetaName): SimulatedAccount;
}

export async function startMetaNetworks(): Promise<MetaNetworks> {
  const accounts = new Map<string, AnsweringAccount>();
  const fronts = {
    facebook: new FacebookServer(),
    instagram: new InstagramServer(),
    threads: new ThreadsServer(),
  };
  for (const front of Object.values<NetworkServer>(fronts)) {
    front.answer = (request) => {
      const account = accounts.get(readToken(request));
      return account ? account.answer(request) : front.refuse('unavailable', request);
    };
  }
  const [facebook, instagram, threads] = await Promise.all([
    startFacebook(createSwitchboard(), fronts.facebook),
    startInstagram(createSwitchboard(), fronts.instagram),
    startThreads(createSwitchboard(), fronts.threads),
  ]);
  return {
    env: { ...facebook.env, ...instagram.env, ...threads.env },
    createAccount(platform) {
      const id = `1784140000000${String(accounts.size).padStart(4, '0')}`;
      const account = createAccount(simulators[platform](id));
      accounts.set(account.token, account);
      return account;
    },
    async [Symbol.asyncDispose]() {
      const running = [facebook, instagram, threads];
      await Promise.all(running.map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

interface Simulator extends Pick<SimulatedAccount, 'token' | 'countContainers'> {
  server: NetworkServer & Pick<FacebookServer, 'listPosts'>;
}

/** A short video has two ranges. */
const chunkBytes = 12_288;

const simulators: Record<MetaName, (id: string) => Simulator> = {
  facebook(id) {
    const server = new FacebookServer([{ id, name: 'Bakery', tasks: ['CREATE_CONTENT'] }]);
    const { logins, photos, videos } = server;
    videos.switches.chunkBytes = chunkBytes;
    const countContainers = () => photos.length + videos.all.length;
    return { server, token: logins.createToken(id), countContainers };
  },
  instagram(id) {
    const server = new InstagramServer();
    server.user.id = id;
    // The first read finds the container in progress.
    server.readsUntilFinished.REELS = 1;
    const { logins, containers } = server;
    return { server, token: logins.createToken(), countContainers: () => containers.length };
  },
  threads(id) {
    const server = new ThreadsServer();
    server.user.id = id;
    server.readsUntilFinished.VIDEO = 1;
    const { logins, containers } = server;
    return { server, token: logins.createToken(), countContainers: () => containers.length };
  },
};

interface AnsweringAccount extends SimulatedAccount {
  answer(request: Request): Promise<Response>;
}

function createAccount({ server, ...simulator }: Simulator): AnsweringAccount {
  const calls: string[] = [];
  const taken: string[] = [];
  const holds = new Map<string, ReturnType<typeof createHold>>();
  const keyOf = (index: number, moment: Moment) => `${index} ${moment}`;
  return {
    ...simulator,
    calls,
    taken,
    listPosts: () => server.listPosts(),
    forgetCalls() {
      calls.length = 0;
      taken.length = 0;
    },
    hold(index, moment) {
      const hold = createHold();
      holds.set(keyOf(index, moment), hold);
      return hold;
    },
    async answer(request) {
      const name = await nameOf(request);
      const index = calls.push(name) - 1;
      await holds.get(keyOf(index, 'before'))?.wait();
      const response = await server.answer(request);
      taken.push(name);
      await holds.get(keyOf(index, 'after'))?.wait();
      return response;
    },
  };
}

function createHold() {
  const { promise, resolve } = Promise.withResolvers<'resumed' | 'dropped'>();
  let isReached = false;
  return {
    get isReached() {
      return isReached;
    },
    resume: () => resolve('resumed'),
    drop: () => resolve('dropped'),
    async wait(): Promise<void> {
      isReached = true;
      if ((await promise) === 'dropped') throw new Error('The caller is dead.');
    },
  };
}

/** The upload of a video's bytes has another scheme in its `authorization` header. */
const readToken = ({ headers }: Request) =>
  /^(?:Bearer|OAuth) (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';

/**
 * Names a call, such as `POST media`, `POST videos transfer`, or `GET permalink` for a read of this field of
 * an object.
 */
async function nameOf(request: Request): Promise<string> {
  const { method, url } = request;
  const path = new URL(url).pathname.split('/');
  if (path[1] === 'video-upload') return `${method} video-upload`;
  const { parameters } = await readGiven(request.clone(), [form, json, multipart]);
  const edge = path.at(-1)!;
  const what = /^\d+(?:_\d+)?$/.test(edge) ? parameters['fields'] : edge;
  const parts = [method, what, parameters['upload_phase']];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

/** Makes each name unique, such as `GET status` and `GET status 2`. */
export function numberNames(names: readonly string[]): string[] {
  return names.map((name, i) => {
    const earlier = names.slice(0, i).filter((each) => each === name).length;
    return earlier === 0 ? name : `${name} ${earlier + 1}`;
  });
}

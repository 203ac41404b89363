// The client: its options, and one member for each resource of the REST API.
import { createCalls } from './calls.ts';
import { toMs, type Duration } from './durations.ts';
import { configurationError } from './errors.ts';
import { createLive } from './live.ts';
import { createAccounts, createConnect, createUsers } from './resources/accounts.ts';
import { createMedia } from './resources/media.ts';
import { createPlatformCredentials, createPlatforms } from './resources/networks.ts';
import { createLabels, createPosts } from './resources/posts.ts';
import { createApiKeys, createLimits, createProject } from './resources/project.ts';
import { createQueues } from './resources/queues.ts';
import {
  createDeliveries,
  createEvents,
  createEventTypes,
  createWebhooks,
} from './resources/webhooks.ts';
import { createSender, type Connection } from './send.ts';
import { isWithUser } from './with-user.ts';

export interface FanfareOptions {
  /** Default: the environment variable FANFARE_URL. */
  url?: string;
  /** Default: the environment variable FANFARE_API_KEY. */
  apiKey?: string;
  /** Longest time of one try of a call. Default: 30 s. */
  timeout?: Duration;
  /** How often a failed call is tried again. Default: 5. */
  maxRetries?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export class Fanfare {
  readonly posts;
  readonly labels;
  readonly queues;
  readonly media;
  readonly accounts;
  readonly users;
  readonly connect;
  readonly platforms;
  readonly platformCredentials;
  readonly webhooks;
  readonly deliveries;
  readonly events;
  readonly eventTypes;
  readonly apiKeys;
  readonly project;
  readonly limits;
  readonly live;

  constructor(options: FanfareOptions = {}) {
    const sender = createSender(readOptions(options));
    const calls = createCalls(sender);
    this.posts = createPosts(calls, sender);
    this.labels = createLabels(calls);
    this.queues = createQueues(calls);
    this.media = createMedia(calls, sender);
    this.accounts = createAccounts(calls);
    this.users = createUsers(calls);
    this.connect = createConnect(calls);
    this.platforms = createPlatforms(calls);
    this.platformCredentials = createPlatformCredentials(calls);
    this.webhooks = createWebhooks(calls);
    this.deliveries = createDeliveries(calls);
    this.events = createEvents(calls);
    this.eventTypes = createEventTypes(calls);
    this.apiKeys = createApiKeys(calls);
    this.project = createProject(calls);
    this.limits = createLimits(calls);
    this.live = createLive(sender);
  }
}

function readOptions(options: FanfareOptions): Connection {
  const { timeout = 30_000, maxRetries = 5 } = options;
  // Fanfare has no API keys that are bound to one user and expire soon.
  if (isWithUser()) {
    throw configurationError(
      'An API key must not be in a browser or an app, where its user could read it. Call Fanfare from your server. To upload from a browser, pass it an `upload_url`, and call `uploadFile`.',
    );
  }
  const url = options.url ?? readVariable('FANFARE_URL');
  const apiKey = options.apiKey ?? readVariable('FANFARE_API_KEY');
  if (!url) throw configurationError('Set `url`, or the environment variable FANFARE_URL.');
  if (!apiKey)
    throw configurationError('Set `apiKey`, or the environment variable FANFARE_API_KEY.');
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw configurationError('`maxRetries` must be a whole number.');
  }
  return {
    url: readUrl(url),
    apiKey: apiKey.trim(),
    timeoutMs: toMs('timeout', timeout),
    maxRetries,
    fetch: options.fetch ?? ((...parameters) => fetch(...parameters)),
  };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw configurationError('`url` must be an http or https URL without a password.');
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Node, Deno and Bun have `process`; others have no environment. */
function readVariable(name: string): string | undefined {
  const { process } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
  };
  return process?.env?.[name];
}

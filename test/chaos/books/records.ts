// The records that the books compare: what a run accepted, stored, published and received.
import type { Verdict } from './verdicts.ts';

export interface Window {
  from: Date;
  to: Date;
}

/** During a loss, the outcomes of deliveries in flight may get lost, or be recorded late. */
export interface Loss extends Window {
  /** Name of the fault. */
  name: string;
}

/** An attempt that is stored in Postgres. */
export interface StoredAttempt {
  deliveryId: string;
  /** The header `webhook-timestamp` of its request. */
  timestamp: string;
  /** Null: the attempt got no answer. */
  statusCode: number | null;
  /** Start of the attempt, by the clock of its worker. */
  startedAt: Date;
  recordedAt: Date;
}

export interface DeliveryFacts {
  receipts: readonly Pick<Receipt, 'deliveryId' | 'timestamp' | 'statusCode' | 'at'>[];
  attempts: readonly StoredAttempt[];
  losses: readonly Loss[];
  /** Longest time from a request to its recorded outcome, by the pace at the start of the run. */
  flightMs: number;
}

export interface Facts extends DeliveryFacts {
  accepted: AcceptedPost[];
  stored: StoredPost[];
  /** The posts at the network. */
  published: PublishedPost[];
  events: StoredEvent[];
  /** The webhooks, each subscribed to every event of its project. */
  webhooks: Webhook[];
  deliveries: StoredDelivery[];
  receipts: Receipt[];
  /** Verdicts on the posts and deliveries that have not ended, by ID. */
  open: ReadonlyMap<string, Verdict>;
  streams: Stream[];
  /** The times between a copy of the database and its restore. */
  lostWindows: readonly Window[];
}

/** How a target may end. `uncertain`: `outcome_unknown` is honest, since the network can't be asked. */
export type TargetEnd = 'published' | 'failed' | 'uncertain' | 'published or failed';

export interface AcceptedPost {
  name: string;
  id: string;
  /** The restored copy may lack the post. */
  isExcused: boolean;
  /** A restored copy had the post, so a target that its network lacks may have been removed since. */
  wasRestored: boolean;
  ends: TargetEnd[];
  wasCanceled: boolean;
  retries: number;
  /** The client still follows the post, and may retry targets. */
  hasClient: boolean;
  /** The post must not be public earlier. */
  notBefore: Date | undefined;
  /** For each target: whether its network accepts the first call. */
  isPrompt: boolean[];
}

export interface StoredPost {
  id: string;
  status: string;
  results: StoredResult[];
}

export interface StoredResult {
  id: string;
  status: string;
  errorCode: string | null;
  externalId: string | null;
}

export interface PublishedPost {
  id: string;
  /** The result that it was published for. */
  reference: string;
  createdAt: Date;
}

export interface Webhook {
  id: string;
  projectId: string;
}

export interface StoredEvent {
  id: string;
  projectId: string;
  kind: string;
  postId: string | null;
  body: string;
}

export interface StoredDelivery {
  id: string;
  eventId: string;
  webhookId: string;
  status: string;
}

/** One request at a receiver. */
export interface Receipt {
  deliveryId: string;
  body: string;
  isSigned: boolean;
  /** The header `webhook-timestamp`. */
  timestamp: string;
  /** The receiver's answer. Null: the receiver gave none. */
  statusCode: number | null;
  /** When the run had read the request. */
  at: Date;
}

/** Changes as `<kind> <subject id>`. */
export interface Stream {
  name: string;
  received: string[];
  recorded: string[];
  /** The stream received changes while the run watched open work. */
  isMoving: boolean;
}

export interface Book {
  name: string;
  entries: number;
  differences: string[];
  /** Work that had not ended when the time was up, but that will end. */
  late?: string[];
}

export interface Watched {
  /** Verdicts on the posts and deliveries that have not ended, by ID. */
  open: ReadonlyMap<string, Verdict>;
  /** Streams that received changes during the watch. */
  moving: ReadonlySet<string>;
}

export const isTaken = ({ statusCode }: Pick<Receipt, 'statusCode'>) =>
  statusCode !== null && statusCode < 300;

// What the books are balanced from: what a run was promised, and what it then stored, published and received.
import type { Verdict } from './verdicts.ts';

export interface Window {
  from: Date;
  to: Date;
}

/** While it lasts, the outcomes of deliveries in flight may get lost, or be recorded late. */
export interface Loss extends Window {
  /** Of the fault. */
  name: string;
}

/** An attempt of which Postgres knows. */
export interface StoredAttempt {
  deliveryId: string;
  /** The header `webhook-timestamp` of its request. */
  timestamp: string;
  /** Null: it got no answer. */
  statusCode: number | null;
  /** By the clock of its worker. */
  startedAt: Date;
  recordedAt: Date;
}

export interface DeliveryFacts {
  receipts: readonly Pick<Receipt, 'deliveryId' | 'timestamp' | 'statusCode' | 'at'>[];
  attempts: readonly StoredAttempt[];
  losses: readonly Loss[];
  /** How long after a request its outcome is recorded at the latest, by the pace at the start of the run. */
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
  /** Of each post and delivery that has not ended. */
  open: ReadonlyMap<string, Verdict>;
  streams: Stream[];
  /** Between a copy that was restored and the restore. */
  lostWindows: readonly Window[];
}

/** How a target may end. `uncertain`: `outcome_unknown` is honest, since the network can't be asked. */
export type TargetEnd = 'published' | 'failed' | 'uncertain' | 'published or failed';

export interface AcceptedPost {
  name: string;
  id: string;
  /** The restored copy may not know it. */
  isExcused: boolean;
  ends: TargetEnd[];
  wasCanceled: boolean;
  retries: number;
  /** Its client still follows it, and may have yet to retry targets. */
  hasClient: boolean;
  /** It must not be public earlier. */
  notBefore: Date | undefined;
  /** Of each target: its network takes it at the first call. */
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
  /** The receiver's answer; null: it gave none. */
  statusCode: number | null;
  /** When the run had read it. */
  at: Date;
}

/** Changes as `<kind> <subject id>`. */
export interface Stream {
  name: string;
  received: string[];
  recorded: string[];
  /** It received changes while the run watched what had not ended. */
  isMoving: boolean;
}

export interface Book {
  name: string;
  entries: number;
  differences: string[];
  /** What had not ended when the time was up, while something says that it will. */
  late?: string[];
}

export interface Watched {
  /** Of each post and delivery that has not ended. */
  open: ReadonlyMap<string, Verdict>;
  /** Streams that received changes meanwhile. */
  moving: ReadonlySet<string>;
}

export const isTaken = ({ statusCode }: Pick<Receipt, 'statusCode'>) =>
  statusCode !== null && statusCode < 300;

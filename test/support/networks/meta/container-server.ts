// A simulated network of Meta that publishes containers. A container is made, is finished some reads later,
// and is published once.
import { randomInt } from 'node:crypto';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { dayMs, type LongLivedLogins } from './logins.ts';
import { GraphRefusal, refusalOf, tokenRefusalOf } from './refusals.ts';

/** `Given`: the parameters that the container was made with. */
export interface Container<Kind extends string, Given> {
  id: string;
  kind: Kind;
  given: Given;
  children: Container<Kind, Given>[];
  /** SHA-256 of the container's file. */
  sha256: string | undefined;
  madeAt: number;
  /** Number of reads until the container is finished. */
  readsLeft: number;
  /** Number of reads until the network knows the container. */
  hiddenReads: number;
  /** The failure that the status shows. */
  failure: string | undefined;
  postId: string | undefined;
}

export interface StoredPost<Kind extends string, Given> {
  id: string;
  container: Container<Kind, Given>;
  createdAt: number;
  /** Number of reads of the post, and of the lists, until they show the post. */
  hiddenReads: number;
  hiddenLists: number;
}

type Status = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

export abstract class ContainerServer<
  Kind extends string,
  Given extends object,
  PublishFault extends string,
> implements NetworkServer {
  readonly user = { id: '17841405793187218', username: 'ada', name: 'Ada Lovelace' };
  abstract readonly logins: LongLivedLogins;
  readonly containers: Container<Kind, Given>[] = [];
  readonly posts: StoredPost<Kind, Given>[] = [];
  /** Method and path of each call, in their order. */
  readonly calls: string[] = [];
  /** Answers to the next calls, instead of the network's own. */
  readonly answers: Response[] = [];
  readonly publishFaults: PublishFault[] = [];
  /**
   * Failures that the status of the next containers with a file shows. An empty failure: the container
   * doesn't fail.
   */
  readonly failures: string[] = [];
  readonly readsUntilFinished: Partial<Record<Kind, number>>;
  /**
   * Number of reads that don't find a new container, or a new post, yet; and number of lists that lack a new
   * post.
   */
  lag = { container: 0, post: 0, list: 0 };
  private nextId = 17_900_000_000_000_000n + BigInt(randomInt(1_000_000_000));

  constructor(readsUntilFinished: Partial<Record<Kind, number>> = {}) {
    this.readsUntilFinished = readsUntilFinished;
  }

  protected abstract take(request: Request, path: string): Promise<Response> | Response;
  protected abstract limited(): GraphRefusal;
  /** Whether this path takes codes. */
  protected abstract takesCodes(path: string): boolean;
  /** Counts a post toward the quota. */
  protected abstract countPost(given: Given): void;
  abstract listPosts(): PublicPost[];

  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.calls.push(`${request.method} ${pathname}`);
    const scripted = this.answers.shift();
    if (scripted) return scripted;
    try {
      return await this.take(request, pathname.replace(/\/$/, ''));
    } catch (error) {
      if (error instanceof GraphRefusal) return this.toResponse(error, pathname);
      throw error;
    }
  }

  protected toResponse(refusal: GraphRefusal, _path: string): Response {
    return refusal.toResponse();
  }

  refuse(kind: RefusalKind, request?: Request): Response {
    const isOfCodes = request !== undefined && this.takesCodes(new URL(request.url).pathname);
    const limited = this.limited();
    const refusal = isOfCodes ? tokenRefusalOf(kind, limited) : refusalOf(kind, limited);
    return refusal.toResponse();
  }

  revokeToken(): void {
    this.logins.revokeAll();
  }

  expireToken(): void {
    this.logins.expireAll();
  }

  protected hashesOf({ sha256, children }: Container<Kind, Given>): string[] {
    return [sha256, ...children.map((child) => child.sha256)].filter((hash) => hash !== undefined);
  }

  protected newId = () => String(this.nextId++);

  protected createContainer(
    kind: Kind,
    given: Given,
    children: Container<Kind, Given>[] = [],
  ): Container<Kind, Given> {
    return {
      id: this.newId(),
      kind,
      given,
      children,
      sha256: undefined,
      madeAt: this.logins.now(),
      readsLeft: this.readsUntilFinished[kind] ?? 0,
      hiddenReads: this.lag.container,
      failure: undefined,
      postId: undefined,
    };
  }

  /** Undefined: the network doesn't know the container at all, or doesn't know it yet. */
  protected readContainer(id: string): Container<Kind, Given> | undefined {
    const found = this.containers.find((each) => each.id === id);
    return found && found.hiddenReads-- > 0 ? undefined : found;
  }

  /** Returns the status, and counts the read. */
  protected readStatus(container: Container<Kind, Given>): Status {
    const status = this.statusOf(container);
    if (container.readsLeft > 0) container.readsLeft--;
    return status;
  }

  protected statusOf({ postId, madeAt, readsLeft, failure }: Container<Kind, Given>): Status {
    if (postId !== undefined) return 'PUBLISHED';
    if (this.logins.now() - madeAt >= dayMs) return 'EXPIRED';
    if (readsLeft > 0) return 'IN_PROGRESS';
    return failure === undefined ? 'FINISHED' : 'ERROR';
  }

  /** Publishes the container. Returns the ID of the post. */
  protected makePublic(container: Container<Kind, Given>, createdAt = this.logins.now()): string {
    const id = this.newId();
    container.postId = id;
    this.countPost(container.given);
    const hidden = { hiddenReads: this.lag.post, hiddenLists: this.lag.list };
    this.posts.push({ id, container, createdAt, ...hidden });
    return id;
  }

  /** Undefined: the network doesn't know the post at all, or doesn't know it yet. */
  protected readPost(id: string): StoredPost<Kind, Given> | undefined {
    const found = this.posts.find((each) => each.id === id);
    return found && found.hiddenReads-- > 0 ? undefined : found;
  }

  /** The posts of a list that it already shows, newest first. `since`: in seconds. */
  protected listSince(
    since: number,
    isListed: (post: StoredPost<Kind, Given>) => boolean,
  ): StoredPost<Kind, Given>[] {
    return this.posts
      .filter(isListed)
      .filter(({ createdAt }) => createdAt >= since * 1_000)
      .filter((post) => post.hiddenLists-- <= 0)
      .toReversed();
  }
}

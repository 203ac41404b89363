// The open streams of this process, found by what they watch. A project may have only so many.
import type { ChangeFilter } from '../../schema/database/live/changes.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { PlacedChange, PlacedItem } from './recent.ts';
import type { Refusal, Subscriber } from './subscriber.ts';

const retryAfterS = 5;

export class Subscribers {
  readonly #maxPerProject: number;
  readonly #byKey = new Map<string, Set<Subscriber>>();
  readonly #counts = new Map<string, number>();

  constructor(maxPerProject: number) {
    this.#maxPerProject = maxPerProject;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(subscriber: Subscriber): void {
    const { projectId } = subscriber.filter;
    const count = this.#counts.get(projectId) ?? 0;
    if (count >= this.#maxPerProject) throw tooMany(this.#maxPerProject);
    this.#counts.set(projectId, count + 1);
    const key = keyOf(subscriber.filter);
    this.#byKey.set(key, (this.#byKey.get(key) ?? new Set<Subscriber>()).add(subscriber));
  }

  delete(subscriber: Subscriber): void {
    const { projectId } = subscriber.filter;
    const key = keyOf(subscriber.filter);
    const set = this.#byKey.get(key);
    if (!set?.delete(subscriber)) return;
    if (set.size === 0) this.#byKey.delete(key);
    const count = this.#counts.get(projectId)! - 1;
    if (count === 0) this.#counts.delete(projectId);
    else this.#counts.set(projectId, count);
  }

  push(item: PlacedChange): void {
    const { project_id: projectId, subject, subject_id: subjectId } = item.change;
    for (const key of [keyOf({ projectId, subject }), keyOf({ projectId, subject, subjectId })]) {
      this.#byKey.get(key)?.forEach((subscriber) => subscriber.push(item));
    }
  }

  mark(bookmark: PlacedItem): void {
    this.#forEach((subscriber) => subscriber.mark(bookmark));
  }

  rewind(): void {
    this.#forEach((subscriber) => subscriber.rewind());
  }

  failAll(refusal: Refusal): void {
    this.#forEach((subscriber) => subscriber.fail(refusal));
  }

  #forEach(tell: (subscriber: Subscriber) => void): void {
    for (const set of this.#byKey.values()) set.forEach(tell);
  }
}

function keyOf({ projectId, subject, subjectId }: ChangeFilter): string {
  const project = `${projectId}/${subject}`;
  return subjectId === undefined ? project : `${project}/${subjectId}`;
}

function tooMany(limit: number): AppError {
  return new AppError('rate_limited', `The project has ${limit} streams open on this server.`, {
    hint: 'Close one first, or watch more with one: most need no id.',
    details: { limit },
    retryAfterS,
  });
}

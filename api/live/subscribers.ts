// The open streams of this process, by what they watch, with a limit for each project.
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import { openStreams } from '../../activities/metrics.ts';
import type { ChangeFilter } from '../../schema/database/live/changes.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { PlacedChange } from './recent.ts';
import type { Subscriber } from './subscriber.ts';

const retryAfterS = 5;

export type Subscribers = ReturnType<typeof createSubscribers>;

export function createSubscribers(maxPerProject: number) {
  const byKey = new Map<string, Set<Subscriber>>();
  const counts = createKeyedCounter();

  return {
    isEmpty: () => byKey.size === 0,

    /** Throws if the project has too many streams. */
    add(subscriber: Subscriber): void {
      const { projectId } = subscriber.filter;
      if (counts.get(projectId) >= maxPerProject) throw tooMany(maxPerProject);
      counts.add(projectId);
      openStreams.inc();
      const key = keyOf(subscriber.filter);
      byKey.set(key, (byKey.get(key) ?? new Set<Subscriber>()).add(subscriber));
    },

    delete(subscriber: Subscriber): void {
      const key = keyOf(subscriber.filter);
      const set = byKey.get(key);
      if (!set?.delete(subscriber)) return;
      if (set.size === 0) byKey.delete(key);
      counts.remove(subscriber.filter.projectId);
      openStreams.dec();
    },

    push(item: PlacedChange): void {
      const { project_id: projectId, subject, subject_id: subjectId } = item.change;
      for (const key of [keyOf({ projectId, subject }), keyOf({ projectId, subject, subjectId })]) {
        byKey.get(key)?.forEach((subscriber) => subscriber.push(item));
      }
    },

    forEach(act: (subscriber: Subscriber) => void): void {
      for (const set of byKey.values()) set.forEach(act);
    },
  };
}

function keyOf({ projectId, subject, subjectId }: ChangeFilter): string {
  const project = `${projectId}/${subject}`;
  return subjectId === undefined ? project : `${project}/${subjectId}`;
}

function tooMany(limit: number): AppError {
  return new AppError('rate_limited', `The project has ${limit} streams open on this server.`, {
    hint: 'Close a stream first. Most subscriptions need no id, so one stream can watch everything.',
    details: { limit },
    retryAfterS,
  });
}

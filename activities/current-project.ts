// The project that this process works for now. The work counts for the project's share of connections to
// networks and to the database.
import { AsyncLocalStorage } from 'node:async_hooks';

const projects = new AsyncLocalStorage<string | undefined>();

export function asProject<T>(projectId: string, work: () => T): T {
  return projects.run(projectId, work);
}

/** Runs work that must not wait for other work of the project, such as the record of an answered call. */
export function withoutProject<T>(work: () => T): T {
  return projects.run(undefined, work);
}

export function currentProject(): string | undefined {
  return projects.getStore();
}

// Objects that a test file creates once, or again for each test. Hooks create them, and tests use them like
// constants.
import { afterAll, beforeAll, beforeEach } from 'vitest';

type Create<T> = () => T | Promise<T>;

/**
 * Created before the file's tests and disposed of after them. Only tests and hooks may use the members of the
 * object.
 */
export function forFile<T extends AsyncDisposable>(create: Create<T>): T;
export function forFile<T extends object>(create: Create<T>, dispose: (made: T) => unknown): T;
export function forFile<T extends object>(
  create: Create<T>,
  dispose = (made: T): unknown => (made as AsyncDisposable)[Symbol.asyncDispose](),
): T {
  let current: T | undefined;
  beforeAll(async () => void (current = await create()));
  afterAll(async () => {
    if (current) await dispose(current);
  });
  return standIn(() => current);
}

/** Created before each test. Concurrent tests can't use it. */
export function forEachTest<T extends object>(create: Create<T>): T {
  let current: T | undefined;
  beforeEach(async () => void (current = await create()));
  return standIn(() => current);
}

/** Passes every use on to the current object. */
function standIn<T extends object>(find: () => T | undefined): T {
  const current = (): T => {
    const found = find();
    if (found === undefined)
      throw new Error('Only tests and hooks may use this: it is not created yet.');
    return found;
  };
  return new Proxy({} as T, {
    get(_, key) {
      const object = current();
      const value: unknown = Reflect.get(object, key);
      return typeof value === 'function' ? (value.bind(object) as unknown) : value;
    },
    set: (_, key, value) => Reflect.set(current(), key, value),
    has: (_, key) => Reflect.has(current(), key),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(current(), key),
  });
}

// A list that is read page by page: its first page, all pages, or all entries.

export interface Page<T, Meta> {
  data: T[];
  meta: Meta;
}

/**
 * `await` reads the first page, `for await` each entry of all pages, and `pages()` each page. Nothing is requested
 * before.
 */
export class List<T, Meta> implements PromiseLike<Page<T, Meta>>, AsyncIterable<T> {
  readonly #read: (cursor: string | undefined) => Promise<Page<T, Meta>>;

  constructor(read: (cursor: string | undefined) => Promise<Page<T, Meta>>) {
    this.#read = read;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a list can be awaited, as its documentation says
  then<Done = Page<T, Meta>, Failed = never>(
    onDone?: ((page: Page<T, Meta>) => Done | PromiseLike<Done>) | null,
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#read(undefined).then(onDone, onFailed);
  }

  async *pages(): AsyncGenerator<Page<T, Meta>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = (page.meta as { next_cursor?: string | null }).next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }
}

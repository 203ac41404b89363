// The shapes that calls have in common: one object, a written object, a list, a removal.
import { invalidAnswer } from './errors.ts';
import { List, type Page } from './list.ts';
import type { Answer, Data, Item, Meta, Operation, Query } from './operations.ts';
import type { CallOptions, Method, Request, Sender } from './send.ts';

/** Calls whose types follow from the name of their operation in the OpenAPI document. */
export interface Calls {
  /** Returns the `data` of the answer. */
  one<Op extends Operation>(...call: CallParameters): Promise<Data<Op>>;
  /** Returns the `data` of the answer, with the `warnings` beside them as a member. */
  warned<Op extends Operation>(...call: CallParameters): Promise<Warned<Op>>;
  list<Op extends Operation>(
    path: string,
    query: Query<Op> | undefined,
    options: CallOptions | undefined,
  ): List<Item<Op>, Meta<Op>>;
  removal(...call: CallParameters): Promise<void>;
}

type CallParameters = [method: Method, path: string, request?: Request, options?: CallOptions];

type Warned<Op extends Operation> =
  Answer<Op> extends { data: infer Value; warnings: infer Warnings }
    ? Value & { warnings: Warnings }
    : never;

export function createCalls(sender: Sender): Calls {
  return {
    async one<Op extends Operation>(...call: CallParameters) {
      const { data } = await sender.json<{ data: Data<Op> }>(...call);
      return data;
    },
    async warned<Op extends Operation>(...call: CallParameters) {
      const { data, warnings } = await sender.json<{ data: object; warnings: unknown }>(...call);
      return { ...data, warnings } as Warned<Op>;
    },
    list<Op extends Operation>(
      path: string,
      query: Query<Op> | undefined,
      options: CallOptions | undefined,
    ) {
      return new List<Item<Op>, Meta<Op>>(async (given) => {
        const asked: { cursor?: string } = {
          ...query,
          ...(given !== undefined && { cursor: given }),
        };
        const page = await sender.json<Page<Item<Op>, Meta<Op>>>(
          'GET',
          path,
          { query: asked },
          options,
        );
        checkPage(page, asked.cursor);
        return page;
      });
    },
    async removal(...call) {
      await sender.send(...call);
    },
  };
}

function checkPage({ data, meta }: Page<unknown, unknown>, cursor: string | undefined): void {
  if (!Array.isArray(data) || typeof meta !== 'object' || meta === null) {
    throw invalidAnswer('The answer is no page of a list.');
  }
  const next = (meta as { next_cursor?: unknown }).next_cursor ?? undefined;
  if (next !== undefined && (typeof next !== 'string' || next === cursor)) {
    throw invalidAnswer('The page leads to no other page.');
  }
}

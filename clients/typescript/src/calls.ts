// The shapes that calls have in common: one object, a written object, a list, a removal.
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
      return new List<Item<Op>, Meta<Op>>((cursor) => {
        const asked = { query: { ...query, ...(cursor !== undefined && { cursor }) } };
        return sender.json<Page<Item<Op>, Meta<Op>>>('GET', path, asked, options);
      });
    },
    async removal(...call) {
      await sender.send(...call);
    },
  };
}

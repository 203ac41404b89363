// What every subscription shares in GraphQL: the shape of its messages, and the argument to resume.
import { bookmark, changeKinds, presentState } from '../../schema/change-kinds.ts';
import type { ChangeSubject } from '../../schema/database/tables.ts';
import { builder } from '../graphql/builder.ts';
import type { Ref } from '../graphql/connections.ts';
import type { ShownUpdate } from './updates.ts';

interface MessageOptions<T> {
  /** The subject, and the field that shows it. */
  field: ChangeSubject;
  type: Ref<T>;
  /** When there is no subject to show. */
  gone: string;
}

/** `{cursor, change, id, …subject}` */
export function messageOf<T>(
  name: `${string}Update`,
  { field, type, gone }: MessageOptions<T>,
): Ref<ShownUpdate<T>> {
  const kinds = changeKinds[field].map((kind) => `\`${kind}\``).join(', ');
  return builder.objectRef<ShownUpdate<T>>(name).implement({
    description: 'A message of a live stream.',
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'Where to go on: give it as `after`.' }),
      change: t.exposeString('change', {
        description: `What happened: ${kinds}. \`${presentState}\`: nothing, this is how it stands.
\`${bookmark}\`: nothing either, but the cursor is newer.`,
      }),
      id: t.exposeID('id', {
        nullable: true,
        description: `Of the ${field}, also when it is gone. Null in a bookmark.`,
      }),
      [field]: t.field({
        type,
        nullable: true,
        description: `The ${field} when this was sent. Null: ${gone}.`,
        resolve: ({ subject }): never => subject as never,
      }),
    }),
  });
}

/** The argument of every subscription. */
export const resumeArguments = builder.args((t) => ({
  after: t.string({
    description: 'A `cursor` of an earlier message: every change since comes first.',
  }),
}));

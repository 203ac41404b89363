// What each network takes, in GraphQL.
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import { textUnits } from '../../schema/platforms/definition.ts';
import { platformDefinitions, platformNames } from '../../schema/platforms/index.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { read } from '../graphql/operation.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { listCapabilities } from './operations.ts';

export const PlatformRef = wordEnum('Platform', platformNames, {
  enum: 'A network.',
  ...Object.fromEntries(platformDefinitions.map(({ name, title }) => [name, `${title}.`])),
});

const TextUnitRef = wordEnum('TextUnit', textUnits, {
  graphemes: 'What a reader takes for one character.',
  characters: 'Unicode code points.',
  utf16: 'UTF-16 code units: most emoji count as two.',
});

const TextRulesRef = builder.objectRef<Capabilities['text']>('TextRules').implement({
  fields: (t) => ({
    max: t.exposeInt('max'),
    maxBytes: t.exposeInt('max_bytes', { nullable: true }),
    unit: t.expose('unit', { type: TextUnitRef }),
    isRequired: t.exposeBoolean('is_required'),
  }),
});

const MediaRulesRef = builder
  .objectRef<NonNullable<Capabilities['media']>>('MediaRules')
  .implement({ fields: (t) => ({ max: t.exposeInt('max') }) });

const ConnectRulesRef = builder.objectRef<Capabilities['connect']>('ConnectRules').implement({
  fields: (t) => ({
    credentials: t.expose('credentials', {
      type: 'JSON',
      nullable: true,
      description: 'The JSON Schema of the plain credentials; null: it takes none.',
    }),
    consent: t.exposeBoolean('consent'),
  }),
});

const CapabilitiesRef = builder.objectRef<Capabilities>('Capabilities').implement({
  description:
    'What a network takes. Accounts may differ, such as those of a Mastodon server with a limit of its own: `validatePost` checks a post by the rules of its accounts.',
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    text: t.field({ type: TextRulesRef, resolve: (capabilities) => capabilities.text }),
    media: t.field({
      type: MediaRulesRef,
      nullable: true,
      description: 'Null: it takes none.',
      resolve: (capabilities) => capabilities.media,
    }),
    replies: t.exposeBoolean('replies', {
      description: 'Whether posts can be answered: `inReplyTo`, threads and `firstComment`.',
    }),
    options: t.expose('options', {
      type: 'JSON',
      description: 'The JSON Schema of `platformOptions`.',
    }),
    connect: t.field({ type: ConnectRulesRef, resolve: (capabilities) => capabilities.connect }),
    source: t.exposeString('source', { description: 'Where the numbers come from.' }),
  }),
});

builder.queryField('capabilities', (t) =>
  t.field({
    type: [CapabilitiesRef],
    nullable: true,
    description: 'What each network takes.',
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listCapabilities(context).data),
  }),
);

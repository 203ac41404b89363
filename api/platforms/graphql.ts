// The capabilities of each network, in GraphQL.
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import { TextUnit } from '../../schema/platforms/definition.ts';
import { PlatformName } from '../../schema/platforms/index.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { read } from '../graphql/operation.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { listCapabilities } from './operations.ts';

export const PlatformRef = wordEnum(PlatformName);

const TextUnitRef = wordEnum(TextUnit);

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
    credentials: t.expose('credentials', { type: 'JSON', nullable: true }),
    consent: t.exposeBoolean('consent'),
  }),
});

const CapabilitiesRef = builder.objectRef<Capabilities>('Capabilities').implement({
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    text: t.field({ type: TextRulesRef, resolve: (capabilities) => capabilities.text }),
    media: t.field({
      type: MediaRulesRef,
      nullable: true,
      resolve: (capabilities) => capabilities.media,
    }),
    replies: t.exposeBoolean('replies'),
    options: t.expose('options', { type: 'JSON' }),
    connect: t.field({ type: ConnectRulesRef, resolve: (capabilities) => capabilities.connect }),
    source: t.exposeString('source'),
  }),
});

builder.queryField('capabilities', (t) =>
  t.field({
    type: [CapabilitiesRef],
    nullable: true,
    complexity: operationCost,
    resolve: (_, _args, graphql) =>
      read(graphql, undefined, (context) => listCapabilities(context).data),
  }),
);

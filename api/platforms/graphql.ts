// The capabilities of each network, in GraphQL.
import type { Capabilities } from '../../schema/platforms/capabilities.ts';
import { TextUnit } from '../../schema/platforms/definition.ts';
import { PlatformName } from '../../schema/platforms/index.ts';
import { builder, operationCost } from '../graphql/builder.ts';
import { toCamelCase } from '../graphql/case-conversion.ts';
import { read } from '../graphql/operation.ts';
import { wordEnum } from '../graphql/shapes.ts';
import { listCapabilities } from './operations.ts';

export const PlatformRef = wordEnum(PlatformName);

const TextUnitRef = wordEnum(TextUnit);

const TextRulesRef = builder.objectRef<Capabilities['text']>('TextRules').implement({
  fields: (t) => ({
    max: t.exposeInt('max'),
    maxWithMedia: t.exposeInt('max_with_media', { nullable: true }),
    maxWithImages: t.exposeInt('max_with_images', { nullable: true }),
    maxBytes: t.exposeInt('max_bytes', { nullable: true }),
    unit: t.expose('unit', { type: TextUnitRef }),
    isRequired: t.exposeBoolean('is_required'),
  }),
});

type MediaRules = NonNullable<Capabilities['media']>;

const MediaFileRulesRef = builder
  .objectRef<NonNullable<MediaRules['image']>>('MediaFileRules')
  .implement({
    fields: (t) => ({
      max: t.exposeInt('max'),
      types: t.exposeStringList('types'),
      maxBytes: t.exposeInt('max_bytes', { nullable: true }),
      maxGifBytes: t.exposeInt('max_gif_bytes', { nullable: true }),
      minWidth: t.exposeInt('min_width', { nullable: true }),
      minHeight: t.exposeInt('min_height', { nullable: true }),
      maxWidth: t.exposeInt('max_width', { nullable: true }),
      maxHeight: t.exposeInt('max_height', { nullable: true }),
      maxPixels: t.exposeInt('max_pixels', { nullable: true }),
      minRatio: t.exposeFloat('min_ratio', { nullable: true }),
      maxRatio: t.exposeFloat('max_ratio', { nullable: true }),
      minDurationMs: t.exposeInt('min_duration_ms', { nullable: true }),
      maxDurationMs: t.exposeInt('max_duration_ms', { nullable: true }),
    }),
  });

const MediaRulesRef = builder.objectRef<MediaRules>('MediaRules').implement({
  fields: (t) => ({
    max: t.exposeInt('max'),
    canMix: t.exposeBoolean('can_mix'),
    image: t.expose('image', { type: MediaFileRulesRef, nullable: true }),
    video: t.expose('video', { type: MediaFileRulesRef, nullable: true }),
    maxAltText: t.exposeInt('max_alt_text', { nullable: true }),
    needsUrl: t.exposeBoolean('needs_url'),
  }),
});

const ConnectRulesRef = builder.objectRef<Capabilities['connect']>('ConnectRules').implement({
  fields: (t) => ({
    credentials: t.expose('credentials', { type: 'JSON', nullable: true }),
    consent: t.exposeBoolean('consent'),
  }),
});

const ChoiceKindRef = builder.objectRef<Capabilities['choices'][number]>('ChoiceKind').implement({
  fields: (t) => ({
    kind: t.exposeString('kind'),
    description: t.exposeString('description'),
  }),
});

type AfterPublishing = Capabilities['after_publishing'];

const UnpublishRulesRef = builder
  .objectRef<AfterPublishing['unpublish']>('UnpublishRules')
  .implement({
    fields: (t) => ({
      supported: t.exposeBoolean('supported'),
      withinS: t.exposeInt('within_s', { nullable: true }),
      scopes: t.exposeStringList('scopes'),
      except: t.exposeStringList('except'),
    }),
  });

const EditRulesRef = builder.objectRef<AfterPublishing['edit']>('EditRules').implement({
  fields: (t) => ({
    fields: t.stringList({ resolve: ({ fields }) => fields.map(toCamelCase) }),
    withinS: t.exposeInt('within_s', { nullable: true }),
    scopes: t.exposeStringList('scopes'),
    except: t.exposeStringList('except'),
  }),
});

const AfterPublishingRef = builder.objectRef<AfterPublishing>('AfterPublishing').implement({
  fields: (t) => ({
    unpublish: t.expose('unpublish', { type: UnpublishRulesRef }),
    edit: t.expose('edit', { type: EditRulesRef }),
    byHand: t.exposeString('by_hand', { nullable: true }),
  }),
});

const CreatorRef = builder.objectRef<NonNullable<Capabilities['creator']>>('Creator').implement({
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    username: t.exposeString('username', { nullable: true }),
    avatarUrl: t.exposeString('avatar_url', { nullable: true }),
    canPost: t.exposeBoolean('can_post'),
    reason: t.exposeString('reason', { nullable: true }),
  }),
});

export const CapabilitiesRef = builder.objectRef<Capabilities>('Capabilities').implement({
  fields: (t) => ({
    platform: t.expose('platform', { type: PlatformRef }),
    text: t.expose('text', { type: TextRulesRef }),
    media: t.expose('media', { type: MediaRulesRef, nullable: true }),
    replies: t.exposeBoolean('replies'),
    threads: t.exposeBoolean('threads'),
    options: t.expose('options', { type: 'JSON' }),
    choices: t.expose('choices', { type: [ChoiceKindRef] }),
    afterPublishing: t.expose('after_publishing', { type: AfterPublishingRef }),
    connect: t.expose('connect', { type: ConnectRulesRef }),
    creator: t.expose('creator', { type: CreatorRef, nullable: true }),
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

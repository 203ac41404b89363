// A post and its results as GraphQL shows them.
import {
  FailureStage,
  IssueSeverity,
  PostStatus,
  ResultStatus,
  WaitReason,
  type FirstComment,
  type Outcome,
  type Post,
  type PostIssue,
  type PostResult,
  type ResultStep,
} from '../../../schema/posts/posts.ts';
import { findPostingError } from '../../../schema/posts/errors.ts';
import { NextAction } from '../../../schema/posts/next-action.ts';
import {
  ChangeStatus,
  ChangeType,
  type ResultChange,
} from '../../../schema/posts/result-changes.ts';
import type { PostSchedule } from '../../../schema/posts/schedule.ts';
import { TimeAdjustment } from '../../../schema/wire/local-time.ts';
import { render } from '../../../schema/wire/names.ts';
import { accountNodes, AccountRef } from '../../accounts/graphql.ts';
import { builder } from '../../graphql/builder.ts';
import { toCamelCase } from '../../graphql/case-conversion.ts';
import { linkOne } from '../../graphql/links.ts';
import { nodesOf } from '../../graphql/nodes.ts';
import { ActorRef, wordEnum } from '../../graphql/shapes.ts';
import { graphqlNames } from '../../graphql/input.ts';
import { mediaNodes, MediaRef } from '../../media/graphql.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { PlatformOptionsRef, showOptions } from '../../platforms/options-graphql.ts';
import { findPosts, findResults } from '../read-posts.ts';

export const PostStatusRef = wordEnum(PostStatus);
const ResultStatusRef = wordEnum(ResultStatus);
const FailureStageRef = wordEnum(FailureStage);
const NextActionRef = wordEnum(NextAction);
const WaitReasonRef = wordEnum(WaitReason);

const ResultChangeRef = builder.objectRef<ResultChange>('ResultChange').implement({
  fields: (t) => ({
    id: t.exposeID('id'),
    type: t.expose('type', { type: wordEnum(ChangeType) }),
    status: t.expose('status', { type: wordEnum(ChangeStatus) }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    nextAction: t.expose('next_action', { type: NextActionRef }),
    actor: t.expose('actor', { type: ActorRef, description: 'Who requested the change.' }),
    requestedAt: t.expose('requested_at', { type: 'DateTime' }),
    endedAt: t.expose('ended_at', { type: 'DateTime', nullable: true }),
  }),
});

export const OutcomeRef = builder.interfaceRef<Outcome & { id: string }>('Outcome').implement({
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique ID.' }),
    status: t.expose('status', { type: ResultStatusRef }),
    externalId: t.exposeString('external_id', { nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    visibility: t.exposeString('visibility', { nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    editedAt: t.expose('edited_at', { type: 'DateTime', nullable: true }),
    unpublishedAt: t.expose('unpublished_at', { type: 'DateTime', nullable: true }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    errorHint: t.string({
      nullable: true,
      resolve({ error_code }) {
        const known = findPostingError(error_code);
        return known ? render(known.hint, graphqlNames) : null;
      },
    }),
    errorDocsUrl: t.exposeString('error_docs_url', { nullable: true }),
    failureStage: t.expose('failure_stage', { type: FailureStageRef, nullable: true }),
    platformErrorCode: t.exposeString('platform_error_code', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    isRetriable: t.exposeBoolean('is_retriable'),
    nextAction: t.expose('next_action', { type: NextActionRef }),
    attempts: t.exposeInt('attempts'),
    waitingFor: t.expose('waiting_for', { type: WaitReasonRef, nullable: true }),
    nextAttemptAt: t.expose('next_attempt_at', { type: 'DateTime', nullable: true }),
    changes: t.expose('changes', { type: [ResultChangeRef] }),
  }),
});

const FirstCommentRef = builder.objectRef<FirstComment>('FirstComment').implement({
  interfaces: [OutcomeRef],
  fields: (t) => ({ text: t.exposeString('text') }),
});

const ResultStepRef = builder.objectRef<ResultStep>('ResultStep').implement({
  interfaces: [OutcomeRef],
  fields: (t) => ({ name: t.exposeString('name') }),
});

export const IssueSeverityRef = wordEnum(IssueSeverity);

export const PostIssueRef = builder.objectRef<PostIssue>('PostIssue').implement({
  fields: (t) => ({
    platformPostIndex: t.exposeInt('platform_post_index', { nullable: true }),
    accountId: t.exposeID('account_id', { nullable: true }),
    platform: t.expose('platform', { type: PlatformRef, nullable: true }),
    path: t.exposeString('path'),
    field: t.exposeString('field'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    actual: t.expose('actual', { type: 'JSON', nullable: true }),
    limit: t.expose('limit', { type: 'JSON', nullable: true }),
    severity: t.expose('severity', { type: IssueSeverityRef }),
  }),
});

const PostMediaRef = builder.objectRef<Post['media'][number]>('PostMedia').implement({
  fields: (t) => ({
    mediaId: t.exposeID('id', {
      nullable: true,
      description: 'ID of the media. Null for a URL of a draft, which is not fetched yet.',
    }),
    url: t.exposeString('url', { nullable: true }),
    altText: t.exposeString('alt_text', { nullable: true }),
    thumbnailId: t.exposeID('thumbnail_id', { nullable: true }),
    thumbnailAtMs: t.exposeInt('thumbnail_at_ms', { nullable: true }),
  }),
});

linkOne(PostMediaRef, 'media', {
  type: MediaRef,
  load: mediaNodes.load,
  description: 'The media. Null for a URL of a draft, and once the media are no longer kept.',
  idOf: ({ id }) => id,
});

linkOne(PostMediaRef, 'thumbnail', {
  type: MediaRef,
  load: mediaNodes.load,
  description: 'Still image of a video. Null if there is none, and once it is no longer kept.',
  idOf: ({ thumbnail_id }) => thumbnail_id,
});

export const PostResultRef = builder.objectRef<PostResult>('PostResult');

builder.node(PostResultRef, {
  ...nodesOf('posts:read', findResults).options,
  interfaces: [OutcomeRef],
  fields: (t) => ({
    socialAccountId: t.exposeID('social_account_id'),
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    caption: t.exposeString('caption'),
    media: t.expose('media', { type: [PostMediaRef] }),
    mediaUrls: t.exposeStringList('media_urls'),
    threadPosition: t.exposeInt('thread_position', { nullable: true }),
    inReplyTo: t.exposeString('in_reply_to', { nullable: true }),
    platformOptions: t.field({
      type: PlatformOptionsRef,
      nullable: true,
      description: "Options of the account's network. Null if the network has none.",
      resolve: ({ platform, platform_options: options }) => showOptions(platform, options),
    }),
    defaulted: t.stringList({ resolve: ({ defaulted }) => defaulted.map(toCamelCase) }),
    firstComment: t.expose('first_comment', { type: FirstCommentRef, nullable: true }),
    steps: t.expose('steps', { type: [ResultStepRef] }),
  }),
});

linkOne(PostResultRef, 'account', {
  type: AccountRef,
  load: accountNodes.load,
  description: 'Account that the target publishes to.',
  idOf: (result) => result.social_account_id,
});

const PostScheduleRef = builder.objectRef<PostSchedule>('PostSchedule').implement({
  fields: (t) => ({
    local: t.exposeString('local'),
    timezone: t.exposeString('timezone'),
    adjusted: t.expose('adjusted', { type: wordEnum(TimeAdjustment) }),
  }),
});

export const PostRef = builder.objectRef<Post & { warnings?: PostIssue[] }>('Post');
export const postNodes = nodesOf('posts:read', findPosts);

builder.node(PostRef, {
  ...postNodes.options,
  fields: (t) => ({
    caption: t.exposeString('caption'),
    status: t.expose('status', { type: PostStatusRef }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    updatedAt: t.expose('updated_at', { type: 'DateTime' }),
    revision: t.exposeInt('revision'),
    scheduledAt: t.expose('scheduled_at', { type: 'DateTime', nullable: true }),
    schedule: t.expose('schedule', { type: PostScheduleRef, nullable: true }),
    publishBy: t.expose('publish_by', { type: 'DateTime', nullable: true }),
    queueId: t.exposeID('queue_id', { nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    media: t.expose('media', { type: [PostMediaRef] }),
    mediaUrls: t.exposeStringList('media_urls'),
    autoFit: t.exposeBoolean('auto_fit'),
    metadata: t.expose('metadata', { type: 'JSON' }),
    labels: t.exposeStringList('labels'),
    createdBy: t.expose('created_by', { type: ActorRef, description: 'Who created the post.' }),
    warnings: t.field({
      type: [PostIssueRef],
      description:
        'Issues that did not prevent the post, but may surprise you. Empty except in the response to creating, updating or publishing it.',
      resolve: ({ warnings }) => warnings ?? [],
    }),
    results: t.expose('results', {
      type: [PostResultRef],
      complexity: { field: 5, multiplier: 5 },
    }),
  }),
});

// A post and its results as GraphQL shows them.
import {
  attemptsMeaning,
  failureStages,
  nextActions,
  nextAttemptMeaning,
  postStatuses,
  resultStatuses,
  waitingForMeaning,
  waitReasonNames,
  waitReasons,
  type FirstComment,
  type Outcome,
  type Post,
  type PostResult,
} from '../../../schema/posts/posts.ts';
import { builder } from '../../graphql/builder.ts';
import { nodesOf } from '../../graphql/nodes.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { spellWords } from '../../graphql/case-conversion.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { PlatformOptionsRef, showOptions } from './options.ts';
import { findPosts, findResults } from '../read-posts.ts';

export const PostStatusRef = wordEnum('PostStatus', postStatuses, {
  partial: 'Some targets were published and some failed.',
});
const ResultStatusRef = wordEnum('ResultStatus', resultStatuses);
const FailureStageRef = wordEnum('FailureStage', failureStages);
const NextActionRef = wordEnum('NextAction', nextActions, {
  enum: 'What a person can do about a failure.',
});

const WaitReasonRef = wordEnum('WaitReason', waitReasonNames, {
  ...waitReasons,
  enum: 'What an open target waits for.',
});

export const OutcomeRef = builder.interfaceRef<Outcome & { id: string }>('Outcome').implement({
  description: 'What became of a target, or of the first comment under it.',
  fields: (t) => ({
    id: t.exposeID('id'),
    status: t.expose('status', { type: ResultStatusRef }),
    externalId: t.exposeString('external_id', { nullable: true }),
    url: t.exposeString('url', { nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    errorCode: t.exposeString('error_code', { nullable: true }),
    errorMessage: t.exposeString('error_message', { nullable: true }),
    errorHint: t.string({
      nullable: true,
      description: 'What to do about the error code.',
      resolve: ({ error_hint }) => spellWords(error_hint),
    }),
    errorDocsUrl: t.exposeString('error_docs_url', {
      nullable: true,
      description: 'The error code in `/docs`.',
    }),
    failureStage: t.expose('failure_stage', { type: FailureStageRef, nullable: true }),
    platformErrorCode: t.exposeString('platform_error_code', { nullable: true }),
    providerError: t.expose('provider_error', { type: 'JSON', nullable: true }),
    isRetriable: t.exposeBoolean('is_retriable'),
    nextAction: t.expose('next_action', { type: NextActionRef }),
    attempts: t.exposeInt('attempts', { description: attemptsMeaning }),
    waitingFor: t.expose('waiting_for', {
      type: WaitReasonRef,
      nullable: true,
      description: waitingForMeaning,
    }),
    nextAttemptAt: t.expose('next_attempt_at', {
      type: 'DateTime',
      nullable: true,
      description: nextAttemptMeaning,
    }),
  }),
});

const FirstCommentRef = builder.objectRef<FirstComment>('FirstComment').implement({
  description:
    "What became of the first comment under a target's post; retried by the target's id.",
  interfaces: [OutcomeRef],
  fields: (t) => ({ text: t.exposeString('text') }),
});

export const PostResultRef = builder.objectRef<PostResult>('PostResult');

builder.node(PostResultRef, {
  ...nodesOf('posts:read', findResults).options,
  description: 'What became of a post at one target.',
  interfaces: [OutcomeRef],
  fields: (t) => ({
    socialAccountId: t.exposeID('social_account_id'),
    platform: t.expose('platform', { type: PlatformRef }),
    accountName: t.exposeString('account_name'),
    caption: t.exposeString('caption'),
    mediaUrls: t.exposeStringList('media_urls'),
    threadPosition: t.exposeInt('thread_position', { nullable: true }),
    inReplyTo: t.exposeString('in_reply_to', { nullable: true }),
    platformOptions: t.field({
      type: PlatformOptionsRef,
      nullable: true,
      description: "What of the network's own options was asked for. Null: it has none.",
      resolve: ({ platform, platform_options: options }) => showOptions(platform, options),
    }),
    firstComment: t.field({
      type: FirstCommentRef,
      nullable: true,
      resolve: (result) => result.first_comment,
    }),
  }),
});

export const PostRef = builder.objectRef<Post>('Post');
export const postNodes = nodesOf('posts:read', findPosts);

builder.node(PostRef, {
  ...postNodes.options,
  description: 'What goes out to one or more accounts, each with a result of its own.',
  fields: (t) => ({
    caption: t.exposeString('caption'),
    status: t.expose('status', { type: PostStatusRef }),
    createdAt: t.expose('created_at', { type: 'DateTime' }),
    scheduledAt: t.expose('scheduled_at', { type: 'DateTime', nullable: true }),
    publishedAt: t.expose('published_at', { type: 'DateTime', nullable: true }),
    mediaUrls: t.exposeStringList('media_urls'),
    metadata: t.expose('metadata', { type: 'JSON' }),
    results: t.field({
      type: [PostResultRef],
      description: 'One for each target, in their order.',
      complexity: { field: 5, multiplier: 5 },
      resolve: (post) => post.results,
    }),
  }),
});

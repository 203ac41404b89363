// Creating several posts at once, in GraphQL.
import { CreatePosts } from '../../../schema/posts/bulk.ts';
import { AppError, type Issue } from '../../../schema/wire/errors.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import type { ErrorBody } from '../../http/errors.ts';
import { spellBody } from '../../graphql/errors.ts';
import { inInput, write } from '../../graphql/operation.ts';
import { idempotencyArguments } from '../../graphql/shapes.ts';
import { spellError, type Place } from '../../graphql/case-conversion.ts';
import { createPosts, type CreatedPost } from '../create-posts.ts';
import { CreatePostInput } from './creating.ts';
import { PostRef } from './shapes.ts';

const IssueRef = builder.objectRef<Issue>('Issue').implement({
  description: 'One fault of one field.',
  fields: (t) => ({
    path: t.exposeString('path'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    actual: t.field({ type: 'JSON', nullable: true, resolve: ({ actual }) => actual }),
    limit: t.field({ type: 'JSON', nullable: true, resolve: ({ limit }) => limit }),
  }),
});

const RefusalRef = builder.objectRef<ErrorBody>('Refusal').implement({
  description: 'Why something was refused or failed, as `extensions` of an error shows it.',
  fields: (t) => ({
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    hint: t.string({ nullable: true, resolve: ({ hint }) => hint }),
    isRetriable: t.exposeBoolean('is_retriable'),
    issues: t.field({ type: [IssueRef], nullable: true, resolve: ({ issues }) => issues }),
    docsUrl: t.exposeString('docs_url'),
  }),
});

const CreatedPostRef = builder.objectRef<CreatedPost>('CreatedPost').implement({
  description: 'What creating this post alone would have answered.',
  fields: (t) => ({
    status: t.exposeInt('status', { description: 'As in REST: 201, 202, 422.' }),
    post: t.field({
      type: PostRef,
      nullable: true,
      resolve: (created) => ('post' in created ? created.post : null),
    }),
    error: t.field({
      type: RefusalRef,
      nullable: true,
      resolve: (created) => ('error' in created ? created.error : null),
    }),
  }),
});

function spell(error: ErrorBody, place: Place): ErrorBody {
  if (!error.issues) return spellBody(error);
  const spelled = spellError(new AppError(error.code, error.message, error), place) as AppError;
  return spellBody({ ...error, message: spelled.message, issues: spelled.options.issues! });
}

const CreatePostsInput = builder.inputType('CreatePostsInput', {
  fields: (t) => ({ posts: t.field({ type: [CreatePostInput], required: true }) }),
});

builder.mutationField('createPosts', (t) =>
  t.field({
    type: [CreatedPostRef],
    nullable: true,
    description:
      'Creates up to 50 posts, each by itself: what refuses one leaves the others alone.',
    complexity: ({ input: { posts } }) => ({
      field: operationCost * Math.max(1, posts.length),
      multiplier: posts.length,
    }),
    args: { input: t.arg({ type: CreatePostsInput, required: true }), ...idempotencyArguments },
    resolve: async (_, args, graphql, info) => {
      const created = await write(
        graphql,
        { scope: 'posts:write', schema: CreatePosts, args, info },
        createPosts,
      );
      const place = inInput(args, info);
      return created.map((one) =>
        'error' in one ? { ...one, error: spell(one.error, place) } : one,
      );
    },
  }),
);

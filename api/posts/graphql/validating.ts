// Validating a post, in GraphQL.
import {
  CreatePost,
  IssueSeverity,
  type PostIssue,
  type PostValidation,
} from '../../../schema/posts/posts.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { check, inInput } from '../../graphql/operation.ts';
import { wordEnum } from '../../graphql/shapes.ts';
import { namesAt } from '../../graphql/input.ts';
import { PlatformRef } from '../../platforms/graphql.ts';
import { validatePost } from '../checks/check-post.ts';
import { CreatePostInput } from './creating.ts';

const IssueSeverityRef = wordEnum(IssueSeverity);

const PostIssueRef = builder.objectRef<PostIssue>('PostIssue').implement({
  fields: (t) => ({
    platformPostIndex: t.exposeInt('platform_post_index', { nullable: true }),
    accountId: t.exposeID('account_id', { nullable: true }),
    platform: t.expose('platform', { type: PlatformRef, nullable: true }),
    field: t.exposeString('field'),
    code: t.exposeString('code'),
    message: t.exposeString('message'),
    actual: t.expose('actual', { type: 'JSON', nullable: true }),
    limit: t.expose('limit', { type: 'JSON', nullable: true }),
    severity: t.expose('severity', { type: IssueSeverityRef }),
  }),
});

const PostValidationRef = builder.objectRef<PostValidation>('PostValidation').implement({
  fields: (t) => ({
    valid: t.exposeBoolean('valid'),
    errors: t.field({
      type: [PostIssueRef],
      resolve: (validation) => validation.errors,
    }),
    warnings: t.field({ type: [PostIssueRef], resolve: (validation) => validation.warnings }),
  }),
});

builder.queryField('validatePost', (t) =>
  t.field({
    type: PostValidationRef,
    nullable: true,
    complexity: operationCost,
    args: { input: t.arg({ type: CreatePostInput, required: true }) },
    resolve: (_, args, graphql, info) =>
      check(
        graphql,
        { scope: 'posts:write', schema: CreatePost, args, info },
        (context, caller, input) =>
          validatePost(context, caller, input, namesAt(inInput(args, info))),
      ),
  }),
);

// Validating a post, in GraphQL.
import { CreatePost, type PostValidation } from '../../../schema/posts/posts.ts';
import { builder, operationCost } from '../../graphql/builder.ts';
import { check, inInput } from '../../graphql/operation.ts';
import { namesAt } from '../../graphql/input.ts';
import { validatePost } from '../checks/check-post.ts';
import { CreatePostInput } from './creating.ts';
import { PostIssueRef } from './shapes.ts';

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

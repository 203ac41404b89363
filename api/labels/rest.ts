// The REST route of labels.
import { Label, ListLabels } from '../../schema/posts/labels.ts';
import { get, list } from '../http/route.ts';
import { listLabels } from './operations.ts';

export const labelRoutes = [
  get('/v1/labels', {
    name: 'listLabels',
    summary: 'List the labels of posts',
    description: 'With the number of posts that have each label. Sorted by name.',
    scope: 'posts:read',
    query: ListLabels,
    answer: list(Label),
    run: ({ context, caller, query }) => listLabels(context, caller, query),
  }),
];

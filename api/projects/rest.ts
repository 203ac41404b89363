// The REST routes of the caller's project.
import { Project, UpdateProject } from '../../schema/projects.ts';
import { get, one, patch, written } from '../http/route.ts';
import { getProject, updateProject } from './operations.ts';

export const projectRoutes = [
  get('/v1/project', {
    name: 'getProject',
    summary: 'Get the project of the API key',
    scope: 'accounts:read',
    answer: one(Project),
    run: ({ context, caller }) => getProject(context, caller),
  }),

  patch('/v1/project', {
    name: 'updateProject',
    summary: 'Update the project',
    scope: 'accounts:write',
    body: UpdateProject,
    answer: written(200, Project),
    run: ({ context, caller, body }) => updateProject(context, caller, body),
  }),
];

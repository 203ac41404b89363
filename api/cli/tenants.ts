// Projects and keys made from the command line; each answer shows its key once.
import { NoResultError } from 'kysely';
import { Scope, scopes } from '../../schema/scopes.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { createKey as insertKey } from '../api-keys/key.ts';
import { createProjectWithKey } from './first-start.ts';

interface ProjectFlags {
  name?: string | undefined;
}

interface KeyFlags extends ProjectFlags {
  project?: string | undefined;
  scopes?: string | undefined;
  test: boolean;
  'expires-at'?: string | undefined;
}

export async function createProject(db: Db, { name }: ProjectFlags): Promise<string> {
  if (!name) throw new Error('--name is required.');
  const { row, key } = await createProjectWithKey(db, name);
  return `project ${row.project_id}\nkey     ${key}\nThe key is shown only now.`;
}

export async function createKey(db: Db, flags: KeyFlags): Promise<string> {
  const { name, project, test: isTest } = flags;
  if (!name || !project) throw new Error('--project and --name are required.');
  const wanted = Scope.array().safeParse(flags.scopes?.split(',') ?? [...scopes]);
  if (!wanted.success) throw new Error(`--scopes takes these: ${scopes.join(', ')}.`);
  const expiresAt = flags['expires-at'] === undefined ? null : new Date(flags['expires-at']);
  if (expiresAt && !(expiresAt.getTime() > Date.now())) {
    throw new Error('--expires-at must be a time to come, such as 2030-01-31T00:00:00Z.');
  }
  const { id: projectId } = await getProjectRow(db, project).catch((error: unknown) => {
    if (error instanceof NoResultError) throw new Error(`No project has the id ${project}.`);
    throw error;
  });
  const { row, key } = await insertKey(db, {
    projectId,
    name,
    scopes: wanted.data,
    environment: isTest ? 'test' : 'production',
    expiresAt,
  });
  return `id  ${row.id}\nkey ${key}\nThe key is shown only now.`;
}

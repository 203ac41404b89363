// What a client may do with its own project.
import { getProjectRow, setProject } from '../../schema/database/projects.ts';
import type { Project, UpdateProject } from '../../schema/projects.ts';
import type { Caller, Context } from '../context.ts';
import { transact, type Answer } from '../transact.ts';
import { presentProject } from './presenter.ts';

export async function getProject({ db }: Context, { projectId }: Caller): Promise<Project> {
  return presentProject(await getProjectRow(db, projectId));
}

/** Of these the caller's own. */
export async function findProjects(
  context: Context,
  caller: Caller,
  ids: string[],
): Promise<Project[]> {
  return ids.includes(caller.projectId) ? [await getProject(context, caller)] : [];
}

export function updateProject(
  context: Context,
  caller: Caller,
  changes: UpdateProject,
): Promise<Answer<Project>> {
  return transact(context, caller, async ({ trx }) => ({
    status: 200,
    data: presentProject(await setProject(trx, caller.projectId, changes)),
  }));
}

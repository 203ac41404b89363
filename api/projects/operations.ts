// Operations on the caller's project.
import { getProjectRow, setLogo, setProject } from '../../schema/database/projects.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { present } from '../../schema/wire/present.ts';
import { Project, type UpdateProject } from '../../schema/projects.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { readLogos } from './logos.ts';

/** Test keys are refused, since both environments share the settings. */
function refuseTestKey({ environment }: Caller): void {
  if (environment === 'production') return;
  throw new AppError('insufficient_scope', 'A test key cannot read or change the project.', {
    hint: 'Use a production key.',
  });
}

export async function getProject({ db }: Context, caller: Caller): Promise<Project> {
  refuseTestKey(caller);
  const { projectId } = caller;
  return present(Project, await getProjectRow(db, projectId));
}

/** The caller's own project, if its id is among these. */
export async function findProjects(
  context: Context,
  caller: Caller,
  ids: string[],
): Promise<Project[]> {
  return ids.includes(caller.projectId) ? [await getProject(context, caller)] : [];
}

export async function updateProject(
  context: Context,
  caller: Caller,
  changes: UpdateProject,
): Promise<Answer<Project>> {
  refuseTestKey(caller);
  const project = await getProjectRow(context.db, caller.projectId);
  const logos = await readLogos(context, caller, project, changes);
  return transact(context, caller, async ({ trx, audit }) => {
    const row = await setProject(trx, caller.projectId, changes);
    for (const { theme, logo } of logos) await setLogo(trx, caller.projectId, theme, logo);
    audit({ subject: 'project', subject_id: row.id, kind: 'updated' });
    return { status: 200, data: present(Project, row) };
  });
}

// Logos of a project: copies of media, fitted once, which retention never deletes.
import { buffer } from 'node:stream/consumers';
import { MediaError } from '../../activities/media/media-error.ts';
import { openSource } from '../../activities/media/segments.ts';
import type { FitPlan } from '../../activities/platforms/media-rules.ts';
import { listMediaById } from '../../schema/database/media/rows.ts';
import type { NewLogo } from '../../schema/database/projects.ts';
import type { LogoTheme, MediaRow, ProjectRow } from '../../schema/database/tables.ts';
import type { UpdateProject } from '../../schema/projects.ts';
import { validationError, type Issue } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';
import type { Caller, Context } from '../http/context.ts';
import { requireStorage } from '../media/limits.ts';
import { translate } from '../media/upload-answer.ts';
import { checkId } from '../media/usable.ts';

/** Sharp at twice the height of a logo on a page. PNG keeps what is transparent. */
const plan: FitPlan = {
  contentType: 'image/png',
  maxBytes: 262_144,
  maxWidth: 1_200,
  maxHeight: 160,
  maxPixels: null,
};

export interface LogoChange {
  theme: LogoTheme;
  /** Null: the project gets no logo for the theme. */
  logo: NewLogo | null;
}

const fields = { light: 'logo_media_id', dark: 'dark_logo_media_id' } as const;

/**
 * Reads and encodes the new logos that the changes name. The media of a logo that stays may be deleted. Throws if a new
 * logo can't be used.
 */
export async function readLogos(
  context: Context,
  caller: Caller,
  project: Pick<ProjectRow, 'logo_media_id' | 'dark_logo_media_id'>,
  changes: UpdateProject,
): Promise<LogoChange[]> {
  const read: LogoChange[] = [];
  for (const theme of ['light', 'dark'] as const) {
    const id = changes[fields[theme]];
    if (id === undefined || id === project[fields[theme]]) continue;
    read.push({
      theme,
      logo: id === null ? null : await readLogo(context, caller, id, [fields[theme]]),
    });
  }
  return read;
}

async function readLogo(
  context: Context,
  caller: Caller,
  id: string,
  path: Path,
): Promise<NewLogo> {
  const [row] = await listMediaById(context.db, caller, [id]);
  const [issue] = findIssues(row, path);
  if (!row || issue) throw validationError([issue!]);
  const storage = requireStorage(context);
  try {
    const source = openSource({ db: context.db, store: storage.store }, row);
    await using fitted = await storage.images.fit(caller.projectId, source, plan);
    const { width, height } = fitted;
    return { png: await buffer(fitted.open(65_536)), width, height };
  } catch (error) {
    if (!(error instanceof MediaError)) throw translate(error);
    throw validationError([{ path, code: error.code, message: error.message }]);
  }
}

/** A logo is copied at once, so its bytes must be there. */
function findIssues(row: MediaRow | undefined, path: Path): Issue[] {
  if (row?.status === 'pending') {
    return [{ path, code: 'media_not_ready', message: 'The bytes of the media are not complete.' }];
  }
  const issues = checkId(row, path);
  if (issues.length > 0 || row?.kind === 'image') return issues;
  return [{ path, code: 'logo_not_image', message: 'must be an image' }];
}

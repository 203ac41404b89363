// Turns the row of a project into its wire type.
import type { ProjectRow } from '../../schema/database/tables.ts';
import type { Project } from '../../schema/projects.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    brand_color: row.brand_color,
    logo_url: row.logo_url,
    return_origins: row.return_origins,
    monthly_posts_per_account: row.monthly_posts_per_account,
    created_at: toTimestamp(row.created_at),
  };
}

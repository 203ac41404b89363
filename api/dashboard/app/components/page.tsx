// The frame of a page: its title, and what can be done there.
import type { ReactNode } from 'react';
import { useSession } from '../session/session.ts';

/** What every page is given. */
export interface PageProps {
  /** The ID in the path. */
  id: string;
}

interface PageFrameProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, actions, children }: PageFrameProps) {
  const { project } = useSession();
  return (
    <>
      <title>{`${title} – ${project.name}`}</title>
      <div className="page-head">
        <h1>{title}</h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

interface SectionProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

// Links: to pages of the dashboard, and to other sites.
import type { ReactNode } from 'react';
import { base, followLink } from '../browser/router.ts';

interface LinkProps {
  to: string;
  children: ReactNode;
  className?: string;
  isCurrent?: boolean;
}

export function Link({ to, children, className, isCurrent }: LinkProps) {
  return (
    <a
      href={`${base}${to}`}
      onClick={followLink}
      className={className}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </a>
  );
}

/** Answers of networks name URLs, and only those of the web are links. */
export function OuterLink({ href, children }: { href: string; children: ReactNode }) {
  if (!/^https?:\/\//.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
      <span className="hidden"> (opens in a new tab)</span>
    </a>
  );
}

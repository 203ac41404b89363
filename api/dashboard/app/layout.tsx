// What surrounds every page: navigation, the state of the connection, and the page for the address.
import { Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { connection } from './api/connection.ts';
import { useHeartbeat } from './session/heartbeat.ts';
import { Button } from './components/button.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Link } from './components/link.tsx';
import { Page } from './components/page.tsx';
import { useFilters, usePath } from './browser/router.ts';
import { navigation, pages } from './pages.ts';
import { KeptContext, type Kept } from './session/kept.ts';
import { scopeName, useSession } from './session/session.ts';
import './layout.css';

export function Layout() {
  const path = usePath();
  const [{ post }] = useFilters();
  const current = entryOf(path, post !== undefined);
  useHeartbeat();
  const kept = useKeptMap();
  const [isOpen, setIsOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    setIsOpen(false);
    // A new page is announced, and the keyboard continues there.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);

  return (
    <div className="layout">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="top">
        <Project />
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onPress={() => setIsOpen(!isOpen)}
        >
          Menu
        </Button>
      </header>
      <nav id="navigation" aria-label="Pages" data-open={isOpen}>
        <ul>
          {navigation.map(({ to, label }) => (
            <li key={to}>
              <Link to={to} isCurrent={to === current}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <SignOut />
      </nav>
      <main id="main" tabIndex={-1} ref={main}>
        <LostBanner />
        <ErrorBoundary key={path}>
          <Suspense fallback={<p className="quiet">Opening…</p>}>
            <KeptContext value={kept}>
              <CurrentPage path={path} />
            </KeptContext>
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

function useKeptMap(): Map<string, Kept> {
  const [kept] = useState(() => new Map<string, Kept>());
  useEffect(
    () => () => {
      for (const one of kept.values()) one.close();
      kept.clear();
    },
    [kept],
  );
  return kept;
}

/** The entry of the navigation that the page is in. */
function entryOf(path: string, isOfPost: boolean): string | undefined {
  if (path.startsWith('/deliveries/')) return '/webhooks';
  if (path === '/compose' && isOfPost) return '/posts';
  return navigation.find(({ to }) => path === to || path.startsWith(`${to}/`))?.to;
}

function CurrentPage({ path }: { path: string }) {
  const { apiKey } = useSession();
  for (const { path: pattern, scope, Page: Found } of pages) {
    const match = pattern.exec(path);
    if (!match) continue;
    if (scope === undefined || apiKey.scopes.includes(scope)) return <Found id={match[1] ?? ''} />;
    return (
      <Page title="This key lacks a scope">
        <p>
          The page needs the scope <code>{scopeName(scope)}</code>. The key “{apiKey.name}” has{' '}
          {apiKey.scopes.map(scopeName).join(', ') || 'no scope'}. Sign in with another key to see
          it.
        </p>
      </Page>
    );
  }
  return (
    <Page title="There is nothing here">
      <p>
        <Link to="/">Go to the first page</Link>
      </p>
    </Page>
  );
}

function Project() {
  const { project, apiKey } = useSession();
  return (
    <p className="project">
      <b>{project.name}</b>
      {apiKey.environment === 'TEST' && <span className="badge badge-wait">Test</span>}
    </p>
  );
}

function SignOut() {
  const { apiKey, signOut } = useSession();
  const [problem, setProblem] = useState<string>();
  return (
    <div className="sign-out">
      <p className="quiet">
        Signed in with “{apiKey.name}” (<code>{apiKey.prefix}…</code>)
      </p>
      <Button look="quiet" onPress={() => void signOut().then(setProblem)}>
        Sign out
      </Button>
      <p role="alert" className="problem-text">
        {problem}
      </p>
    </div>
  );
}

function LostBanner() {
  const isLost = useSyncExternalStore(connection.watch, connection.isLost);
  return (
    <div role="status">
      {isLost && (
        <p className="banner">
          The server does not answer. What you see may be old. This page catches up by itself as
          soon as the server is back.
        </p>
      )}
    </div>
  );
}

// Signs the browser in and shows the pages, or the sign-in page.
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Provider } from 'urql';
import { openSession, type Session } from './api/client.ts';
import { connection } from './api/connection.ts';
import { isUnauthorized } from './api/problem.ts';
import { Layout } from './layout.tsx';
import { CurrentKey, SessionContext, type SignedIn } from './session/session.ts';
import { signIn, signOut } from './session/sign-in-requests.ts';
import { SignInPage } from './session/sign-in-page.tsx';

type State =
  | { name: 'opening' }
  | { name: 'signed-out'; notice?: string | undefined }
  | { name: 'signed-in'; signedIn: SignedIn; session: Session };

const ended = 'Your session has ended. Sign in again.';
const retryMs = 2_000;

export function App({ code }: { code: string | undefined }) {
  const [state, setState] = useState<State>({ name: 'opening' });
  const current = useRef<Session>(undefined);

  const leave = useCallback((notice?: string) => {
    current.current?.close();
    current.current = undefined;
    connection.set(false);
    setState({ name: 'signed-out', notice });
  }, []);

  const enter = useCallback(
    async (notice?: string): Promise<void> => {
      const session: Session = openSession(() => current.current === session && leave(ended));
      const { data, error } = await session.client.query(CurrentKey, {}).toPromise();
      if (data?.currentApiKey) {
        current.current = session;
        setState({ name: 'signed-in', signedIn: data.currentApiKey, session });
        return;
      }
      session.close();
      if (isUnauthorized(error)) return leave(notice);
      connection.set(true);
      setTimeout(() => void enter(notice), retryMs);
    },
    [leave],
  );

  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    void (async () => enter(code === undefined ? undefined : await signIn({ code })))();
  }, [code, enter]);

  const value = useMemo(() => {
    if (state.name !== 'signed-in') return undefined;
    return {
      ...state.signedIn,
      async signOut() {
        const problem = await signOut();
        if (problem === undefined) leave();
        return problem;
      },
    };
  }, [state, leave]);

  if (state.name === 'opening') return <p className="opening">Opening the dashboard…</p>;
  if (state.name === 'signed-out') {
    return <SignInPage key={state.notice} notice={state.notice} onSignedIn={() => void enter()} />;
  }
  return (
    <Provider value={state.session.client}>
      <SessionContext value={value}>
        <Layout />
      </SessionContext>
    </Provider>
  );
}

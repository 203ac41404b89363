// Shows that a page failed, and keeps the rest of the dashboard.
import { Component, type ReactNode } from 'react';
import { Page } from './page.tsx';

interface State {
  isFailed: boolean;
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { isFailed: false };

  static getDerivedStateFromError(): State {
    return { isFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.isFailed) return this.props.children;
    return (
      <Page title="This page failed">
        <p>
          Fanfare may have been updated meanwhile. <a href={location.href}>Load the page again.</a>
        </p>
      </Page>
    );
  }
}

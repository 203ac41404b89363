// Starts the dashboard.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeCode } from './session/sign-in-requests.ts';
import './components/base.css';
import './components/controls.css';
import './components/content.css';

const code = takeCode();
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App code={code} />
  </StrictMode>,
);

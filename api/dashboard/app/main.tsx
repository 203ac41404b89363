// Starts the dashboard.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeCode } from './session/sign-in-requests.ts';
import './parts/base.css';
import './parts/controls.css';
import './parts/content.css';

const code = takeCode();
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App code={code} />
  </StrictMode>,
);

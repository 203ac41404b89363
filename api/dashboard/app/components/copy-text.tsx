// A text to copy, such as a secret, a link or a command.
import { useState } from 'react';
import { Button } from './button.tsx';

export function CopyText({ text, label }: { text: string; label: string }) {
  const [notice, setNotice] = useState('');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setNotice('Copied');
    } catch {
      // Browsers refuse on pages without https, except those of this machine.
      setNotice('The browser refused. Select the text, and copy it.');
    }
  }
  return (
    <div className="copy">
      {/* Can be scrolled by keyboard. */}
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
      <Button onPress={() => void copy()}>Copy</Button>
      <span role="status" className="quiet small">
        {notice}
      </span>
    </div>
  );
}

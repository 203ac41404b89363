// A text to copy, such as a secret, a link or a command.
import { useState } from 'react';
import { Button } from './button.tsx';

export function CopyText({ text, label }: { text: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div className="copy">
      {/* Can be scrolled by keyboard. */}
      <pre tabIndex={0} aria-label={label} role="region">
        {text}
      </pre>
      <Button
        onPress={async () => {
          await navigator.clipboard.writeText(text);
          setIsCopied(true);
        }}
      >
        Copy
      </Button>
      <span role="status" className="quiet small">
        {isCopied && 'Copied'}
      </span>
    </div>
  );
}

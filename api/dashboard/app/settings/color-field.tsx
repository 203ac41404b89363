// A color as text, such as #2457d6, and from the palette of the browser.
import { useState } from 'react';
import { TextField } from '../components/field.tsx';
import './settings.css';

interface ColorFieldProps {
  label: string;
  name: string;
  help: string;
  initial: string;
}

const hex = /^#[\da-f]{6}$/i;

export function ColorField({ label, name, help, initial }: ColorFieldProps) {
  const [color, setColor] = useState(initial);
  return (
    <div className="color">
      <TextField
        label={label}
        name={name}
        help={help}
        value={color}
        onChange={({ target }) => setColor(target.value)}
      />
      <input
        type="color"
        aria-label={`${label}, from a palette`}
        value={hex.test(color) ? color : '#000000'}
        onChange={({ target }) => setColor(target.value)}
      />
    </div>
  );
}

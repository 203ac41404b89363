// A button, which says when its action is running.
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components/Button';

interface ButtonProps extends Omit<AriaProps, 'className' | 'style'> {
  look?: 'main' | 'plain' | 'danger' | 'quiet';
}

export function Button({ look = 'plain', ...props }: ButtonProps) {
  return <AriaButton {...props} className={`button button-${look}`} />;
}

// A button. While its action is running, it can't be pressed again.
import { Button as AriaButton, type ButtonProps as AriaProps } from 'react-aria-components/Button';

interface ButtonProps extends Omit<AriaProps, 'className' | 'style' | 'isPending'> {
  look?: 'main' | 'plain' | 'danger' | 'quiet';
  isRunning?: boolean;
}

export function Button({ look = 'plain', isRunning = false, isDisabled, ...props }: ButtonProps) {
  return (
    <AriaButton
      {...props}
      isDisabled={isRunning || (isDisabled ?? false)}
      className={`button button-${look}`}
    />
  );
}

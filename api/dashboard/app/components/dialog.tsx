// A dialog that a button opens, and one that asks before something can't be undone.
import { useState, type ReactNode } from 'react';
import { Dialog as AriaDialog, DialogTrigger, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  button: string;
  look?: 'main' | 'plain' | 'danger' | 'quiet';
  children: (close: () => void) => ReactNode;
}

export function Dialog({ title, button, look, children }: DialogProps) {
  return (
    <DialogTrigger>
      <Button look={look ?? 'plain'}>{button}</Button>
      <ModalOverlay className="overlay" isDismissable>
        <Modal>
          <AriaDialog className="dialog">
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                {children(close)}
              </>
            )}
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}

interface ConfirmProps {
  title: string;
  button: string;
  /** What will happen. */
  children: ReactNode;
  onConfirm(): Promise<unknown>;
}

export function Confirm({ title, button, children, onConfirm }: ConfirmProps) {
  const [isRunning, setIsRunning] = useState(false);
  async function confirm(close: () => void): Promise<void> {
    setIsRunning(true);
    await onConfirm();
    setIsRunning(false);
    close();
  }
  return (
    <Dialog title={title} button={button} look="danger">
      {(close) => (
        <>
          {children}
          <div className="actions">
            <Button onPress={close}>Back</Button>
            <Button look="danger" isRunning={isRunning} onPress={() => void confirm(close)}>
              {button}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

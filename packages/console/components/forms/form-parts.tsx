import { Alert, Button, type ButtonProps, Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { t } from '../../language/t.ts'
import './form-parts.css'

/** Why the server rejected a form. Nothing without a reason. */
export function FormError({ title, children }: { title?: string; children: ReactNode }) {
  if (!children) return null
  return (
    <Alert ref={intoView} color="red" role="alert" title={title}>
      {children}
    </Alert>
  )
}

/** The reason may be below the fold of a long form. */
const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

interface FormButtonsProps extends Pick<ButtonProps, 'loading' | 'disabled' | 'children'> {
  /** The verb on the button that submits. */
  readonly action: string
  /** What the other button does, or the page that it leads to. */
  readonly dismiss: string | (() => void)
  /** Default: Cancel. */
  readonly dismissLabel?: string
}

/** The buttons below a form, and the children before them. In a dialog that scrolls, they stay in sight. */
export function FormButtons({ action, dismiss, children, ...rest }: FormButtonsProps) {
  const { dismissLabel = t('Cancel'), ...submit } = rest
  return (
    <Group justify="end" gap="xs" className="ph-form-buttons">
      {children}
      {typeof dismiss === 'string' ? (
        <Button component={Link} to={dismiss} variant="default">
          {dismissLabel}
        </Button>
      ) : (
        <Button variant="default" onClick={dismiss}>
          {dismissLabel}
        </Button>
      )}
      <Button type="submit" {...submit}>
        {action}
      </Button>
    </Group>
  )
}

/** The ref of the first field of a page that is a form to fill in. In a dialog, `data-autofocus` does the same. */
export function useInitialFocus(enabled: boolean) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (enabled) field.current?.focus({ preventScroll: true })
  }, [enabled])
  return field
}

import { Accordion, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface FoldedProps {
  /** Default: Advanced. */
  readonly title?: string
  /** The defaults in words. */
  readonly summary: string
  /** Whether something in it is set, which opens it initially. */
  readonly isSet?: boolean
  /** Whether a field in it has an error, which keeps it open. */
  readonly isInvalid?: boolean
  readonly children: ReactNode
}

/** Folds what is rarely set. */
export function Folded({
  title = 'Advanced',
  summary,
  isSet = false,
  isInvalid = false,
  children,
}: FoldedProps) {
  const [isOpen, setOpen] = useState(isSet)
  // It stays open when the reader corrects the error.
  if (isInvalid && !isOpen) setOpen(true)
  return (
    <Accordion
      value={isOpen ? title : null}
      onChange={(value) => setOpen(value !== null)}
      chevronPosition="left"
      chevronSize={16}
      styles={{ control: { paddingInline: 0 }, content: { paddingInline: 0 } }}
      // An error moves the focus to a field in it.
      transitionDuration={0}
    >
      <Accordion.Item value={title}>
        <Accordion.Control>
          <Text size="sm">
            <Text span inherit fw={600}>
              {title}
            </Text>{' '}
            <Text span inherit c="dimmed">
              {summary}
            </Text>
          </Text>
        </Accordion.Control>
        <Accordion.Panel>{children}</Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}

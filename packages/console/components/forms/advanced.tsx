import { Accordion, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface AdvancedProps {
  /** The defaults in words. */
  readonly summary: string
  /** Whether a field in it needs the reader. */
  readonly opened?: boolean
  readonly children: ReactNode
}

/** Folds what is rarely set. */
export function Advanced({ summary, opened = false, children }: AdvancedProps) {
  const [chosen, { toggle }] = useDisclosure()
  return (
    <Accordion
      value={chosen || opened ? 'advanced' : null}
      onChange={toggle}
      chevronPosition="left"
      chevronSize={16}
    >
      <Accordion.Item value="advanced">
        <Accordion.Control>
          <Text size="sm">
            Advanced{' '}
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

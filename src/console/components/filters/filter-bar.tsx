import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'

interface FilterBarProps {
  readonly active: boolean
  clear(): void
  readonly children: ReactNode
}

/** The filters of a list, with a button that clears them. */
export function FilterBar({ active, clear, children }: FilterBarProps) {
  return (
    <Group component="search" className="ph-filters" gap="xs" align="end" aria-label="Filters">
      {children}
      {active && (
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  )
}

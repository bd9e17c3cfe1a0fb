import { Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'

interface FilterBarProps {
  readonly active: boolean
  clear(): void
  readonly children: ReactNode
  /** Filters that are hidden until the reader asks for them. */
  readonly more?: ReactNode
  /** Whether one of the hidden filters is set, which shows them. */
  readonly moreActive?: boolean
}

/** The filters of a list, with a button that clears them. */
export function FilterBar({ active, clear, children, more, moreActive = false }: FilterBarProps) {
  const [opened, { open }] = useDisclosure(false)
  const isOpen = opened || moreActive
  return (
    <Group component="search" className="ph-filters" gap="xs" align="end" aria-label={t('Filters')}>
      {children}
      {isOpen && more}
      {more && !isOpen && (
        <Button size="xs" variant="default" aria-expanded={false} onClick={open}>
          {t('More filters')}
        </Button>
      )}
      {active && (
        <Button size="xs" variant="subtle" onClick={clear}>
          {t('Clear')}
        </Button>
      )}
    </Group>
  )
}

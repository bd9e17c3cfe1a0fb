import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import type { Selection } from './use-selection.ts'

interface SelectionBarProps {
  readonly selection: Selection
  /** The ids of the shown rows. */
  readonly shown: readonly string[]
  /** Offers to select what is on other pages too. */
  readonly selectAll?: ReactNode
  /** The actions for what is selected, which appear with a selection. */
  readonly children: ReactNode
}

/** Above a list: says what is selected, and offers the actions for it. They stay in sight as the reader scrolls. */
export function SelectionBar({ selection, shown, selectAll, children }: SelectionBarProps) {
  const { ids, isAll } = selection
  const isActive = isAll || ids.size > 0
  return (
    <Group
      mih={38}
      py={4}
      gap="md"
      justify="space-between"
      {...(isActive && {
        pos: 'sticky',
        top: 'var(--app-shell-header-offset, 0)',
        bg: 'var(--mantine-color-body)',
      })}
      style={{ zIndex: 6 }}
    >
      <Group gap="sm" role="status">
        <Text size="sm" fw={600}>
          {isAll
            ? t('All that match are selected')
            : ids.size > 0 && t('{size} selected', { size: formatCount(ids.size) })}
        </Text>
        {!isAll && shown.length > 0 && shown.every((id) => ids.has(id)) && selectAll}
        {isActive && (
          <Button size="compact-xs" variant="subtle" onClick={selection.clear}>
            {t('Clear selection')}
          </Button>
        )}
      </Group>
      {isActive && <Group gap="xs">{children}</Group>}
    </Group>
  )
}

import { Button, Checkbox, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'
import './selection.css'
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

/** Above a list: selects its page, says what is selected, and offers the actions for it. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, shown, selectAll, children } = props
  const { ids, isAll } = selection
  const onPage = shown.filter((id) => selection.has(id)).length
  const isPage = shown.length > 0 && onPage === shown.length
  const isActive = isAll || ids.size > 0
  return (
    <Group
      className="ph-selection"
      data-active={isActive || undefined}
      gap="md"
      justify="space-between"
    >
      <Group gap="sm">
        <Checkbox
          size="xs"
          label={isActive ? undefined : t('Select all on this page')}
          aria-label={t('Select all on this page')}
          disabled={shown.length === 0}
          checked={isPage}
          indeterminate={isActive && !isPage}
          onChange={selection.togglePage}
        />
        <Text size="sm" fw={600} role="status">
          {isAll
            ? t('All that match are selected')
            : ids.size > 0 && t('{size} selected', { size: formatCount(ids.size) })}
        </Text>
        {!isAll && isPage && selectAll}
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

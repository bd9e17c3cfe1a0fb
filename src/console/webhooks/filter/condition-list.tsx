import { Box, Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { FilterIssues } from './condition-issues.ts'
import { ConditionRow } from './condition-row.tsx'
import {
  type Condition,
  type ConditionGroup,
  conditionsOf,
  isGroup,
  MAX_CONDITIONS,
  newCondition,
  newGroup,
} from './conditions.ts'
import { placesOf } from './print-conditions.ts'
import type { SuggestedField } from './suggest-fields.ts'
import './filter.css'

interface ConditionListProps {
  readonly group: ConditionGroup
  /** The outermost group. */
  readonly whole?: ConditionGroup
  readonly fields: readonly SuggestedField[]
  readonly issues: FilterIssues
  readonly showsMissing: boolean
  onChange(group: ConditionGroup): void
}

/** The conditions of a group in rows. The outermost group can have groups. */
export function ConditionList({ group, whole = group, onChange, ...shared }: ConditionListProps) {
  const isOutermost = whole === group
  const all = conditionsOf(whole)
  const places = placesOf(whole)
  const isFull = all.length >= MAX_CONDITIONS
  const label = isOutermost ? 'Conditions of the filter' : 'Group of conditions'

  const setPart = (key: string, part: Condition | ConditionGroup | null) =>
    onChange({
      ...group,
      parts: group.parts.flatMap((one) => (one.key === key ? (part ?? []) : one)),
    })

  const add = (part: Condition | ConditionGroup) =>
    onChange({ ...group, parts: [...group.parts, part] })

  return (
    <Stack gap="sm">
      {group.parts.length > 1 && (
        <SegmentedControl
          size="xs"
          style={{ alignSelf: 'start' }}
          aria-label={label}
          data={[
            { value: 'all', label: 'All of these' },
            { value: 'any', label: 'Any of these' },
          ]}
          value={group.mode}
          onChange={(mode) => onChange({ ...group, mode })}
        />
      )}
      {group.parts.map((part) =>
        isGroup(part) ? (
          <Box key={part.key} className="ph-conditions">
            <ConditionList
              {...shared}
              group={part}
              whole={whole}
              onChange={(changed) => setPart(part.key, changed.parts.length > 0 ? changed : null)}
            />
          </Box>
        ) : (
          <ConditionRow
            {...shared}
            key={part.key}
            condition={part}
            number={all.indexOf(part) + 1}
            place={places[all.indexOf(part)] ?? ''}
            onChange={(changed) => setPart(part.key, changed)}
            remove={() => setPart(part.key, null)}
          />
        ),
      )}
      <Group gap="xs">
        <Add label="Add condition" isFull={isFull} onClick={() => add(newCondition())} />
        {isOutermost && (
          <Add
            label="Add group"
            isFull={isFull}
            // Beside "all of", a group of "any of" is what a reader needs.
            onClick={() => add({ ...newGroup(), mode: group.mode === 'all' ? 'any' : 'all' })}
          />
        )}
      </Group>
    </Stack>
  )
}

interface AddProps {
  readonly label: string
  readonly isFull: boolean
  onClick(): void
}

function Add({ label, isFull, onClick }: AddProps) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlus size={14} />}
      disabled={isFull}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

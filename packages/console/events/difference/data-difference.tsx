import { Badge, Box, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { ChangedValue } from '../../components/difference/changed-value.tsx'
import { counted } from '../../lib/format.ts'
import { changesOfData, type DataChange } from './data-changes.ts'

interface DataDifferenceProps {
  readonly previousText: string
  readonly dataText: string
}

/** More would be slow to draw, and nobody reads them. */
const MOST = 200

/** What differs in the data of an event from those before the change that it reports. Import it with `lazy`. */
export function DataDifference({ previousText, dataText }: DataDifferenceProps) {
  const changes = useMemo(() => changesOfData(previousText, dataText), [previousText, dataText])
  const more = changes.length - MOST
  return (
    <Stack gap="md" component="section" aria-label="Changed fields">
      {changes.length === 0 && <Text size="sm">No field differs from before.</Text>}
      {changes.slice(0, MOST).map((change) => (
        <Change key={change.field} change={change} />
      ))}
      {more > 0 && (
        <Text size="sm" c="dimmed">
          {counted(more, 'more field differs.', 'more fields differ.')}
        </Text>
      )}
    </Stack>
  )
}

function Change({ change: { field, before, after } }: { readonly change: DataChange }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600} className="ph-mono" style={{ overflowWrap: 'anywhere' }}>
          {field === '' ? 'the data' : field}
        </Text>
        <Kind before={before} after={after} />
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={4} verticalSpacing={4}>
        {before === null ? (
          <Box visibleFrom="sm" />
        ) : (
          <ChangedValue isBefore>{excerptOf(before)}</ChangedValue>
        )}
        {after !== null && <ChangedValue>{excerptOf(after)}</ChangedValue>}
      </SimpleGrid>
    </Stack>
  )
}

function Kind({ before, after }: Omit<DataChange, 'field'>) {
  if (before === null) return <KindBadge color="green">added</KindBadge>
  return after === null ? <KindBadge color="red">removed</KindBadge> : null
}

function KindBadge({ color, children }: { readonly color: string; readonly children: string }) {
  return (
    <Badge size="xs" variant="light" color={color} c={`var(--posthorn-on-${color})`} tt="none">
      {children}
    </Badge>
  )
}

/** The payload below has the whole value. */
const MAX_LENGTH = 2_000

function excerptOf(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}

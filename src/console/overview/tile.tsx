import { Paper, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface TileProps {
  readonly label: string
  /** Undefined while loading. */
  readonly value: ReactNode | undefined
  readonly note?: ReactNode
}

/** One number. The tile keeps its size while the number loads. */
export function Tile({ label, value, note }: TileProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label} mih={128}>
      <Stack gap={2}>
        <Text component="h2" size="xs" fw={600} c="dimmed" m={0}>
          {label}
        </Text>
        {value === undefined ? (
          <Skeleton h={24} w="60%" my={7} />
        ) : (
          <Text fz={26} fw={650} lh="38px" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {value}
          </Text>
        )}
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      </Stack>
    </Paper>
  )
}

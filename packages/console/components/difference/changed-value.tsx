import { Box, Group, Text } from '@mantine/core'
import { IconMinus, IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface ChangedValueProps {
  readonly isBefore?: boolean
  readonly children: ReactNode
}

/** The value of a field before a change, or after it. */
export function ChangedValue({ children, isBefore = false }: ChangedValueProps) {
  const color = isBefore ? 'red' : 'green'
  const Icon = isBefore ? IconMinus : IconPlus
  return (
    <Group
      gap={8}
      wrap="nowrap"
      align="start"
      px="sm"
      py={6}
      bg={`var(--mantine-color-${color}-light)`}
      bdrs="sm"
    >
      <Box
        role="img"
        aria-label={isBefore ? 'Before' : 'After'}
        c={`var(--posthorn-on-${color})`}
        lh={1}
        pt={4}
      >
        <Icon size={14} />
      </Box>
      <Text
        size="sm"
        className="ph-mono"
        miw={0}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {children}
      </Text>
    </Group>
  )
}

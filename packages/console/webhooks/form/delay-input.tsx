import { ActionIcon, Group, NumberInput, Select, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

const UNITS = [
  { value: '1', label: 'seconds' },
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
]

interface DelayInputProps {
  /** 1 for the first retry. */
  readonly number: number
  readonly seconds: number
  readonly error?: ReactNode
  onChange(seconds: number): void
  remove(): void
}

/** The delay before one retry. The initial unit is the largest that divides the delay. */
export function DelayInput({ number, seconds, error, onChange, remove }: DelayInputProps) {
  const [unit, setUnit] = useState(() => unitOf(seconds))
  const amount = seconds / unit
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Text size="sm" c="dimmed" w={{ base: 20, xs: 110 }} lh="36px" style={{ flex: 'none' }}>
        <Text span inherit visibleFrom="xs">
          {`Retry ${number}`}
        </Text>
        <Text span inherit hiddenFrom="xs">
          {number}
        </Text>
      </Text>
      <NumberInput
        w={{ base: 90, xs: 130 }}
        aria-label={`Delay before retry ${number}`}
        min={1}
        allowNegative={false}
        decimalScale={2}
        value={Number.isFinite(amount) ? amount : ''}
        error={error}
        onChange={(value) => onChange(value === '' ? Number.NaN : Math.round(Number(value) * unit))}
      />
      <Select
        w={{ base: 105, xs: 130 }}
        aria-label={`Unit of the delay before retry ${number}`}
        data={UNITS}
        allowDeselect={false}
        value={String(unit)}
        onChange={(value) => {
          setUnit(Number(value))
          onChange(Math.round(amount * Number(value)))
        }}
      />
      <ActionIcon
        size={36}
        variant="subtle"
        color="gray"
        aria-label={`Remove retry ${number}`}
        onClick={remove}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}

function unitOf(seconds: number): number {
  return [3_600, 60].find((unit) => seconds % unit === 0) ?? 1
}

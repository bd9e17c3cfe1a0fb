import { Button, Group } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { t } from '../../language/t.ts'

export interface Preset {
  readonly label: string
  /** The filters, as query parameters. */
  readonly params: Readonly<Record<string, string>>
}

/** Filters for frequent questions, each one link. */
export function Presets({ presets }: { presets: readonly Preset[] }) {
  const [current] = useSearchParams()
  return (
    <Group component="nav" gap={6} aria-label={t('Quick filters')}>
      {presets.map(({ label, params }) => {
        const isOn = Object.entries(params).every(([name, value]) => current.get(name) === value)
        return (
          <Button
            key={label}
            component={Link}
            to={`?${new URLSearchParams(params)}`}
            size="compact-xs"
            variant={isOn ? 'light' : 'default'}
            aria-current={isOn || undefined}
          >
            {label}
          </Button>
        )
      })}
    </Group>
  )
}

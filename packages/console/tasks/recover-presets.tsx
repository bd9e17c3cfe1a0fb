import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { RECENT_TIMES } from '../components/filters/recent-times.ts'
import { t } from '../language/t.ts'

interface RecoverPresetsProps {
  /** The start of the current failures, if the last attempt failed. */
  readonly failingFrom: string | null
  readonly since: string | null
  readonly until: string | null
  choose(since: string): void
}

/** Common time ranges, each up to now. */
export function RecoverPresets({ failingFrom, since, until, choose }: RecoverPresetsProps) {
  const [chosen, setChosen] = useState<{ label: string; since: string } | null>(null)
  const presets = [
    ...(failingFrom ? [{ label: 'Since failures began', from: () => failingFrom }] : []),
    ...RECENT_TIMES.map(({ label, ms }) => ({
      label: t(label),
      from: () => new Date(Date.now() - ms).toISOString(),
    })),
  ]
  return (
    <Group gap="xs" role="group" aria-label="Common times">
      {presets.map(({ label, from }) => {
        const isChosen =
          until === null &&
          (chosen?.since === since ? chosen.label === label : since !== null && from() === since)
        return (
          <Button
            key={label}
            size="xs"
            variant={isChosen ? 'light' : 'default'}
            aria-pressed={isChosen}
            onClick={() => {
              const next = from()
              setChosen({ label, since: next })
              choose(next)
            }}
          >
            {label}
          </Button>
        )
      })}
    </Group>
  )
}

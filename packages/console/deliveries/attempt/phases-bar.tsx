import { ColorSwatch, Group, Progress, Text } from '@mantine/core'
import type { AttemptStepFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'

const PHASES = [
  ['lookupMs', 'Look-up', 'var(--posthorn-mark-gray)'],
  ['connectMs', 'Connect', 'var(--posthorn-mark-violet)'],
  ['tlsMs', 'TLS', 'var(--posthorn-mark-blue)'],
  ['waitingMs', t('Waiting'), 'var(--posthorn-mark-orange)'],
  ['bodyMs', t('Body'), 'var(--posthorn-mark-green)'],
] as const

/** Where the time of an attempt went: one thin bar with a legend. */
export function PhasesBar({ attempt }: { attempt: AttemptStepFragment }) {
  const { phases, durationMs, resent } = attempt
  const shown = PHASES.flatMap(([name, label, color]) => {
    const ms = phases[name]
    return ms == null ? [] : [{ label, color, ms }]
  })
  return (
    <figure aria-label="Where the time went" style={{ margin: 0 }}>
      <Progress.Root size={6} aria-hidden>
        {shown.map(({ label, color, ms }) => (
          <Progress.Section
            key={label}
            value={(100 * ms) / Math.max(1, durationMs)}
            color={color}
          />
        ))}
      </Progress.Root>
      <Group component="figcaption" gap="2px 14px" mt={6} fz="xs" c="dimmed">
        {phases.connectionReused && <span>Connection reused</span>}
        {shown.map(({ label, color, ms }) => (
          <Group key={label} gap={6} wrap="nowrap">
            <ColorSwatch size={8} color={color} radius={2} withShadow={false} />
            {label}
            <Text inherit span fw={600} c="var(--mantine-color-text)">
              {formatDuration(ms)}
            </Text>
          </Group>
        ))}
        <span>{`${formatDuration(durationMs)} in total`}</span>
        {resent && <span>Sent twice, because the reused connection was already closed.</span>}
      </Group>
    </figure>
  )
}

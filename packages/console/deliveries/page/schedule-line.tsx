import './schedule-line.css'
import { Text, Tooltip } from '@mantine/core'
import { Time } from '../../components/time.tsx'
import type { AttemptStepFragment, DeliveryQuery } from '../../generated/graphql.ts'
import { counted, formatDateTime, formatDuration } from '../../lib/format.ts'
import { scheduleOf } from './schedule.ts'

interface ScheduleLineProps {
  readonly delivery: NonNullable<DeliveryQuery['delivery']>
  /** Oldest first. */
  readonly attempts: readonly AttemptStepFragment[]
  open(attemptId: string): void
}

/** So many attempts have room for their texts on a phone, and so many need a screen. */
const FEW = 4
const MANY = 10

/** The attempts so far, and those that follow if each of them fails, on one line. */
export function ScheduleLine({ delivery, attempts, open }: ScheduleLineProps) {
  const { made, planned, hidden, more } = scheduleOf(delivery, attempts)
  return (
    <div className="ph-schedule">
      <ol
        aria-label="Past and planned attempts, in order"
        data-few={made.length + planned.length <= FEW || undefined}
        data-many={made.length + planned.length > MANY || undefined}
      >
        {hidden > 0 && (
          <li className="ph-schedule-count">
            {counted(hidden, 'earlier attempt', 'earlier attempts')}
          </li>
        )}
        {made.map(({ id, number, startedAt, succeeded, result, gapMs }) => (
          <li key={id} data-gap={gapMs === null ? undefined : formatDuration(gapMs)}>
            <Dot
              label={`No. ${number}: ${result}, ${formatDateTime(startedAt)}`}
              kind={succeeded ? 'succeeded' : 'failed'}
              onClick={() => open(id)}
            />
            <span>{result}</span>
          </li>
        ))}
        {planned.map(({ number, at, gapMs }) => (
          <li key={number} data-gap={gapMs === null ? undefined : formatDuration(gapMs)}>
            <Dot label={`No. ${number}, planned: ${formatDateTime(at)}`} kind="planned" />
            <span>{number}</span>
          </li>
        ))}
        {more > 0 && <li className="ph-schedule-count">{`${more} more`}</li>}
      </ol>
      <Text size="xs" c="dimmed" component="div">
        <Ending delivery={delivery} />
      </Text>
    </div>
  )
}

interface DotProps {
  readonly label: string
  readonly kind: 'succeeded' | 'failed' | 'planned'
  onClick?(): void
}

function Dot({ label, kind, onClick }: DotProps) {
  return (
    <Tooltip label={label} events={{ hover: true, focus: true, touch: true }}>
      {onClick ? (
        <button
          type="button"
          className="ph-schedule-dot"
          data-kind={kind}
          aria-label={label}
          onClick={onClick}
        />
      ) : (
        <span className="ph-schedule-dot" data-kind={kind} role="img" aria-label={label} />
      )}
    </Tooltip>
  )
}

/** What follows the last attempt. */
function Ending({ delivery: { state, plannedAttempts } }: Pick<ScheduleLineProps, 'delivery'>) {
  const last = plannedAttempts.at(-1)
  if (last) {
    if (plannedAttempts.length === 1) return 'If this attempt fails, no retries are left.'
    return (
      <>
        Up to {plannedAttempts.length} more attempts; the last <Time at={last} />. Jitter and
        Retry-After can delay them.
      </>
    )
  }
  if (state === 'WAITING') return 'Waiting, without a planned time.'
  if (state === 'EXHAUSTED') return 'No retries left.'
  return state === 'CANCELED' ? 'Canceled.' : null
}

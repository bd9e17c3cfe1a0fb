import { t } from '../../language/t.ts'
import './phases-bar.css'
import type { AttemptStepFragment } from '../../generated/graphql.ts'
import { formatDuration } from '../../lib/format.ts'

type Attempt = Pick<AttemptStepFragment, 'phases' | 'durationMs'>

const PHASES = ['lookup', 'connect', 'tls', 'waiting', 'body'] as const

/** One thin bar that shows where the time of an attempt went, with a legend. */
export function PhasesBar({ attempt: { phases, durationMs } }: { attempt: Attempt }) {
  const shown = PHASES.flatMap((phase) => {
    const ms = phases[`${phase}Ms`]
    return ms == null ? [] : [{ phase, ms }]
  })
  if (shown.length === 0) return null
  return (
    <figure className="ph-phases" aria-label="Where the time went">
      <div className="ph-phases-bar" aria-hidden>
        {shown.map(
          ({ phase, ms }) =>
            ms > 0 && <span key={phase} data-phase={phase} style={{ flexGrow: ms }} />,
        )}
      </div>
      <figcaption>
        {phases.connectionReused && <span>Connection reused</span>}
        {shown.map(({ phase, ms }) => (
          <span key={phase} data-phase={phase}>
            {LABELS[phase]} <b>{formatDuration(ms)}</b>
          </span>
        ))}
        <span>{`${formatDuration(durationMs)} in total`}</span>
      </figcaption>
    </figure>
  )
}

const LABELS = {
  lookup: 'Look-up',
  connect: 'Connect',
  tls: 'TLS',
  waiting: t('Waiting'),
  body: t('Body'),
}

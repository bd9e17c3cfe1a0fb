import './phases-bar.css'
import { formatDuration } from '../../format.ts'
import type { AttemptStepFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

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
    <figure className="ph-phases" aria-label={t('deliveries:phases.title')}>
      <div className="ph-phases-bar" aria-hidden>
        {shown.map(
          ({ phase, ms }) =>
            ms > 0 && <span key={phase} data-phase={phase} style={{ flexGrow: ms }} />,
        )}
      </div>
      <figcaption>
        {phases.connectionReused && <span>{t('deliveries:phases.reused')}</span>}
        {shown.map(({ phase, ms }) => (
          <span key={phase} data-phase={phase}>
            {t(`deliveries:phases.${phase}`)} <b>{formatDuration(ms)}</b>
          </span>
        ))}
        <span>{t('deliveries:phases.total', { time: formatDuration(durationMs) })}</span>
      </figcaption>
    </figure>
  )
}

import type { StreamState } from '../follow.ts'
import { type Failure, outcomeText, STREAM_STATES, timeText } from '../words.ts'

export interface AttemptView extends Failure {
  readonly id: string
  readonly succeeded: boolean
  readonly number: number
  readonly recordedAt: string
  readonly webhook?: { readonly url: string } | null | undefined
}

export interface AttemptLogProps {
  readonly state: StreamState
  /** The newest first. */
  readonly attempts: readonly AttemptView[]
}

export function AttemptLog({ state, attempts }: AttemptLogProps) {
  return (
    <section className="log" aria-label="Deliveries">
      <div className="heading">
        <h2>Deliveries</h2>
        <span role="status" className={`state ${state}`}>
          {STREAM_STATES[state]}
        </span>
      </div>
      {attempts.length === 0 && <p className="empty quiet">No attempt yet.</p>}
      <ul>
        {attempts.map((attempt) => (
          <li key={attempt.id} data-id={attempt.id}>
            <span className={attempt.succeeded ? 'succeeded' : 'failed'}>
              {outcomeText(attempt)}
            </span>
            <time className="quiet" dateTime={attempt.recordedAt}>
              {timeText(attempt.recordedAt)}
            </time>
            <span className="quiet">
              {attempt.webhook?.url ?? 'Deleted webhook'}, attempt {attempt.number}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { ReactNode } from 'react'
import { backlogText, type Failure, failureText, stateText, timeText } from '../words.ts'

export interface WebhookView {
  readonly id: string
  readonly url: string
  readonly description?: string | null | undefined
  readonly health: { readonly state: string }
  readonly lastFailure?: (Failure & { readonly recordedAt: string }) | null | undefined
  readonly backlog: { readonly count: number }
}

export interface WebhookListProps {
  readonly children: ReactNode
  readonly isEmpty: boolean
  /** Loads the next page. Null: there is none. */
  readonly onMore: (() => void) | null
}

export function WebhookList({ children, isEmpty, onMore }: WebhookListProps) {
  return (
    <section className="webhooks" aria-label="Webhooks">
      <h2>Your webhooks</h2>
      {isEmpty ? <p className="empty quiet">No webhook yet.</p> : <ul>{children}</ul>}
      {onMore && (
        <button type="button" onClick={onMore}>
          Show more
        </button>
      )}
    </section>
  )
}

export function WebhookCard({ webhook, onEdit }: { webhook: WebhookView; onEdit: () => void }) {
  const { url, description, health, lastFailure, backlog } = webhook
  return (
    <li className="card">
      <div className="heading">
        <h3>{url}</h3>
        <span className={`state ${health.state.toLowerCase()}`}>{stateText(health.state)}</span>
      </div>
      {description && <p>{description}</p>}
      <p className="quiet">
        {lastFailure
          ? `Last failure: ${failureText(lastFailure)} ${timeText(lastFailure.recordedAt)}`
          : 'No failure on record'}
      </p>
      <div className="heading">
        <span className="quiet">{backlogText(backlog.count)}</span>
        <button type="button" onClick={onEdit} aria-label={`Edit ${url}`}>
          Edit
        </button>
      </div>
    </li>
  )
}

import { EmptyState } from '../components/page/empty-state.tsx'
import { AuditList } from './audit-list.tsx'

/** Who changed a webhook, and when. */
export function WebhookHistory({ webhookId }: { webhookId: string }) {
  return (
    <AuditList
      label="History, newest first"
      filter={{ subjectIds: [webhookId] }}
      empty={
        <EmptyState title="No history">
          Changes of this webhook appear here. The audit log is kept for a limited time.
        </EmptyState>
      }
    />
  )
}

import { AUDIT_ACTIONS, type AuditAction } from './audit-entry.ts'

/** The kinds of objects that changes are about. */
export type SubjectKind =
  | 'webhook'
  | 'api_key'
  | 'session'
  | 'delivery'
  | 'bulk_task'
  | 'event_type'
  | 'organization'
  | 'encryption'
  | 'notices'
  | 'incident'
  | 'consumer'

type Noun = AuditAction extends `${infer Before}.${string}` ? Before : never

const KIND_OF_NOUN: Readonly<Record<Noun, SubjectKind>> = {
  webhook: 'webhook',
  signing_secret: 'webhook',
  custom_headers: 'webhook',
  api_key: 'api_key',
  session: 'session',
  portal_session: 'session',
  frontend_session: 'session',
  delivery: 'delivery',
  bulk_task: 'bulk_task',
  event_type: 'event_type',
  organization: 'organization',
  encryption: 'encryption',
  operational_events: 'notices',
  notice_address: 'notices',
  incident: 'incident',
  consumer: 'consumer',
}

/** The actions whose subjects are of one of these kinds. */
export function actionsAbout(kinds: readonly SubjectKind[]): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => {
    const [noun] = action.split('.') as [Noun]
    return kinds.includes(KIND_OF_NOUN[noun])
  })
}

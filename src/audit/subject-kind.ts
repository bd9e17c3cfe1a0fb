import { AUDIT_ACTIONS, type AuditAction } from './audit-entry.ts'

type Noun = AuditAction extends `${infer Before}.${string}` ? Before : never

/** Of the nouns in actions that are no kind of their own. */
const KIND_OF_NOUN = {
  signing_secret: 'webhook',
  custom_headers: 'webhook',
  portal_session: 'session',
  frontend_session: 'session',
  operational_events: 'alerts',
  alert_address: 'alerts',
} as const satisfies Partial<Record<Noun, string>>

/** The kinds of objects that changes are about. */
export type SubjectKind = Exclude<Noun, keyof typeof KIND_OF_NOUN> | 'alerts'

/** The actions whose subjects are of one of these kinds. */
export function actionsAbout(kinds: readonly SubjectKind[]): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) => {
    const [noun = ''] = action.split('.')
    const kind = { ...KIND_OF_NOUN }[noun as keyof typeof KIND_OF_NOUN] ?? noun
    return kinds.includes(kind as SubjectKind)
  })
}

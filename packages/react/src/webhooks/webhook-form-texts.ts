import type { Issue } from '../client/posthorn-error.ts'
import type { CommonTexts } from '../components/texts.ts'
import type { WebhookConflict } from './webhook-conflict.ts'

export interface WebhookFormTexts extends CommonTexts {
  /** The name of the form that creates a webhook. */
  readonly create: string
  /** The name of the form that edits a webhook. */
  readonly edit: string
  readonly url: string
  readonly urlHint: string
  readonly description: string
  readonly eventSubscriptions: string
  readonly enabled: string
  readonly save: string
  readonly saving: string
  readonly saved: string
  /** Above the fields, if some of them have problems. */
  readonly hasIssues: string
  /** Instead of the form, if the session may not change webhooks. */
  readonly readOnly: string
  readonly noEventTypes: string
  /** The problem of a field, which Posthorn describes in English. */
  issue(issue: Issue): string
  /** Above the fields that somebody else changed while the user edited them. */
  readonly conflict: string
  readonly mine: string
  /** The value of the other: who changed the field and when, as far as the session may know. */
  theirs(conflict: WebhookConflict): string
  readonly keepMine: string
  readonly takeTheirs: string
  /** The label of a field that is yours, such as `timeoutSeconds`. */
  otherField(name: string): string
  /** A value of any field. */
  value(value: WebhookConflict['theirs']): string
}

export const WEBHOOK_FORM_TEXTS: Omit<WebhookFormTexts, keyof CommonTexts> = {
  create: 'New webhook',
  edit: 'Edit webhook',
  url: 'URL',
  urlHint: 'The HTTPS address that receives the events.',
  description: 'Description',
  eventSubscriptions: 'Event types',
  enabled: 'Enabled',
  save: 'Save',
  saving: 'Saving…',
  saved: 'Saved.',
  hasIssues: 'Not saved. Correct the fields below.',
  readOnly: 'You may not change webhooks.',
  noEventTypes: 'There are no event types.',
  issue: ({ message }) => message,
  conflict:
    'Somebody else changed the same fields. Nothing was saved yet. Choose a value for each field, then save.',
  mine: 'Yours',
  theirs: ({ changedBy, changedAt }) =>
    [
      changedBy === null ? 'Changed' : `Changed by ${changedBy}`,
      changedAt && new Date(changedAt).toLocaleString(),
    ]
      .filter(Boolean)
      .join(', '),
  keepMine: 'Keep mine',
  takeTheirs: 'Take theirs',
  otherField: (name) => name,
  value: valueText,
}

function valueText(value: WebhookConflict['theirs']): string {
  if (value === null || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (typeof value !== 'object') return String(value)
  const entries = value.map((entry) => (typeof entry === 'object' ? entry.name : String(entry)))
  return entries.join(', ') || 'None'
}

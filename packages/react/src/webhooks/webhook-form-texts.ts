import type { Issue } from '../client/posthorn-error.ts'
import type { CommonTexts } from '../components/texts.ts'

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
}

import type { NewWebhook } from '../webhooks/webhook-fields.ts'

/** An organization as a former sender has it: its application or tenant. */
export interface FormerOrganization {
  readonly uid: string
  readonly name: string
  readonly metadata: Readonly<Record<string, string>>
  readonly webhooks: readonly FormerWebhook[]
  /** What of the organization itself cannot be taken over, in sentences. */
  readonly lacks: readonly string[]
}

/** A webhook as a former sender has it. */
export interface FormerWebhook {
  readonly uid: string
  /** The fields of the new webhook. Null: Posthorn has nothing like it, and `lacks` says why. */
  readonly fields: Omit<NewWebhook, 'uid' | 'enabled'> | null
  readonly wasEnabled: boolean
  /** What cannot be taken over, in sentences. Somebody has to look at the webhook before it is enabled. */
  readonly lacks: readonly string[]
}

/** What the body of deliveries is: the data of the event alone, as the former sender sent, or Posthorn's whole event. */
export type Body = 'data' | 'event'

/** The whole body is the `data` of the event. */
export function templateOf(body: Body): string | null {
  return body === 'data' ? '{{ $ }}' : null
}

/** Of a former sender that names nothing: the id. A text of white space is no name. */
export function nameOf(name: string | null | undefined, id: string): string {
  return name?.trim() || id
}

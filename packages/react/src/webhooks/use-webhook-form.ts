import { useId, useRef, useState } from 'react'
import type { EditConflict, Issue, PosthornError } from '../client/posthorn-error.ts'
import {
  PosthornCreateWebhookDocument,
  PosthornUpdateWebhookDocument,
  PosthornWebhookFormDocument,
} from '../generated/graphql.ts'
import { useIsMounted } from '../query/use-is-mounted.ts'
import { usePosthornMutation } from '../query/use-posthorn-mutation.ts'
import { usePosthornQuery } from '../query/use-posthorn-query.ts'
import { notFound, type WebhookSettings } from './use-webhook.ts'
import { conflictsOf, type WebhookConflict } from './webhook-conflict.ts'
import {
  changesOf,
  editOf,
  inputOf,
  NEW_WEBHOOK,
  newWebhookOf,
  valuesOf,
  type WebhookValues,
} from './webhook-values.ts'

export interface WebhookFormOptions {
  /** The webhook to edit. Without it, the form creates one. */
  readonly webhookId?: string | undefined
  /** The first values of a new webhook. Default: empty and enabled. */
  readonly initialValues?: Partial<WebhookValues> | undefined
  /** Called after Posthorn has saved the webhook, unless the form is no longer on the page. */
  onSaved?(webhook: WebhookSettings): void
}

export interface WebhookForm {
  readonly values: WebhookValues
  setValue<Name extends keyof WebhookValues>(name: Name, value: WebhookValues[Name]): void
  /** Whether a value differs from the saved webhook. */
  readonly isChanged: boolean
  /** The problems that Posthorn found in the last submitted values. Typing in a field removes those of the field. */
  readonly issues: readonly Issue[]
  /** The problems of a field, or of a part of it: `issuesOf('headers', 'x-team')`. */
  issuesOf(...path: [keyof WebhookValues, ...string[]]): readonly Issue[]
  /** The event types to choose from: those of the catalogue, and those that the webhook already receives. */
  readonly eventTypes: readonly EventType[]
  /** Saves the changed values. Resolves to the saved webhook, or to null if there is an error. */
  submit(): Promise<WebhookSettings | null>
  readonly isSubmitting: boolean
  /** Whether the values are those of the last submit, which succeeded. */
  readonly isSaved: boolean
  /** Restores the values of the saved webhook. */
  reset(): void
  /** Whether the event types and the webhook are being read. */
  readonly isLoading: boolean
  /** Why there is nothing to edit. */
  readonly loadError: PosthornError | null
  /** Why the last submit failed. */
  readonly error: PosthornError | null
  /** The fields that somebody else changed in the meantime and that the user has not decided yet. */
  readonly conflicts: readonly WebhookConflict[]
  /** Decides a conflict: the next submit overwrites the change of the other. */
  keepMine(name: keyof WebhookValues): void
  /** Decides a conflict: the form gets the value of the other. */
  takeTheirs(name: keyof WebhookValues): void
  readonly scopes: readonly string[]
  reload(): void
}

export interface EventType {
  readonly name: string
  /** Null for an archived event type, which the webhook still receives. */
  readonly description: string | null
}

/** A form that creates or edits a webhook. What the user types stays when a request fails. */
export function useWebhookForm(options: WebhookFormOptions = {}): WebhookForm {
  const { webhookId, initialValues, onSaved } = options
  const isEdit = webhookId !== undefined
  const query = usePosthornQuery(PosthornWebhookFormDocument, { id: webhookId ?? '', isEdit })
  const creation = usePosthornMutation(PosthornCreateWebhookDocument)
  const update = usePosthornMutation(PosthornUpdateWebhookDocument)
  const [state, setState] = useState(() => emptyState(webhookId))
  // Another webhook is another form.
  if (state.webhookId !== webhookId) setState(emptyState(webhookId))
  const current = state.webhookId === webhookId ? state : emptyState(webhookId)
  const idempotency = useIdempotencyKey()
  const isMounted = useIsMounted()

  const saved = isEdit ? newer(current.saved, query.data?.webhook ?? null) : null
  const base = saved ? valuesOf(saved) : { ...NEW_WEBHOOK, ...initialValues }
  const values = { ...base, ...current.edits }
  const change = (next: (before: FormState) => Partial<FormState>) =>
    setState((before) => (before.webhookId === webhookId ? { ...before, ...next(before) } : before))

  async function submit(): Promise<WebhookSettings | null> {
    if (current.isSubmitting) return null
    change(() => ({ isSubmitting: true }))
    const result = isEdit
      ? await update.run({
          id: webhookId,
          input: {
            ...inputOf(changesOf(values, base)),
            ifRevision: current.basedOn ?? saved?.revision ?? null,
          },
        })
      : await creation.run({
          input: { ...newWebhookOf(values), idempotencyKey: idempotency.keyOf(values) },
        })
    if (!isMounted.current) return result.ok ? result.value.webhook : null
    if (!result.ok) {
      const { error } = result
      const { issues, conflict = null } = error
      change(() => ({ isSubmitting: false, error, issues, conflict }))
      return null
    }
    const { webhook } = result.value
    idempotency.forget()
    change((before) => {
      // What the user typed while the request ran is not saved yet.
      const edits = isEdit ? without(before.edits, current.edits) : {}
      const basedOn = Object.keys(edits).length > 0 ? webhook.revision : null
      return { ...SUBMITTED, saved: webhook, edits, basedOn }
    })
    onSaved?.(webhook)
    return webhook
  }

  function decide(name: keyof WebhookValues, edits: Partial<WebhookValues> = {}) {
    change((before) => {
      const fields = before.conflict?.fields.filter((field) => field.name !== name) ?? []
      const changed = { edits: { ...before.edits, ...edits }, isSaved: false }
      if (!before.conflict) return {}
      if (fields.length > 0) return { ...changed, conflict: { ...before.conflict, fields } }
      return { ...changed, conflict: null, error: null, basedOn: before.conflict.revision }
    })
  }

  const conflicts = conflictsOf(current.conflict)
  return {
    values,
    setValue: (name, value) =>
      change(({ edits, issues, basedOn }) => ({
        basedOn: basedOn ?? saved?.revision ?? null,
        edits: { ...edits, ...editOf(name, value) },
        issues: issues.filter(({ path }) => path[0] !== name),
        isSaved: false,
      })),
    isChanged: Object.keys(changesOf(values, base)).length > 0,
    issues: current.issues,
    issuesOf: (...path) =>
      current.issues.filter((issue) => path.every((part, i) => issue.path[i] === part)),
    eventTypes: eventTypesOf(query.data?.eventTypes ?? [], base.eventSubscriptions),
    submit,
    isSubmitting: current.isSubmitting,
    isSaved: current.isSaved,
    reset: () => change(() => emptyState(webhookId)),
    isLoading: query.isLoading && query.data === null,
    loadError: query.data
      ? isEdit && !query.data.webhook
        ? notFound(webhookId)
        : null
      : query.error,
    error: current.error,
    conflicts,
    keepMine: (name) => decide(name),
    takeTheirs(name) {
      const conflict = conflicts.find((field) => field.name === name)
      if (conflict) decide(name, editOf(name, conflict.theirs))
    },
    scopes: query.data?.viewer.scopes ?? [],
    reload: query.reload,
  }
}

interface FormState {
  readonly webhookId: string | undefined
  readonly edits: Partial<WebhookValues>
  /** The revision that the user saw before the first edit. Null without edits. */
  readonly basedOn: number | null
  readonly conflict: EditConflict | null
  readonly saved: WebhookSettings | null
  readonly issues: readonly Issue[]
  readonly error: PosthornError | null
  readonly isSubmitting: boolean
  readonly isSaved: boolean
}

const SUBMITTED = {
  issues: [],
  error: null,
  conflict: null,
  basedOn: null,
  isSubmitting: false,
  isSaved: true,
} as const

const emptyState = (webhookId: string | undefined): FormState => ({
  ...SUBMITTED,
  webhookId,
  edits: {},
  saved: null,
  isSaved: false,
})

function newer(one: WebhookSettings | null, other: WebhookSettings | null): WebhookSettings | null {
  if (one === null || other === null) return one ?? other
  return one.updatedAt >= other.updatedAt ? one : other
}

/** A repeated submit of the same values, after a lost answer, creates no second webhook. */
function useIdempotencyKey() {
  const form = useId()
  const used = useRef<{ values: string; key: string } | null>(null)
  return {
    keyOf(values: WebhookValues): string {
      const text = JSON.stringify(values)
      if (used.current?.values !== text) {
        const random = [...crypto.getRandomValues(new Uint32Array(4))].join('-')
        used.current = { values: text, key: `form-${form}-${random}` }
      }
      return used.current.key
    },
    forget() {
      used.current = null
    },
  }
}

/** The edits that were made after these. */
function without(
  edits: Partial<WebhookValues>,
  submitted: Partial<WebhookValues>,
): Partial<WebhookValues> {
  return Object.fromEntries(
    Object.entries(edits).filter(
      ([name, value]) => submitted[name as keyof WebhookValues] !== value,
    ),
  )
}

function eventTypesOf(
  catalogue: readonly { readonly name: string; readonly description: string }[],
  subscribed: readonly string[],
): EventType[] {
  const archived = subscribed.filter((name) => !catalogue.some((type) => type.name === name))
  return [...catalogue, ...archived.map((name) => ({ name, description: null }))]
}

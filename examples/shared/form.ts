/** What the form sends: the input of `createWebhook` and `updateWebhook`. */
export interface WebhookInput {
  readonly url: string
  readonly description: string
  readonly eventSubscriptions: string[]
  readonly enabled: boolean
}

/** The messages of a rejected form by the name of the field. `form` has those of no field. */
export type FormErrors = Readonly<Record<string, string>>

export function inputOf(form: HTMLFormElement): WebhookInput {
  const data = new FormData(form)
  return {
    url: String(data.get('url')).trim(),
    description: String(data.get('description')).trim(),
    eventSubscriptions: data.getAll('eventSubscriptions').map(String),
    enabled: data.has('enabled'),
  }
}

export interface UserError {
  readonly message?: string
  readonly issues?:
    | readonly { readonly path: readonly string[]; readonly message: string }[]
    | undefined
}

/** The first message of each field, by the paths of the issues. */
export function errorsOf({
  message = 'The webhook was not saved.',
  issues = [],
}: UserError): FormErrors {
  const errors: Record<string, string> = {}
  for (const issue of issues) errors[issue.path[0] ?? 'form'] ??= issue.message
  return issues.length > 0 ? errors : { form: message }
}

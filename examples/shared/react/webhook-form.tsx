import { type FormEvent, useState } from 'react'
import { type FormErrors, inputOf, type WebhookInput } from '../form.ts'

export interface WebhookFormProps {
  /** The webhook to edit. Null: the form creates one. */
  readonly webhook: WebhookFields | null
  readonly eventTypes: readonly { readonly name: string }[]
  /** Resolves to the errors of the fields: none if the webhook was saved. Rejects if there was no answer. */
  readonly save: (input: WebhookInput) => Promise<FormErrors>
  readonly onClose: () => void
}

export interface WebhookFields extends Omit<WebhookInput, 'description' | 'eventSubscriptions'> {
  readonly description?: string | null | undefined
  readonly eventSubscriptions: readonly { readonly name: string }[]
}

/** The fields keep their own values, so nothing that happens behind the page changes what is typed. */
export function WebhookForm({ webhook, eventTypes, save, onClose }: WebhookFormProps) {
  const [errors, setErrors] = useState<FormErrors>({})
  const [isSaving, setIsSaving] = useState(false)
  const [isSaved, setIsSaved] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    setIsSaving(true)
    setIsSaved(false)
    const found = await save(inputOf(form)).catch((error: Error) => ({ form: error.message }))
    setErrors(found)
    setIsSaving(false)
    if (Object.keys(found).length > 0) return
    setIsSaved(true)
    if (webhook) onClose()
    else form.reset()
  }

  const field = (name: string) => ({
    name,
    'aria-invalid': errors[name] !== undefined,
    'aria-describedby': `${name}-error`,
  })
  return (
    <section aria-label="Form">
      <h2>{webhook ? 'Edit webhook' : 'New webhook'}</h2>
      <form onSubmit={submit}>
        <div className="field">
          <label htmlFor="url">URL</label>
          <input
            id="url"
            type="text"
            inputMode="url"
            defaultValue={webhook?.url}
            {...field('url')}
          />
          <FieldError name="url" errors={errors} />
        </div>
        <div className="field">
          <label htmlFor="description">Description</label>
          <input
            id="description"
            type="text"
            defaultValue={webhook?.description ?? ''}
            {...field('description')}
          />
          <FieldError name="description" errors={errors} />
        </div>
        <fieldset aria-describedby="eventSubscriptions-error">
          <legend>Event types</legend>
          {eventTypes.map(({ name }) => (
            <label key={name} className="choice">
              <input
                type="checkbox"
                name="eventSubscriptions"
                value={name}
                defaultChecked={webhook?.eventSubscriptions.some((type) => type.name === name)}
              />
              {name}
            </label>
          ))}
          <FieldError name="eventSubscriptions" errors={errors} />
        </fieldset>
        <label className="choice">
          <input type="checkbox" name="enabled" defaultChecked={webhook?.enabled ?? true} />
          Enabled
        </label>
        <FieldError name="form" errors={errors} />
        <div className="actions">
          <button type="submit" disabled={isSaving}>
            {webhook ? 'Save' : 'Create'}
          </button>
          {webhook && (
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          )}
          <span role="status">{isSaved && 'Saved'}</span>
        </div>
      </form>
    </section>
  )
}

function FieldError({ name, errors }: { name: string; errors: FormErrors }) {
  return (
    errors[name] !== undefined && (
      <p className="error" id={`${name}-error`}>
        {errors[name]}
      </p>
    )
  )
}

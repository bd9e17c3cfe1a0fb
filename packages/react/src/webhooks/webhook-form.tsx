import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { elementsOf, partsOf } from '../components/look.ts'
import { ErrorNotice, Loading, viewStateOf } from '../components/notice.tsx'
import { COMMON_TEXTS } from '../components/texts.ts'
import { EventTypeFieldset } from './event-type-fieldset.tsx'
import { Field } from './field.tsx'
import {
  type WebhookForm as Form,
  useWebhookForm,
  type WebhookFormOptions,
} from './use-webhook-form.ts'
import { WebhookConflicts } from './webhook-conflicts.tsx'
import type { WebhookFormLook } from './webhook-form-look.ts'
import { WEBHOOK_FORM_TEXTS } from './webhook-form-texts.ts'

export interface WebhookFormProps extends WebhookFormOptions, WebhookFormLook {
  /** Your fields, after those of the form: for headers, limits or the retry schedule. */
  renderFields?(form: Form): ReactNode
  /** Your buttons beside Save, such as Cancel. */
  renderActions?(form: Form): ReactNode
}

/** Creates a webhook or, with `webhookId`, edits one. Give it another `key` to create another webhook. */
export function WebhookForm(props: WebhookFormProps) {
  const { webhookId, initialValues, onSaved, className, classNames } = props
  const texts = { ...COMMON_TEXTS, ...WEBHOOK_FORM_TEXTS, ...props.texts }
  const form = useWebhookForm({ webhookId, initialValues, ...(onSaved && { onSaved }) })
  const element = useRef<HTMLFormElement>(null)
  const part = partsOf(classNames)
  const { Button, Input } = elementsOf(props.elements)
  const enabledId = useId()
  const isReadOnly = form.scopes.length > 0 && !form.scopes.includes('webhooks:write')
  const view = viewStateOf(form.loadError, form.isLoading || form.loadError ? null : [form])
  const state = isReadOnly ? 'forbidden' : view

  function submit(event: FormEvent) {
    event.preventDefault()
    void form.submit()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: each failed submit has an error of its own
  useEffect(() => {
    element.current?.querySelector<HTMLElement>(FIRST_PROBLEM)?.focus()
  }, [form.error])

  const label = webhookId === undefined ? texts.create : texts.edit
  return (
    <section
      data-posthorn="webhook-form"
      data-state={state}
      data-submit={
        form.isSubmitting ? 'running' : form.error ? 'failed' : form.isSaved ? 'saved' : 'idle'
      }
      aria-label={label}
      className={className}
    >
      {state === 'loading' && <Loading look={props} texts={texts} />}
      {form.loadError && (
        <ErrorNotice look={props} texts={texts} error={form.loadError} onRetry={form.reload} />
      )}
      {isReadOnly && (
        <p role="status" {...part('read-only')}>
          {texts.readOnly}
        </p>
      )}
      {state === 'ready' && (
        // Posthorn checks the values, and describes every problem.
        <form ref={element} noValidate onSubmit={submit}>
          <Summary form={form} look={props} hasOwnFields={props.renderFields !== undefined} />
          <WebhookConflicts form={form} look={props} />
          <Field
            name="url"
            type="url"
            label={texts.url}
            hint={texts.urlHint}
            form={form}
            look={props}
          />
          <Field
            name="description"
            type="text"
            label={texts.description}
            form={form}
            look={props}
          />
          <EventTypeFieldset form={form} look={props} />
          <div {...part('field')}>
            <Input
              id={enabledId}
              name="enabled"
              type="checkbox"
              checked={form.values.enabled}
              onChange={(event) => form.setValue('enabled', event.currentTarget.checked)}
              {...part('input')}
            />
            <label htmlFor={enabledId} {...part('label')}>
              {texts.enabled}
            </label>
          </div>
          {props.renderFields?.(form)}
          <Button type="submit" disabled={form.isSubmitting} {...part('save')}>
            {form.isSubmitting ? texts.saving : texts.save}
          </Button>
          {props.renderActions?.(form)}
          <p role="status" {...part('saved')}>
            {form.isSaved ? texts.saved : ''}
          </p>
        </form>
      )}
    </section>
  )
}

const FIRST_PROBLEM = '[aria-invalid="true"], [data-part="conflict"] button'

/** What only fields of the host show. */
const OF_THE_HOST = ['headers', 'selection', 'template']

interface SummaryProps {
  readonly form: Form
  readonly look: WebhookFormLook
  /** Whether the host renders fields. Without them, some problems have no other place. */
  readonly hasOwnFields: boolean
}

/** Why the last submit failed. */
function Summary({ form, look, hasOwnFields }: SummaryProps) {
  const texts = { ...COMMON_TEXTS, ...WEBHOOK_FORM_TEXTS, ...look.texts }
  if (form.error === null || form.conflicts.length > 0) return null
  if (form.error.issues.length === 0) {
    return <ErrorNotice look={look} texts={texts} error={form.error} />
  }
  const issuesOfForm = form.issues.filter(
    ({ path }) => path.length === 0 || (!hasOwnFields && OF_THE_HOST.includes(path[0] ?? '')),
  )
  return (
    <div role="alert" {...partsOf(look.classNames)('summary')}>
      <p>{texts.hasIssues}</p>
      {issuesOfForm.map((issue) => (
        <p key={issue.message}>{texts.issue(issue)}</p>
      ))}
    </div>
  )
}

import { useId } from 'react'
import { elementsOf, partsOf } from '../components/look.ts'
import type { WebhookForm } from './use-webhook-form.ts'
import type { WebhookFormLook } from './webhook-form-look.ts'
import { WEBHOOK_FORM_TEXTS } from './webhook-form-texts.ts'

interface FieldProps {
  readonly name: 'url' | 'description'
  readonly type: 'url' | 'text'
  readonly label: string
  readonly hint?: string
  readonly form: WebhookForm
  readonly look: WebhookFormLook
}

/** A text field with its label, its hint and its problems. */
export function Field({ name, type, label, hint, form, look }: FieldProps) {
  const id = useId()
  const part = partsOf(look.classNames)
  const { Input } = elementsOf(look.elements)
  const issues = form.issuesOf(name)
  const describedBy = [hint && `${id}-hint`, issues.length > 0 && `${id}-issues`].filter(Boolean)
  return (
    <div data-field={name} {...part('field')}>
      <label htmlFor={id} {...part('label')}>
        {label}
      </label>
      <Input
        id={id}
        name={name}
        type={type}
        value={form.values[name]}
        aria-invalid={issues.length > 0}
        aria-describedby={describedBy.join(' ') || undefined}
        onChange={(event) => form.setValue(name, event.currentTarget.value)}
        {...part('input')}
      />
      {hint && (
        <p id={`${id}-hint`} {...part('hint')}>
          {hint}
        </p>
      )}
      <Issues id={`${id}-issues`} name={name} form={form} look={look} />
    </div>
  )
}

interface IssuesProps extends Pick<FieldProps, 'form' | 'look'> {
  readonly id: string
  readonly name: 'url' | 'description' | 'eventSubscriptions'
}

/** The problems of a field. */
export function Issues({ id, name, form, look }: IssuesProps) {
  const issues = form.issuesOf(name)
  if (issues.length === 0) return null
  const issueText = look.texts?.issue ?? WEBHOOK_FORM_TEXTS.issue
  return (
    <div id={id}>
      {issues.map((issue) => (
        <p key={issue.path.join('.') + issue.message} {...partsOf(look.classNames)('issue')}>
          {issueText(issue)}
        </p>
      ))}
    </div>
  )
}

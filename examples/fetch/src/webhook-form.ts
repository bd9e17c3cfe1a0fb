import { errorsOf, type FormErrors, inputOf } from '../../shared/form.ts'
import type { Session } from '../../shared/session.ts'
import { CreateWebhook, UpdateWebhook } from './documents.ts'
import { element } from './element.ts'
import type { EventTypesQuery, WebhookRowFragment } from './generated/graphql.ts'
import { request } from './graphql.ts'

export interface FormOptions extends EventTypesQuery {
  readonly saved: () => Promise<void>
  readonly close: () => void
}

/** A form that edits the webhook. Null: the form creates one. */
export function webhookForm(
  session: Session,
  webhook: WebhookRowFragment | null,
  { eventTypes, saved, close }: FormOptions,
): HTMLElement[] {
  const status = element('span', { role: 'status' })
  const submit = element('button', { type: 'submit' }, webhook ? 'Save' : 'Create')
  const cancel = element('button', { type: 'button', onclick: close }, 'Cancel')
  const form = element(
    'form',
    {},
    textField('url', 'URL', webhook?.url),
    textField('description', 'Description', webhook?.description),
    element(
      'fieldset',
      {},
      element('legend', {}, 'Event types'),
      ...eventTypes.map(({ name }) => {
        const checked = webhook?.eventSubscriptions.some((type) => type.name === name) ?? false
        return checkbox({ name: 'eventSubscriptions', value: name, defaultChecked: checked }, name)
      }),
      errorOf('eventSubscriptions'),
    ),
    checkbox({ name: 'enabled', defaultChecked: webhook?.enabled ?? true }, 'Enabled'),
    errorOf('form'),
    element('div', { className: 'actions' }, submit, webhook ? cancel : null, status),
  )

  form.onsubmit = async (event) => {
    event.preventDefault()
    submit.disabled = true
    status.textContent = ''
    const errors = await save(session, webhook, form).catch(({ message }) => ({ form: message }))
    submit.disabled = false
    showErrors(form, errors)
    if (Object.keys(errors).length > 0) return
    status.textContent = 'Saved'
    if (webhook) close()
    else form.reset()
    await saved()
  }
  return [element('h2', {}, webhook ? 'Edit webhook' : 'New webhook'), form]
}

async function save(
  session: Session,
  webhook: WebhookRowFragment | null,
  form: HTMLFormElement,
): Promise<FormErrors> {
  const input = inputOf(form)
  const { result } = webhook
    ? await request(session, UpdateWebhook, { id: webhook.id, input })
    : await request(session, CreateWebhook, { input })
  return 'webhook' in result ? {} : errorsOf(result)
}

function showErrors(form: HTMLFormElement, errors: FormErrors): void {
  for (const error of form.querySelectorAll<HTMLElement>('.error')) {
    const name = error.id.replace('-error', '')
    error.textContent = errors[name] ?? ''
    form.querySelector(`#${name}`)?.setAttribute('aria-invalid', String(name in errors))
  }
}

function textField(name: string, label: string, value: string | null = null): HTMLElement {
  const input = element('input', { id: name, name, type: 'text', defaultValue: value ?? '' })
  input.setAttribute('aria-describedby', `${name}-error`)
  return element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: name }, label),
    input,
    errorOf(name),
  )
}

function checkbox(properties: Partial<HTMLInputElement>, label: string): HTMLElement {
  const input = element('input', { type: 'checkbox', ...properties })
  return element('label', { className: 'choice' }, input, label)
}

const errorOf = (name: string) => element('p', { className: 'error', id: `${name}-error` })

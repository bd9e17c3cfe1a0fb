import { useId } from 'react'
import { elementsOf, partsOf } from '../components/look.ts'
import { Issues } from './field.tsx'
import type { WebhookForm } from './use-webhook-form.ts'
import type { WebhookFormLook } from './webhook-form-look.ts'
import { WEBHOOK_FORM_TEXTS } from './webhook-form-texts.ts'

interface EventTypeFieldsetProps {
  readonly form: WebhookForm
  readonly look: WebhookFormLook
}

/** A checkbox for each event type. */
export function EventTypeFieldset({ form, look }: EventTypeFieldsetProps) {
  const id = useId()
  const texts = { ...WEBHOOK_FORM_TEXTS, ...look.texts }
  const part = partsOf(look.classNames)
  const { Input } = elementsOf(look.elements)
  const { eventSubscriptions } = form.values
  const isInvalid = form.issuesOf('eventSubscriptions').length > 0

  function choose(name: string, isChosen: boolean) {
    const others = eventSubscriptions.filter((other) => other !== name)
    form.setValue('eventSubscriptions', isChosen ? [...others, name] : others)
  }

  return (
    <fieldset
      data-field="eventSubscriptions"
      aria-describedby={isInvalid ? `${id}-issues` : undefined}
      {...part('event-types')}
    >
      <legend>{texts.eventSubscriptions}</legend>
      {form.eventTypes.length === 0 && <p>{texts.noEventTypes}</p>}
      {form.eventTypes.map(({ name, description }, index) => (
        <div key={name} {...part('event-type')}>
          <Input
            id={`${id}-${index}`}
            name="eventSubscriptions"
            type="checkbox"
            value={name}
            checked={eventSubscriptions.includes(name)}
            aria-invalid={isInvalid}
            aria-describedby={isInvalid ? `${id}-issues` : undefined}
            onChange={(event) => choose(name, event.currentTarget.checked)}
            {...part('input')}
          />
          <label htmlFor={`${id}-${index}`} {...part('label')}>
            {name}
          </label>
          {description && <p {...part('hint')}>{description}</p>}
        </div>
      ))}
      <Issues id={`${id}-issues`} name="eventSubscriptions" form={form} look={look} />
    </fieldset>
  )
}

import { useId, useRef } from 'react'
import { elementsOf, partsOf } from '../components/look.ts'
import type { WebhookForm } from './use-webhook-form.ts'
import type { WebhookConflict } from './webhook-conflict.ts'
import type { WebhookFormLook } from './webhook-form-look.ts'
import { WEBHOOK_FORM_TEXTS, type WebhookFormTexts } from './webhook-form-texts.ts'

interface WebhookConflictsProps {
  readonly form: WebhookForm
  readonly look: WebhookFormLook
}

/** Both values of each field that somebody else changed while the user edited it. */
export function WebhookConflicts({ form, look }: WebhookConflictsProps) {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const part = partsOf(look.classNames)
  const { Button } = elementsOf(look.elements)
  const texts = { ...WEBHOOK_FORM_TEXTS, ...look.texts }
  if (form.conflicts.length === 0) return null

  /** The chosen buttons vanish, so the focus goes to the next choice, or to Save. */
  function choose(act: () => void) {
    const whole = element.current?.closest('form')
    act()
    requestAnimationFrame(() => {
      const next = element.current?.querySelector<HTMLElement>('button')
      ;(next ?? whole?.querySelector<HTMLElement>('[type="submit"]'))?.focus()
    })
  }

  return (
    <div ref={element} role="alert" {...part('conflict')}>
      <p>{texts.conflict}</p>
      {form.conflicts.map((conflict) => (
        <section
          key={conflict.name}
          data-field={conflict.name}
          aria-labelledby={`${id}-${conflict.name}`}
          {...part('conflict-field')}
        >
          <p id={`${id}-${conflict.name}`} {...part('label')}>
            {labelOf(conflict, texts)}
          </p>
          <p {...part('mine')}>
            {texts.mine}: <span>{texts.value(form.values[conflict.name])}</span>
          </p>
          <Button
            type="button"
            onClick={() => choose(() => form.keepMine(conflict.name))}
            {...part('keep-mine')}
          >
            {texts.keepMine}
          </Button>
          <p {...part('theirs')}>
            {texts.theirs(conflict)}: <span>{texts.value(conflict.theirs)}</span>
          </p>
          <Button
            type="button"
            onClick={() => choose(() => form.takeTheirs(conflict.name))}
            {...part('take-theirs')}
          >
            {texts.takeTheirs}
          </Button>
        </section>
      ))}
    </div>
  )
}

type Labels = Pick<
  WebhookFormTexts,
  'url' | 'description' | 'eventSubscriptions' | 'enabled' | 'otherField'
>

function labelOf({ name }: WebhookConflict, texts: Labels): string {
  switch (name) {
    case 'url':
    case 'description':
    case 'eventSubscriptions':
    case 'enabled':
      return texts[name]
    default:
      return texts.otherField(name)
  }
}

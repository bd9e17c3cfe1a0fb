import { Select, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type FieldErrors, fieldErrorsOf } from '../../components/forms/field-errors.ts'
import { FormButtons, FormError } from '../../components/forms/form-parts.tsx'
import type { NoticeChannelsQuery, TemplateTarget } from '../../generated/graphql.ts'
import { kindsInWords, USUAL_KINDS } from '../notice-kinds.ts'
import { isRoutingKey, TARGETS } from './targets.ts'
import { useCreateChannel } from './use-create-channel.ts'

interface ChannelFormProps {
  readonly presets: NonNullable<NoticeChannelsQuery['templatePresets']>
  /** Whether the catalogue has operational events. */
  readonly isPublished: boolean
  onCreated(webhookId: string, target: TemplateTarget): void
  onClose(): void
}

const FIELDS = ['url', 'routingKey'] as const

/** Chooses a target, and takes its URL or key. */
export function ChannelForm({ presets, isPublished, onCreated, onClose }: ChannelFormProps) {
  const { run, running } = useCreateChannel()
  const [target, setTarget] = useState<TemplateTarget>('SLACK')
  const [text, setText] = useState('')
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})
  const hint = presets.find((one) => one.target === target)?.urlHint ?? ''
  const takesKey = target === 'PAGERDUTY'

  async function save(event: FormEvent) {
    event.preventDefault()
    const given = text.trim()
    if (takesKey && !isRoutingKey(given)) {
      return setErrors({ routingKey: 'An integration key has 32 letters and digits.' })
    }
    const outcome = await run({
      target,
      url: takesKey ? hint : given,
      routingKey: takesKey ? given : null,
      isPublished,
    })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    onCreated(outcome.value.webhook.id, target)
  }

  return (
    <form onSubmit={save} noValidate>
      <Stack gap="lg">
        <Select
          label="Send to"
          data={presets.map((one) => ({ value: one.target, label: one.name }))}
          value={target}
          allowDeselect={false}
          onChange={(value) => {
            setTarget(value as TemplateTarget)
            setText('')
            setErrors({})
          }}
        />
        <TextInput
          key={target}
          label={takesKey ? 'Integration key' : 'URL'}
          description={TARGETS[target].help}
          placeholder={takesKey ? '32 letters and digits' : hint}
          type={takesKey ? 'text' : 'url'}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={errors.url ?? errors.routingKey}
        />
        <Text size="sm" c="dimmed">
          The channel gets: {kindsInWords(USUAL_KINDS)}. It is a webhook, in which you can change
          this, and its text.
          {!isPublished && ' Saving switches operational events on, for all organizations.'}
          {takesKey && ' Whoever may read webhooks can read the key in its template.'}
        </Text>
        <FormError>{errors.form}</FormError>
        <FormButtons action="Save" loading={running} dismiss={onClose} />
      </Stack>
    </form>
  )
}

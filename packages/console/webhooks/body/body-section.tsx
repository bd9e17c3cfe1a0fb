import { Button, Group, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import { useClient } from 'urql'
import { CodeField } from '../../components/forms/code-field.tsx'
import { notifyError } from '../../components/notify.ts'
import { Section } from '../../components/page/section.tsx'
import { BodyFieldsDocument, type WebhookCatalogueQuery } from '../../generated/graphql.ts'
import { key, t } from '../../language/t.ts'
import { includedTypes } from '../form/included-types.ts'
import type { WebhookFormValues } from '../form/webhook-form-values.ts'
import { BodyTrial, useBodyTrial } from './body-trial.tsx'
import { withAllFields } from './fields-of-type.ts'
import { TEMPLATES } from './templates.ts'

interface BodySectionProps {
  readonly form: UseFormReturnType<WebhookFormValues>
  readonly catalogue: WebhookCatalogueQuery['eventTypes']
}

/** What the webhook sends. Without a text yet, chosen fields begin with all fields of the event types. */
export function BodySection({ form, catalogue }: BodySectionProps) {
  const { body, selection } = form.values
  const { addAll, isPossible } = useAllFields(form, catalogue)

  function choose(chosen: string) {
    form.setFieldValue('body', chosen as WebhookFormValues['body'])
    if (chosen === 'selection' && selection.trim() === '' && isPossible) addAll()
  }

  return (
    <Section title={t('Body')} description="What each delivery contains.">
      <Radio.Group aria-label={t('Body')} value={body} onChange={choose}>
        <Stack gap="sm">
          {BODIES.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={t(label)} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      {body === 'selection' && (
        <Editor
          form={form}
          body={body}
          label="Selection in GraphQL"
          description="Delete what the receiver does not need."
          placeholder={'{\n  ... on OrderPaid {\n    order {\n      id\n    }\n  }\n}'}
        >
          <Button size="compact-sm" variant="default" disabled={!isPossible} onClick={addAll}>
            Add all fields
          </Button>
        </Editor>
      )}
      {body === 'template' && (
        <Editor
          form={form}
          body={body}
          label="Template"
          description={`JSON whose strings are Liquid, such as ${'"{{ data.order.id }}"'}. The result is the whole body.`}
          placeholder={'{ "text": "Order {{ data.order.id }} is paid." }'}
        >
          {isOneOf(form.values.template) && (
            <>
              <Text size="sm">Start from</Text>
              {TEMPLATES.map(({ name, template }) => (
                <Button
                  key={name}
                  size="compact-sm"
                  variant="default"
                  onClick={() => form.setFieldValue('template', template)}
                >
                  {name}
                </Button>
              ))}
            </>
          )}
        </Editor>
      )}
    </Section>
  )
}

/** Whether a template would replace no text of the reader's own. */
const isOneOf = (text: string) =>
  text.trim() === '' || TEMPLATES.some(({ template }) => template === text)

const BODIES = [
  {
    value: 'event',
    label: key('The whole event'),
    description: 'Its id, type, time and data, as published.',
  },
  {
    value: 'selection',
    label: 'Chosen fields',
    description: 'Its id, type and time, and the fields of its data that you choose.',
  },
  {
    value: 'template',
    label: 'A template',
    description: 'JSON of your own, such as a message for Slack, Microsoft Teams or Discord.',
  },
]

/** Adds all fields of the event types that the webhook receives to its selection. */
function useAllFields(form: BodySectionProps['form'], catalogue: BodySectionProps['catalogue']) {
  const client = useClient()
  const names = catalogue.map(({ name }) => name)
  const ids = includedTypes(form.values.eventSubscriptions, names).map((name) => `type_${name}`)

  async function addAll() {
    const { data } = await client.query(BodyFieldsDocument, { ids })
    const types = (data?.nodes ?? []).flatMap((node) =>
      node?.__typename === 'EventType' && node.selectableFields?.length
        ? [{ ...node, selectableFields: node.selectableFields }]
        : [],
    )
    if (types.length > 0) form.setFieldValue('selection', (text) => withAllFields(text, types))
    else notifyError('The event types have no schema, so their fields cannot be listed.')
  }

  return { addAll, isPossible: ids.length > 0 }
}

interface EditorProps extends Pick<BodySectionProps, 'form'> {
  readonly body: 'selection' | 'template'
  readonly label: string
  readonly description: string
  readonly placeholder: string
  /** What the text can begin with. */
  readonly children: ReactNode
}

/** The text of a body, and the bodies that it makes of the newest events. */
function Editor({ form, body, children, ...field }: EditorProps) {
  const { [body]: value, eventSubscriptions } = form.values
  const { tried, request } = useBodyTrial(body, value, eventSubscriptions)
  const problems = tried?.issues.map(({ message }) => message).join(' ')
  return (
    <SimpleGrid type="container" cols={{ base: 1, '920px': 2 }}>
      <Stack gap="sm">
        <Group gap="xs">{children}</Group>
        <CodeField
          {...field}
          value={value}
          error={problems || form.errors[body]}
          onChange={(text) => form.setFieldValue(body, text)}
        />
      </Stack>
      <BodyTrial tried={tried} request={request} />
    </SimpleGrid>
  )
}

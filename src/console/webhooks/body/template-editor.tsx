import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { CodeField } from '../../components/forms/code-field.tsx'
import { BodyPresetsDocument } from '../../generated/graphql.ts'

interface TemplateEditorProps {
  readonly value: string
  readonly eventTypes: readonly string[]
  /** What is wrong with the text. */
  readonly problem: string | null
  onChange(text: string): void
}

/** A template as text, and the presets to start from. */
export function TemplateEditor({ value, eventTypes, problem, onChange }: TemplateEditorProps) {
  const [eventType = ''] = eventTypes
  const { data } = useRead(BodyPresetsDocument, { eventType }, { pause: eventType === '' })
  const [replaced, setReplaced] = useState<string | null>(null)
  const presets = data?.templatePresets ?? []
  const present = presets.find(({ template }) => template === value)

  function start(template: string) {
    const isPreset = presets.some((preset) => preset.template === value)
    setReplaced(value.trim() === '' || isPreset ? replaced : value)
    onChange(template)
  }

  return (
    <Stack gap="sm">
      {presets.length > 0 && (
        <Group gap="xs" role="group" aria-label="Presets">
          <Text size="sm">Start from</Text>
          {presets.map(({ target, name, template }) => (
            <Button
              key={target}
              size="compact-sm"
              variant={present?.target === target ? 'light' : 'default'}
              aria-pressed={present?.target === target}
              onClick={() => start(template)}
            >
              {name}
            </Button>
          ))}
          {replaced !== null && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => {
                onChange(replaced)
                setReplaced(null)
              }}
            >
              Back to my text
            </Button>
          )}
        </Group>
      )}
      {present && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {`The URL looks like this: ${present.urlHint}`}
        </Text>
      )}
      <CodeField
        label="Template"
        description={`JSON with values of the event in double braces, such as ${'{{ $.order.id }}'}. The result is the whole body.`}
        placeholder={'{ "text": "Order {{ $.order.id }} is paid." }'}
        value={value}
        error={problem ?? undefined}
        onChange={onChange}
      />
    </Stack>
  )
}

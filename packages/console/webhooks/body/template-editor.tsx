import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CodeField } from '../../components/forms/code-field.tsx'
import { TEMPLATES } from './templates.ts'

interface TemplateEditorProps {
  readonly value: string
  /** What is wrong with the text. */
  readonly problem: string | null
  onChange(text: string): void
}

/** A template as text, and the templates to start from. */
export function TemplateEditor({ value, problem, onChange }: TemplateEditorProps) {
  const [replaced, setReplaced] = useState<string | null>(null)
  const present = TEMPLATES.find(({ template }) => template === value)

  function start(template: string) {
    setReplaced(value.trim() === '' || present ? replaced : value)
    onChange(template)
  }

  return (
    <Stack gap="sm">
      <Group gap="xs" role="group" aria-label="Templates">
        <Text size="sm">Start from</Text>
        {TEMPLATES.map(({ name, template }) => (
          <Button
            key={name}
            size="compact-sm"
            variant={present?.name === name ? 'light' : 'default'}
            aria-pressed={present?.name === name}
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
      {present && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {`The URL looks like this: ${present.urlHint}`}
        </Text>
      )}
      <CodeField
        label="Template"
        description={`JSON whose strings are Liquid, such as ${'"{{ data.order.id }}"'}. The result is the whole body.`}
        placeholder={'{ "text": "Order {{ data.order.id }} is paid." }'}
        value={value}
        error={problem ?? undefined}
        onChange={onChange}
      />
    </Stack>
  )
}

import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'

interface SubjectInputProps {
  readonly values: readonly string[]
  onChange(ids: readonly string[]): void
}

/** Ids or names of event types, with spaces or commas between them. Applies on Enter or blur: only whole ids match. */
export function SubjectInput({ values, onChange }: SubjectInputProps) {
  const value = values.join(' ')
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])

  function apply() {
    const ids = text.split(/[\s,]+/).filter((id) => id !== '')
    if (ids.join(' ') !== value) onChange(ids)
  }

  return (
    <TextInput
      label="Target"
      size="xs"
      w={220}
      placeholder="wh_…, or an event type"
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}

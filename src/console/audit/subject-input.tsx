import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { readList, writeList } from '../components/filters/list-param.ts'

interface SubjectInputProps {
  readonly value: string | null
  onChange(value: string | null): void
}

/** Ids or names of event types, with spaces or commas between them. Applies on Enter or blur: only whole ids match. */
export function SubjectInput({ value, onChange }: SubjectInputProps) {
  const applied = readList(value).join(' ')
  const [text, setText] = useState(applied)
  useEffect(() => setText(applied), [applied])

  function apply() {
    const ids = text.split(/[\s,]+/).filter((id) => id !== '')
    if (ids.join(' ') !== applied) onChange(writeList(ids))
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

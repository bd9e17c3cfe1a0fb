import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { isEventId } from './is-event-id.ts'

interface EventIdFilterProps {
  readonly value: string | null
  onChange(id: string | null): void
}

/** Finds an event by its complete id. A partial id does not filter. */
export function EventIdFilter({ value, onChange }: EventIdFilterProps) {
  const [text, setText] = useState(value ?? '')
  useEffect(() => setText(value ?? ''), [value])
  const isWrong = text !== '' && !isEventId(text)
  return (
    <TextInput
      label="Id"
      placeholder="evt_…"
      size="xs"
      w={240}
      value={text}
      error={isWrong && 'An event id is evt_ followed by 26 letters and digits.'}
      onChange={({ currentTarget }) => {
        const id = currentTarget.value.trim()
        setText(id)
        if (id === '') onChange(null)
        else if (isEventId(id)) onChange(id)
      }}
    />
  )
}

import { Kbd, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { navigateWithGuard } from '../components/forms/navigation-guard.ts'
import { pageOfId } from './page-of-id.ts'

/** Opens the page of an id, such as one from a log. */
export function GoTo() {
  const [id, setId] = useState('')
  const [unknown, setUnknown] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const navigate = useNavigate()
  useHotkeys([['/', () => input.current?.focus()]])

  function go(event: KeyboardEvent) {
    if (event.key !== 'Enter') return
    const page = pageOfId(id.trim())
    setUnknown(page === null)
    if (page === null) return
    setId('')
    input.current?.blur()
    navigateWithGuard(() => navigate(page))
  }

  return (
    <TextInput
      ref={input}
      w={{ base: 120, xs: 180, md: 280 }}
      size="xs"
      aria-label="Go to an id"
      placeholder="Go to an id: msg_…, wh_…"
      leftSection={<IconSearch size={14} />}
      rightSection={<Kbd size="xs">/</Kbd>}
      value={id}
      error={unknown && 'Enter the id of a webhook, event or delivery.'}
      styles={{ error: { position: 'absolute', maxWidth: 320 } }}
      onChange={(event) => {
        setId(event.currentTarget.value)
        setUnknown(false)
      }}
      onKeyDown={go}
    />
  )
}

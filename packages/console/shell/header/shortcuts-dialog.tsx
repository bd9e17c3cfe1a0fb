import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { navigationFor } from '../navigation.ts'
import { PAGE_KEYS, setSingleKeys, singleKeysAreOn } from './use-shortcuts.ts'

/** Lists the shortcuts, and turns those of one key off. */
export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const [on, setOn] = useState(singleKeysAreOn)
  const pages = navigationFor(useSession()).flatMap(({ destinations }) => destinations)
  const keyOf = (path: string) => Object.keys(PAGE_KEYS).find((key) => PAGE_KEYS[key] === path)
  const rows: readonly (readonly [keys: readonly string[], label: string])[] = [
    [['Ctrl K', '⌘ K', '/'], 'Search and commands'],
    [['?'], 'Keyboard shortcuts'],
    [['j', 'k'], 'Next and previous row'],
    [['Enter'], 'Open the row'],
    [['x'], 'Select the row'],
    [['Esc'], t('Close')],
    ...pages.flatMap(({ label, to }) => {
      const key = keyOf(to)
      return key === undefined ? [] : [[[`g ${key}`], label] as const]
    }),
  ]
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack gap={8}>
        {rows.map(([keys, label]) => (
          <Group key={label} justify="space-between" wrap="nowrap">
            <Text size="sm">{label}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
        <Switch
          mt="sm"
          label="Shortcuts of a single key"
          description="Turn off if you press keys by accident, such as with voice control. Ctrl K stays on."
          checked={on}
          onChange={({ currentTarget }) => {
            setOn(currentTarget.checked)
            setSingleKeys(currentTarget.checked)
          }}
        />
      </Stack>
    </Modal>
  )
}

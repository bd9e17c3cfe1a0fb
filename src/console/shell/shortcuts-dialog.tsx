import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { navigationFor } from './navigation.ts'
import { setSingleKeys, singleKeysAreOn } from './single-keys.ts'
import { PAGE_KEYS } from './use-shortcuts.ts'

interface ShortcutsDialogProps {
  readonly opened: boolean
  onClose(): void
}

/** Lists the shortcuts, and turns those of one key off. */
export function ShortcutsDialog({ opened, onClose }: ShortcutsDialogProps) {
  const [on, setOn] = useState(singleKeysAreOn)
  const pages = navigationFor(useSession()).flatMap(({ destinations }) => destinations)
  const keyOf = (path: string) => Object.keys(PAGE_KEYS).find((key) => PAGE_KEYS[key] === path)
  const rows: readonly (readonly [keys: readonly string[], label: string])[] = [
    [['Ctrl K', '⌘ K', '/'], t('shell:shortcuts.menu')],
    [['?'], t('shell:shortcuts.help')],
    [['j', 'k'], t('shell:shortcuts.rows')],
    [['Enter'], t('shell:shortcuts.open')],
    [['x'], t('shell:shortcuts.select')],
    [['Esc'], t('shell:shortcuts.close')],
    ...pages.flatMap(({ label, to }) => {
      const key = keyOf(to)
      return key === undefined ? [] : [[[`g ${key}`], label] as const]
    }),
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={t('shell:shortcuts.title')}>
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
          label={t('shell:shortcuts.singleKeys')}
          description={t('shell:shortcuts.singleKeysHint')}
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

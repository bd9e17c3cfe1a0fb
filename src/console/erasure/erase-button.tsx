import { Button } from '@mantine/core'
import { IconEraser } from '@tabler/icons-react'
import { useState } from 'react'
import { t } from '../language/t.ts'
import { EraseDialog } from './erase-dialog.tsx'
import type { ToErase } from './erase-form.tsx'

/** Opens the dialog that erases contents. */
export function EraseButton({ what, onErased }: { what: ToErase; onErased(): void }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconEraser size={16} />}
        onClick={() => setOpened(true)}
      >
        {t('Erase…')}
      </Button>
      <EraseDialog
        opened={opened}
        close={() => {
          setOpened(false)
          onErased()
        }}
        what={what}
      />
    </>
  )
}

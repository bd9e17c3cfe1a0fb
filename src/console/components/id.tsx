import { Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** An id with a copy button. */
export function Id({ id }: { id: string }) {
  return (
    <Group gap={2} wrap="nowrap" miw={0}>
      <span className="ph-mono">{id}</span>
      <CopyButton value={id} label={`Copy ${id}`} />
    </Group>
  )
}

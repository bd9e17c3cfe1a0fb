import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

interface CopyButtonProps {
  readonly value: string
  /** The accessible name: "Copy the id". */
  readonly label: string
  /** Shows the label instead of only an icon. */
  readonly labelled?: boolean
}

export function CopyButton({ value, label, labelled = false }: CopyButtonProps) {
  return (
    <Copy value={value} timeout={1_500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
        return labelled ? (
          <Button size="xs" variant="default" flex="none" leftSection={icon} onClick={copy}>
            {copied ? 'Copied' : label}
          </Button>
        ) : (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copy>
  )
}

import { ActionIcon, Button, CopyButton as Copy, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { t } from '../language/t.ts'

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
            {copied ? t('Copied') : label}
          </Button>
        ) : (
          <Tooltip label={copied ? t('Copied') : label}>
            <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copy>
  )
}

interface CopyableLineProps {
  readonly text: string
  /** What the button copies, if the text leaves something out. Default: the text. */
  readonly value?: string
  /** The accessible name of the button: "Copy the URL". */
  readonly label: string
}

/** A long text such as a URL on one line, with an ellipsis where it does not fit, and a button that copies it. */
export function CopyableLine({ text, value = text, label }: CopyableLineProps) {
  return (
    <Group gap={2} wrap="nowrap" miw={0} maw="100%">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the whole text */}
      <span className="ph-mono ph-one-line" tabIndex={0} title={text}>
        {text}
      </span>
      <CopyButton value={value} label={label} />
    </Group>
  )
}

/** An id with a copy button. */
export function Id({ id }: { id: string }) {
  return (
    <Group gap={2} wrap="nowrap" miw={0}>
      <span className="ph-mono">{id}</span>
      <CopyButton value={id} label={t('Copy {id}', { id })} />
    </Group>
  )
}

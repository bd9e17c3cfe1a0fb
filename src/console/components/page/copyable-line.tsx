import { Group } from '@mantine/core'
import { CopyButton } from '../copy-button.tsx'

interface CopyableLineProps {
  readonly text: string
  /** The accessible name of the button: "Copy the URL". */
  readonly label: string
}

/** A long text such as a URL on one line, with an ellipsis where it does not fit, and a button that copies it. */
export function CopyableLine({ text, label }: CopyableLineProps) {
  return (
    <Group gap={2} wrap="nowrap" miw={0} maw="100%">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focus shows the whole text */}
      <span className="ph-mono ph-one-line" tabIndex={0} title={text}>
        {text}
      </span>
      <CopyButton value={text} label={label} />
    </Group>
  )
}

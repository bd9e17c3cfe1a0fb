import { Stack, Text } from '@mantine/core'
import { inSentence } from '../../language/t.ts'
import { CopyableCode } from './code-block.tsx'
import { formatJson } from './format-json.ts'

interface JsonViewProps {
  /** The name of the value, such as "Payload". */
  readonly label: string
  /** The exact text, which the button copies. */
  readonly text: string
  /** A remark below the value. */
  readonly note?: string
}

/** JSON that Posthorn keeps or sends to the letter, formatted. */
export function JsonView({ label, text, note }: JsonViewProps) {
  return (
    <Stack gap="xs">
      <CopyableCode
        code={formatJson(text) ?? text}
        label={label}
        maxHeight={520}
        copy={`Copy the ${inSentence(label)}`}
        copied={text}
      />
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}

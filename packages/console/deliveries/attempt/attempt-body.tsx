import { Text } from '@mantine/core'
import { JsonView } from '../../components/json/json-view.tsx'
import type { BodyEncoding } from '../../generated/graphql.ts'
import { formatBytes } from '../../lib/format.ts'

interface AttemptBodyProps {
  readonly label: string
  readonly response: {
    readonly body: string
    readonly bodyEncoding: BodyEncoding
    readonly bodyTruncated: boolean
    /** The size of a body that is not kept. */
    readonly unkeptBodyBytes?: number | null
  }
}

/** The body of a response, with its size. */
export function AttemptBody({ label, response }: AttemptBodyProps) {
  const { body, bodyEncoding, bodyTruncated, unkeptBodyBytes } = response
  if (body === '' || unkeptBodyBytes != null) {
    return (
      <Text size="xs" c="dimmed">
        {unkeptBodyBytes == null
          ? `${label}: empty`
          : `${label}: ${formatBytes(unkeptBodyBytes)}, not kept. The settings keep no response bodies.`}
      </Text>
    )
  }
  const isText = bodyEncoding === 'UTF8'
  const notes = [
    `${label}, ${formatBytes(isText ? new TextEncoder().encode(body).length : atob(body).length)}.`,
    !isText && 'Shown in base64, because this is not UTF-8 text.',
    bodyTruncated && 'Truncated: Posthorn records the first 16 KiB that arrive within 2 seconds.',
  ]
  return <JsonView label={label} text={body} note={notes.filter(Boolean).join(' ')} />
}

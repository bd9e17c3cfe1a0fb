import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { CodeBlock } from '../components/json/code-block.tsx'
import { HeaderTable } from '../deliveries/attempt/header-table.tsx'
import type { ReceivedRequestFragment } from '../generated/graphql.ts'

/** One request as it arrived. */
export function ReceivedRequest({ request }: { request: ReceivedRequestFragment }) {
  const { deliveryId, webhookId, signatureProblem, headers, body, bodyTruncated } = request
  return (
    <Stack gap="sm" py="xs">
      {signatureProblem !== null && (
        <Text size="sm" c="var(--posthorn-on-red)">
          {signatureProblem}
        </Text>
      )}
      {deliveryId !== null && webhookId !== null && (
        <Anchor component={Link} to={`/deliveries/${deliveryId}`} size="sm">
          Open the delivery
        </Anchor>
      )}
      <Title order={3} size="h6">
        Headers
      </Title>
      <HeaderTable label="Headers" headers={headers} />
      <Title order={3} size="h6">
        Body
      </Title>
      <CodeBlock code={prettyJson(body)} label="Body" />
      {bodyTruncated && (
        <Text size="xs" c="dimmed">
          Only the first 65,536 bytes are shown.
        </Text>
      )}
    </Stack>
  )
}

/** Indented, unless a number would lose digits or the text is not JSON. */
function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

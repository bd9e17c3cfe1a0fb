import { Anchor, Stack, Text, Title } from '@mantine/core'
import { Link } from 'react-router'
import { CodeBlock } from '../components/json/code-block.tsx'
import { formatJson } from '../components/json/format-json.ts'
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
      <CodeBlock code={formatJson(body) ?? body} label="Body" />
      {bodyTruncated && (
        <Text size="xs" c="dimmed">
          Only the first 65,536 bytes are shown.
        </Text>
      )}
    </Stack>
  )
}

import { Popover, Text, UnstyledButton } from '@mantine/core'
import type { DeliveryBodyQuery } from '../../generated/graphql.ts'
import { BodyText, bodyInWords } from './body-text.tsx'

type Version = NonNullable<NonNullable<DeliveryBodyQuery['delivery']>['bodyVersion']>

interface SentVersionProps {
  /** What the delivery contains. Null: the whole event. */
  readonly sent: Version | null
  /** The version that the webhook has now. Null: the whole event. Undefined: not known. */
  readonly sends: number | null | undefined
}

/** Which body a delivery has, and whether the webhook has another one now. */
export function SentVersion({ sent, sends }: SentVersionProps) {
  const isOutdated = sends !== undefined && sends !== (sent?.version ?? null)
  return (
    <div>
      {sent ? (
        <Popover width={460} withArrow shadow="md" position="bottom-start">
          <Popover.Target>
            <UnstyledButton fz="sm" c="var(--mantine-color-anchor)" td="underline">
              {`${bodyInWords(sent)}, version ${sent.version}`}
            </UnstyledButton>
          </Popover.Target>
          <Popover.Dropdown maw="calc(100vw - 32px)" aria-label="Version of the body">
            <BodyText {...sent} />
          </Popover.Dropdown>
        </Popover>
      ) : (
        <Text size="sm">{bodyInWords({})}</Text>
      )}
      {isOutdated && (
        <Text size="sm" c="dimmed">
          {sends === null
            ? 'The webhook sends the whole event now. Redeliveries of this delivery send the same.'
            : `The webhook has version ${sends} now. Redeliveries of this delivery send the same.`}
        </Text>
      )}
    </div>
  )
}

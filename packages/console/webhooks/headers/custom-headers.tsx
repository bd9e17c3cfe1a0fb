import { Button, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { notifyError } from '../../components/notify.ts'
import { Section } from '../../components/page/section.tsx'
import {
  WebhookRevealHeadersDocument,
  type WebhookSettingsFragment,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { printHeaders } from './header-lines.ts'

interface CustomHeadersProps {
  readonly webhook: Pick<WebhookSettingsFragment, 'id' | 'headerNames'>
}

/** The custom headers of a webhook. The values may be credentials, so they are requested only when asked for. */
export function CustomHeaders({ webhook: { id, headerNames } }: CustomHeadersProps) {
  const { can } = useSession()
  const { run, running } = useAction(WebhookRevealHeadersDocument)
  const [revealed, setRevealed] = useState<string | null>(null)

  async function reveal() {
    const outcome = await run({ id })
    if (!outcome.ok) return notifyError(outcome.message)
    setRevealed(outcome.value.headers.map(({ name, value }) => `${name}: ${value}`).join('\n'))
  }

  if (headerNames.length === 0) return null
  const mayRead = can('secrets:read')
  return (
    <Section
      title={t('Custom headers')}
      description={`The values may be credentials. ${
        mayRead
          ? 'Revealing them is recorded in the audit log.'
          : 'Reading them requires the scope secrets:read.'
      }`}
      actions={
        mayRead && (
          <Button
            size="xs"
            variant="default"
            leftSection={revealed === null ? <IconEye size={14} /> : <IconEyeOff size={14} />}
            loading={running}
            onClick={revealed === null ? reveal : () => setRevealed(null)}
          >
            {revealed === null ? 'Reveal values' : 'Hide values'}
          </Button>
        )
      }
    >
      <Text size="sm" className="ph-mono" style={{ whiteSpace: 'pre-wrap' }}>
        {revealed ?? printHeaders(headerNames)}
      </Text>
    </Section>
  )
}

import { Stack, Text } from '@mantine/core'
import { Facts } from '../../components/page/facts.tsx'
import { Section } from '../../components/page/section.tsx'
import type { WebhookSettingsFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'

type Signed = Pick<
  WebhookSettingsFragment,
  'signatureHeaders' | 'secondSignature' | 'signsWithPreviousSecret'
>

/** How deliveries are signed for a receiver of a former sender. Nothing if they are signed as usual. */
export function SignatureSettings({ webhook }: { webhook: Signed }) {
  const { signatureHeaders, secondSignature, signsWithPreviousSecret } = webhook
  if (!signatureHeaders && !secondSignature && !signsWithPreviousSecret) return null
  return (
    <Section title={t('Signatures')}>
      <Facts
        facts={[
          ...(signatureHeaders
            ? [{ label: t('Header names'), value: <Names names={signatureHeaders} /> }]
            : []),
          ...(secondSignature
            ? [{ label: t('Second signature'), value: <Second second={secondSignature} /> }]
            : []),
          {
            label: t('Old secrets sign, too'),
            value: signsWithPreviousSecret ? t('Yes') : t('No'),
          },
        ]}
      />
    </Section>
  )
}

function Names({ names }: { names: NonNullable<Signed['signatureHeaders']> }) {
  return (
    <Text size="sm" className="ph-mono">
      {[names.id, names.timestamp, names.signature].join(', ')}
    </Text>
  )
}

function Second({ second }: { second: NonNullable<Signed['secondSignature']> }) {
  const { header, algorithm, encoding, content, value } = second
  return (
    <Stack gap={2}>
      <Text size="sm" className="ph-mono" style={{ overflowWrap: 'anywhere' }}>
        {header}: {value}
      </Text>
      <Text size="sm" c="dimmed">
        {t('{algorithm} of {content}, in {encoding}', {
          algorithm: `HMAC-${algorithm}`,
          content,
          encoding: encoding.toLowerCase(),
        })}
      </Text>
    </Stack>
  )
}

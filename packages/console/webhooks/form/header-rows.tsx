import { Button, Group, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus } from '@tabler/icons-react'
import { Notice } from '../../components/page/notice.tsx'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { RevealButton } from '../headers/reveal-button.tsx'
import { useRevealedHeaders } from '../headers/use-revealed-headers.ts'
import { fillIn, headerRow, hideAgain, keepsValue } from './header-row.ts'
import { HeaderRowFields } from './header-row-fields.tsx'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface HeaderRowsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
  /** Null for a new webhook. */
  readonly webhookId: string | null
  /** The origin that the URL moves to. Null: it stays. */
  readonly newOrigin: string | null
}

/** The custom headers, one row for each. Stored values stay hidden, and unchanged unless the reader types others. */
export function HeaderRows({ form, webhookId, newOrigin }: HeaderRowsProps) {
  const { can } = useSession()
  const { values, reveal, running, hide } = useRevealedHeaders(webhookId ?? '')
  const { headers } = form.values
  const hasStored = headers.some(({ stored }) => stored !== null)
  const valuesStay = newOrigin === null || can('secrets:read')
  const add = () => form.insertListItem('headers', headerRow())

  async function showValues() {
    const revealed = await reveal()
    if (!revealed) return
    // The reader may have typed during the request.
    form.setFieldValue('headers', (rows) => fillIn(rows, revealed))
  }

  function hideValues() {
    hide()
    form.setFieldValue('headers', hideAgain(headers))
  }

  return (
    <Section
      title={t('Custom headers')}
      description={
        hasStored && valuesStay
          ? 'Sent with every delivery. Stored values are hidden: leave a value empty to keep it, or type another one. Use hyphens in names: some servers drop headers with an underscore.'
          : 'Sent with every delivery, such as credentials for your receiver. Stored encrypted. Use hyphens in names: some servers drop headers with an underscore.'
      }
      actions={
        <Group gap="xs">
          {hasStored && can('secrets:read') && (
            <RevealButton
              revealed={values !== null}
              running={running}
              onReveal={showValues}
              onHide={hideValues}
            />
          )}
          {headers.length > 0 && headers.length < 32 && <Add onClick={add} />}
        </Group>
      }
    >
      <Stack gap="sm">
        {newOrigin !== null && headers.some(keepsValue) && (
          <Moved to={newOrigin} valuesStay={valuesStay} />
        )}
        {headers.map((row, index) => (
          <HeaderRowFields
            key={row.key}
            form={form}
            row={row}
            index={index}
            valueStays={valuesStay && keepsValue(row)}
          />
        ))}
        {headers.length === 0 && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              No custom headers.
            </Text>
            <Add onClick={add} />
          </Group>
        )}
        {form.errors.headers && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {form.errors.headers}
          </Text>
        )}
      </Stack>
    </Section>
  )
}

/** Stored values may be credentials of the old origin. */
function Moved({ to, valuesStay }: { to: string; valuesStay: boolean }) {
  return valuesStay ? (
    <Notice color="yellow" title="The stored values go to the new address too">
      {`Deliveries to ${to} will have these headers. Change or remove those that are credentials of the old address.`}
    </Notice>
  ) : (
    <Notice color="orange" title="Enter the values again">
      {`Stored values do not go to another address, because they may be credentials. Enter each value for ${to}, or remove the header. With the scope secrets:read the stored values stay.`}
    </Notice>
  )
}

function Add({ onClick }: { onClick(): void }) {
  return (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={onClick}>
      {t('Add header')}
    </Button>
  )
}

import { ActionIcon, Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Section } from '../../components/page/section.tsx'
import { t } from '../../strings/t.ts'
import { MaskedHeaders } from './masked-headers.tsx'
import { areMasked, headerRow, type WebhookFormValues } from './webhook-form-values.ts'

interface HeaderRowsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
}

/** The custom headers, one row for each. Masked headers are kept or all replaced. */
export function HeaderRows({ form }: HeaderRowsProps) {
  const [kept] = useState(() => (areMasked(form.values.headers) ? form.values.headers : null))
  const { headers } = form.values
  const masked = areMasked(headers)
  return (
    <Section
      title={t('webhooks:headerRows.title')}
      description={t('webhooks:headerRows.description')}
      actions={
        !masked &&
        headers.length > 0 &&
        headers.length < 32 && <Add onClick={() => form.insertListItem('headers', headerRow())} />
      }
    >
      {masked ? (
        <MaskedHeaders
          headers={headers}
          replace={() =>
            form.setFieldValue(
              'headers',
              headers
                .filter(({ name }) => name !== '(unreadable)')
                .map(({ name }) => headerRow(name)),
            )
          }
        />
      ) : (
        <Stack gap="sm">
          {kept && (
            <Alert color="yellow" variant="light">
              <Group justify="space-between">
                <span>{t('webhooks:headerRows.replacing')}</span>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => form.setFieldValue('headers', kept)}
                >
                  {t('webhooks:headerRows.keepExisting')}
                </Button>
              </Group>
            </Alert>
          )}
          {headers.map(({ key, name }, index) => (
            <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
              <TextInput
                flex={2}
                miw={0}
                aria-label={`Name of header ${index + 1}`}
                placeholder={t('webhooks:headerRows.namePlaceholder')}
                autoComplete="off"
                {...form.getInputProps(`headers.${index}.name`)}
              />
              <TextInput
                flex={3}
                miw={0}
                aria-label={`Value of header ${index + 1}`}
                placeholder={t('webhooks:headerRows.valuePlaceholder')}
                autoComplete="off"
                {...form.getInputProps(`headers.${index}.value`)}
              />
              <ActionIcon
                size={36}
                variant="subtle"
                color="gray"
                aria-label={`Remove header ${name || index + 1}`}
                onClick={() => form.removeListItem('headers', index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
          ))}
          {headers.length === 0 && (
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                {t('webhooks:headerRows.empty')}
              </Text>
              <Add onClick={() => form.insertListItem('headers', headerRow())} />
            </Group>
          )}
          {form.errors.headers && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {form.errors.headers}
            </Text>
          )}
        </Stack>
      )}
    </Section>
  )
}

function Add({ onClick }: { onClick(): void }) {
  return (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={onClick}>
      {t('webhooks:headerRows.add')}
    </Button>
  )
}

import { ActionIcon, Flex, Group, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconTrash } from '@tabler/icons-react'
import { t } from '../../language/t.ts'
import { MASK } from '../headers/use-revealed-headers.ts'
import type { HeaderRow } from './header-row.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface HeaderRowFieldsProps {
  readonly form: UseFormReturnType<WebhookFormValues>
  readonly row: HeaderRow
  readonly index: number
  /** Whether the stored value stays if the field is empty. */
  readonly valueStays: boolean
}

/** The name and the value of one header, below each other in a narrow box. */
export function HeaderRowFields({ form, row, index, valueStays }: HeaderRowFieldsProps) {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Flex gap="xs" wrap="wrap" flex={1} miw={0}>
        <TextInput
          flex="2 1 9rem"
          aria-label={`Name of header ${index + 1}`}
          placeholder="X-Api-Key"
          autoComplete="off"
          {...form.getInputProps(`headers.${index}.name`)}
        />
        <TextInput
          flex="3 1 12rem"
          aria-label={`Value of header ${index + 1}`}
          placeholder={valueStays ? MASK : t('Value')}
          autoComplete="off"
          {...form.getInputProps(`headers.${index}.value`)}
        />
      </Flex>
      <ActionIcon
        size={36}
        variant="subtle"
        color="gray"
        aria-label={`Remove header ${row.name || index + 1}`}
        onClick={() => form.removeListItem('headers', index)}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  )
}

import { notifications } from '@mantine/notifications'
import { t } from '../language/t.ts'

/** Reports a success, for 5 seconds. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5_000 })
}

/** Reports an error, until the reader closes it. */
export function notifyError(message: string): void {
  notifications.show({ title: t('Action failed'), message, color: 'red', autoClose: false })
}

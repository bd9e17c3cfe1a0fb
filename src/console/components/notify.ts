import { notifications } from '@mantine/notifications'

/** Says that something was done. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', autoClose: 5_000 })
}

/** Says that something was not done, and why. It stays until it is closed. */
export function notifyProblem(message: string): void {
  notifications.show({ title: 'That did not work', message, color: 'red', autoClose: false })
}

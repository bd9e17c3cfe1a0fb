import type { FrameLocator, Page } from 'playwright-core'

/** Adds an event type or a pattern to those that the webhook in a form receives. */
export async function subscribe(page: Page | FrameLocator, name: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Events' })
  await field.fill(name)
  await field.press('Enter')
}

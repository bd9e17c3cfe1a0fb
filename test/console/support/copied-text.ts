import type { Page } from 'playwright-core'
import { until } from '../../support/until.ts'

/** The text that a page has copied. A browser writes the clipboard a moment after the click. */
export async function copiedText(page: Page, pattern: RegExp): Promise<string> {
  let text = ''
  const isCopied = async () => {
    text = await page.evaluate<string>('navigator.clipboard.readText()')
    return pattern.test(text)
  }
  await until(isCopied, `a text like ${pattern} is copied`)
  return text
}

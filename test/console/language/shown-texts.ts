import type { Page } from 'playwright-core'

/** Everything that a reader of a page sees or hears, each once: texts, names, titles and placeholders. Without code and data. */
export async function shownTexts(page: Page): Promise<ReadonlySet<string>> {
  const texts = await page.evaluate(() => {
    const found: string[] = [document.title]
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (nodes.nextNode()) {
      const parent = nodes.currentNode.parentElement
      if (
        parent &&
        !parent.closest('style, script, noscript, pre, code, kbd, .ph-json, .ph-headers')
      ) {
        found.push(nodes.currentNode.textContent ?? '')
      }
    }
    for (const element of document.querySelectorAll(':not([aria-hidden] *, [aria-hidden])')) {
      for (const name of ['aria-label', 'title', 'placeholder']) {
        found.push(element.getAttribute(name) ?? '')
      }
    }
    return found.map((text) => text.trim())
  })
  return new Set(texts.filter((text) => /\p{L}{2}/u.test(text)))
}

import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * The violations of WCAG 2.2 AA and good practice that axe finds on a page: the rule, and where. A frame is a document
 * with landmarks of its own: `violationsInFrame` looks at it.
 */
export async function violations(page: Page): Promise<string[]> {
  // The legacy mode is four times as fast.
  return await violationsOf(new AxeBuilder({ page }).setLegacyMode(true), { iframes: false })
}

/** The violations in the frame that `selector` selects. The frame may have any origin. */
export async function violationsInFrame(page: Page, selector: string): Promise<string[]> {
  return await violationsOf(new AxeBuilder({ page }).include(selector), { iframes: true })
}

async function violationsOf(axe: AxeBuilder, frames: { iframes: boolean }): Promise<string[]> {
  const options = { runOnly: TAGS, resultTypes: ['violations' as const], ...frames }
  const { violations } = await axe.options(options).analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes
      .filter(({ html }) => !isTabOfGraphiql(id, html))
      .map(({ target, any }) => `${id} (${help}): ${target.join(' ')} ${any[0]?.message ?? ''}`),
  )
}

/** GraphiQL makes its tabs focusable, and they contain buttons. */
function isTabOfGraphiql(rule: string, html: string): boolean {
  return rule === 'nested-interactive' && /class="graphiql-tab\b/.test(html)
}

import axe from 'axe-core'
import type { Frame, Page } from 'playwright-core'

const OPTIONS: axe.RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  iframes: false,
}

interface Look {
  /** The selector of the part to look at. Default: all. */
  readonly within?: string
  /** Default: those of WCAG 2.2 AA and good practice. */
  readonly rules?: readonly string[]
}

/**
 * The violations of WCAG 2.2 AA and good practice that axe finds on a page or in a frame: the rule, and where. A frame is
 * a document with landmarks of its own, so axe looks at each by itself.
 */
export async function violations(
  page: Page | Frame,
  { within = 'html', rules }: Look = {},
): Promise<string[]> {
  // Loading axe takes longer than a look at the page, so a page keeps it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const options = rules ? { ...OPTIONS, runOnly: [...rules] } : OPTIONS
  const found = await page.evaluate(run, { within, options })
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id} (${help}): ${target.join(' ')} ${any[0]?.message ?? ''}`),
  )
}

/** Runs in the page, once the colors of a change have faded in. */
async function run({
  within,
  options,
}: {
  within: string
  options: axe.RunOptions
}): Promise<Pick<axe.AxeResults, 'violations'>> {
  // A page learns of a color scheme with one frame, and the next one begins to fade.
  await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
  const fading = document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
  await Promise.allSettled(fading.map(({ finished }) => finished))
  const loaded = (globalThis as unknown as { axe: typeof axe }).axe
  const { violations } = await loaded.run(within, options)
  return { violations }
}

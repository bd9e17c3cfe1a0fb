import { parseArgs } from 'node:util'
import { findChromium, openBrowser, REMEDY } from '../browser.ts'
import { isBuilt } from '../built-console.ts'
import { seedServer } from '../seed.ts'
import { openHostPage } from '../support/host-page.ts'
import { takeForDocs } from './for-docs.ts'
import { takeForReview } from './for-review.ts'

/*
 * `npm run screenshots`: takes the screenshots of docs/guides/console.md, and every page in each look for a review, on a
 * temporary server. `-- --only docs` and `-- --only review` take one of the sets, `-- --pages events,event` and `-- --looks
 * empty,360-dark` a part of the review.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    /** Where the pictures for a review go. */
    folder: { type: 'string', default: 'screenshots' },
    pages: { type: 'string' },
    looks: { type: 'string' },
  },
})
const program = findChromium()
if (program === null) throw new Error(`There is no Chromium here. ${REMEDY}`)
if (!(await isBuilt()))
  throw new Error('The console is not built as it is now. Run: npm run build:console')
await using host = await openHostPage()
await using seed = await seedServer({ POSTHORN_PORTAL_ORIGINS: host.origin })
const browser = await openBrowser(program)
if (values.only !== 'review') await takeForDocs(browser, seed)
if (values.only !== 'docs') {
  const [names, looks] = [values.pages?.split(','), values.looks?.split(',')]
  await takeForReview(browser, seed, {
    host,
    folder: values.folder,
    isPage: (name) => names === undefined || names.includes(name),
    isLook: (name) => looks === undefined || looks.some((part) => name.includes(part)),
  })
}
await browser.close()

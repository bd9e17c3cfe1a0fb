import { findChromium, openBrowser, REMEDY } from '../browser.ts'
import { seedServer } from '../seed.ts'
import { takeEveryPage } from './every-page.ts'
import { takeForDocs } from './for-docs.ts'
import { takeTour } from './tour.ts'

/*
 * `npm run screenshots`: takes the pictures of the documentation, of a temporary server. With a folder, takes each page
 * at four widths in both themes: `npm run screenshots -- /tmp/pictures`.
 */

const program = findChromium()
if (program === null) throw new Error(`There is no Chromium here. ${REMEDY}`)
await using seed = await seedServer()
const browser = await openBrowser(program)
const [folder] = process.argv.slice(2)
if (folder) {
  await takeEveryPage(browser, seed, folder)
} else {
  await takeForDocs(browser, seed)
  // Last, as it adds a webhook.
  await takeTour(browser, seed)
}
await browser.close()

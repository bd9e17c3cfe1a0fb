import { findChromium, openBrowser, REMEDY } from '../browser.ts'
import { seedServer } from '../seed.ts'
import { takeForDocs } from './for-docs.ts'

/* `npm run screenshots`: takes the pictures of docs/guides/console.md, of a temporary server. */

const program = findChromium()
if (program === null) throw new Error(`There is no Chromium here. ${REMEDY}`)
await using seed = await seedServer()
const browser = await openBrowser(program)
await takeForDocs(browser, seed)
await browser.close()

import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { installPackages } from '../../../scripts/install/install-packages.ts'
import { until } from '../../support/until.ts'
import type { SeededServer } from '../seed.ts'
import { call, createWebhook, deliveriesOf, untilDelivery } from '../support/call.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const FOLDER = path.join(ROOT, 'docs/images')
const MAX_BYTES = 300 * 1024
const STEPS = ['Publish', 'It fails', 'Why', 'Fix', 'Redeliver']
const HOST = 'scanner.example'
const SCANNED = 'ticket.scanned'

/** Takes the moving picture of the README: a webhook with a wrong path fails, is corrected, and receives its delivery. */
export async function takeTour(browser: Browser, seed: SeededServer): Promise<void> {
  const { server, endpoints } = seed
  const taken: Buffer[] = []
  await using reader = await visit(browser, {
    ...{ viewport: { width: 900, height: 592 }, deviceScaleFactor: 2 },
    ...{ signedInTo: server, origins: [server.url] },
  })
  const { page } = reader
  const open = async (at: string) => {
    await page.goto(`${server.url}/console${at}`)
    await waitUntilLoaded(page)
  }
  const take = async () => {
    await page.waitForTimeout(400)
    await caption(page, taken.length)
    taken.push(await page.screenshot({ animations: 'disabled' }))
  }

  await call(server, 'createEventType', { input: { name: SCANNED, description: 'A scan.' } })
  const webhook = await createWebhook(server, {
    ...{ url: `https://${HOST}/hook`, description: 'Ticket scanner', enabled: true },
    ...{ eventSubscriptions: [SCANNED], retryScheduleSeconds: [2] },
  })
  await call(server, 'publishEvent', { input: { type: SCANNED, data: { ticket: 9051 } } })
  await open('/events')
  await take()

  const exhausted = () => deliveriesOf(server, webhook, ['EXHAUSTED'])
  await until(async () => (await exhausted()).length > 0, 'the delivery fails')
  const delivery = (await exhausted())[0]?.id ?? ''
  await open('/deliveries')
  // The failure moves to the middle of the picture.
  await page.mouse.wheel(0, 130)
  await take()

  await open(`/deliveries/${delivery}`)
  await take()

  await open(`/webhooks/${webhook}/edit`)
  await page.getByLabel('URL').fill(`https://${HOST}/hooks/tickets`)
  // The field has moved below the header.
  await page.mouse.wheel(0, -540)
  await take()

  endpoints.answer(HOST, { status: 200, body: '{"received":true}', delayMs: 40 })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Ticket scanner' }).waitFor()
  await open(`/deliveries/${delivery}`)
  await page.getByRole('button', { name: 'Redeliver' }).click()
  await untilDelivery(server, delivery, ({ state }) => state === 'SUCCEEDED', 'it succeeds')
  await open(`/deliveries/${delivery}`)
  // Closes the last attempt, so that all of them are seen.
  await page.getByRole('button', { name: /Attempt 3/ }).click()
  await take()
  await writeTour(taken)
  console.log('tour')
}

/** Shows the steps below the page. The one that the picture is of is bright. */
async function caption(page: Page, shown: number): Promise<void> {
  const steps = STEPS.map(
    (step, i) => `<li class="${i === shown ? 'shown' : ''}"><b>${i + 1}</b>${step}</li>`,
  )
  const html = `<ol class="steps">${steps.join('')}</ol>`
  await page.evaluate(
    ([styles, html]) => {
      // The page allows no other styles.
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(styles)
      document.adoptedStyleSheets.push(sheet)
      document.body.insertAdjacentHTML('beforeend', html)
    },
    [CAPTIONS, html] as const,
  )
}

const CAPTIONS = `
  .steps { position: fixed; inset: auto 0 0; z-index: 1000; pointer-events: none; display: flex; height: 52px; margin: 0; padding: 0;
    align-items: center; justify-content: space-around; background: #1c2333; color: #8d97ad;
    font-weight: 500; font-size: 17px; list-style: none }
  .steps b { display: inline-block; width: 28px; margin-right: 9px; border-radius: 14px;
    background: #323b52; line-height: 28px; text-align: center; font-weight: 600 }
  .steps .shown { color: white } .steps .shown b { background: #e8a33d; color: #1c2333 }`

/** Writes one picture that moves, and its end for readers who want no motion. The encoder is among the packages of the site. */
async function writeTour(frames: readonly Buffer[]): Promise<void> {
  const site = path.join(ROOT, 'scripts/site')
  const missing = await installPackages(site)
  if (missing !== null) throw new Error(missing)
  const sharp = createRequire(path.join(site, 'package.json'))('sharp')
  const delay = frames.map((_, i) => (i === 0 ? 2_000 : 3_000))
  await sharp(frames.at(-1)).png({ palette: true }).toFile(path.join(FOLDER, 'tour.png'))
  const tour: Buffer = await sharp(frames, { join: { animated: true } })
    .webp({ lossless: true, effort: 6, loop: 0, delay })
    .toBuffer()
  if (tour.length > MAX_BYTES) throw new Error(`The tour has ${tour.length} bytes.`)
  await writeFile(path.join(FOLDER, 'tour.webp'), tour)
}
